import type { AgentId, BudgetAlert, LiveTrees, SessionId, Sessions, SessionTree, TreeChange } from '../core/index.ts';
import { midnightBefore, type UsageSource } from '../guard/index.ts';
import type { Clock } from '../lib/clock.ts';
import { Listeners } from '../lib/listeners.ts';

/** Sessions that are not followed do not change: they are looked for again this often, or when one leaves those that are. */
const OLDER_MS = 60_000;

/** What sessions used: of those that are followed from their trees, of others from the index. */
export class LiveUsage implements UsageSource {
  readonly #trees: LiveTrees;
  readonly #sessions: Sessions;
  readonly #clock: Clock;
  /** Their files are gone, but what they used today counts. */
  readonly #gone = new Map<SessionId, SessionTree>();
  #known = new Map<SessionId, SessionTree>();
  #older: Older | undefined;

  constructor(trees: LiveTrees, sessions: Sessions, clock: Clock) {
    this.#trees = trees;
    this.#sessions = sessions;
    this.#clock = clock;
    for (const tree of trees.current()) this.#known.set(tree.id, tree);
    trees.subscribe((change) => {
      if (change.kind === 'tree') this.#known.set(change.tree.id, change.tree);
      if (change.kind !== 'gone') return;
      const tree = this.#known.get(change.session);
      this.#known.delete(change.session);
      if (tree) this.#gone.set(tree.id, tree);
      if (this.#older) this.#older = { ...this.#older, until: 0 };
    });
  }

  async sessionOf(session: SessionId, agent: AgentId | undefined): Promise<SessionTree | undefined> {
    const all = await this.#trees.readNow(session, agent);
    return all.find(({ id }) => id === session) ?? all.find((tree) => holds(tree, session));
  }

  hasCall(session: SessionId, call: Parameters<NonNullable<UsageSource['hasCall']>>[1]): boolean {
    return this.#trees.ledgerOf(session)?.calls.has(call) ?? false;
  }

  async all(since: number): Promise<readonly SessionTree[]> {
    const followed = await this.#trees.readNow();
    const ids = new Set(followed.flatMap(({ id, agents }) => [id, ...agents.flatMap(({ session }) => session ?? [])]));
    const older = await this.#olderSince(since);
    const others = new Map([...this.#gone, ...older.map((tree) => [tree.id, tree] as const)]);
    return [...followed, ...[...others.values()].filter(({ id }) => !ids.has(id))];
  }

  /** The first look is waited for; later ones run beside the calls. */
  async #olderSince(since: number): Promise<readonly SessionTree[]> {
    const known = this.#older;
    const now = this.#clock();
    if (known && known.since <= since) {
      if (now > known.until && !known.isLooking) {
        this.#older = { ...known, isLooking: true };
        void this.#look(since).catch(() => undefined);
      }
      return known.trees;
    }
    return this.#look(since);
  }

  async #look(since: number): Promise<readonly SessionTree[]> {
    const today = midnightBefore(this.#clock());
    for (const [id, { lastActivityAt = 0 }] of this.#gone) if (lastActivityAt < today) this.#gone.delete(id);
    const { trees } = await this.#sessions.list({ limit: Number.MAX_SAFE_INTEGER, since });
    this.#older = { since, trees, until: this.#clock() + OLDER_MS, isLooking: false };
    return trees;
  }
}

interface Older {
  readonly since: number;
  readonly trees: readonly SessionTree[];
  /** Epoch milliseconds. */
  readonly until: number;
  readonly isLooking: boolean;
}

function holds({ agents }: SessionTree, session: SessionId): boolean {
  return agents.some((agent) => agent.session === session);
}

/** Of each session the last few. */
const ALERTS_KEPT = 20;

/** Live trees with what people should know of budgets. */
export class AlertedTrees implements LiveTrees {
  readonly #trees: LiveTrees;
  readonly #alerts = new Map<SessionId, readonly BudgetAlert[]>();
  readonly #own: Listeners<TreeChange>;

  constructor(trees: LiveTrees, onError: (error: unknown) => void) {
    this.#trees = trees;
    this.#own = new Listeners(onError);
  }

  note(session: SessionId, alerts: readonly BudgetAlert[]): void {
    const tree = this.#trees.current().find((one) => one.id === session || holds(one, session));
    if (!tree) return;
    const before = this.#alerts.get(tree.id) ?? [];
    const news = alerts.filter(({ id }) => !before.some((one) => one.id === id));
    if (news.length === 0) return;
    this.#alerts.set(tree.id, [...before, ...news].slice(-ALERTS_KEPT));
    this.#own.tell({ kind: 'tree', tree: this.#with(tree), sources: [] });
  }

  #with(tree: SessionTree): SessionTree {
    const budgetAlerts = this.#alerts.get(tree.id);
    return budgetAlerts ? { ...tree, budgetAlerts } : tree;
  }

  current(): readonly SessionTree[] {
    return this.#alerts.size === 0 ? this.#trees.current() : this.#trees.current().map((tree) => this.#with(tree));
  }

  subscribe(listener: (change: TreeChange) => void) {
    const own = this.#own.add(listener);
    const others = this.#trees.subscribe((change) =>
      listener(change.kind === 'tree' ? { ...change, tree: this.#with(change.tree) } : change),
    );
    return {
      close() {
        own.close();
        others.close();
      },
    };
  }

  async look(session: string): Promise<SessionTree | undefined> {
    const tree = await this.#trees.look(session);
    return tree && this.#with(tree);
  }

  readNow: LiveTrees['readNow'] = (...asked) => this.#trees.readNow(...asked);
  listing = () => this.#trees.listing();
  ledgerOf = (session: SessionId) => this.#trees.ledgerOf(session);
  transcript: LiveTrees['transcript'] = (...asked) => this.#trees.transcript(...asked);
  close(): void {
    this.#trees.close();
  }
}
