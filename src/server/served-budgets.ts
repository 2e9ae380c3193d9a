import { type LiveTrees, nativeId, type SessionId, type Sessions, type SessionTree } from '../core/index.ts';
import { midnightBefore, type UsageSource } from '../guard/index.ts';
import type { Clock } from '../lib/clock.ts';

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

  async sessionOf(session: SessionId): Promise<SessionTree | undefined> {
    const all = this.#trees.current();
    const own = all.find(({ id }) => id === session);
    return own ?? all.find((tree) => holds(tree, session)) ?? (await this.#trees.look(nativeId(session)));
  }

  hasCall(session: SessionId, call: Parameters<NonNullable<UsageSource['hasCall']>>[1]): boolean {
    return this.#trees.ledgerOf(session)?.calls.has(call) ?? false;
  }

  async all(since: number): Promise<readonly SessionTree[]> {
    const followed = this.#trees.current();
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
