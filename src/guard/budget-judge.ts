import { statSync } from 'node:fs';
import {
  type AgentId,
  type BudgetReport,
  nativeId,
  type SessionId,
  type Sessions,
  type SessionTree,
  type ToolCallId,
  toAgentId,
} from '../core/index.ts';
import type { CallerReading, CallingAgent, HookEvent } from '../hosts/index.ts';
import { loadHost } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { getOrAdd } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import { configFolder, stateFolder } from '../lib/state-folder.ts';
import { orElse } from '../lib/user-error.ts';
import {
  createSessions,
  dataFoldersFor,
  type OpenCache,
  type SessionScope,
  thisMachine,
  withOwnPrices,
} from '../sessions/index.ts';
import {
  type BudgetCall,
  type BudgetFacts,
  type BudgetNote,
  type BudgetVerdict,
  judgeBudgets,
  type MeasuredSession,
  measureSession,
  midnightBefore,
  NO_BUDGET,
  type Raised,
  reportBudgets,
} from './budgets.ts';
import { CallerRecords } from './callers.ts';
import { loadPolicy } from './policy/load-policy.ts';
import { type Budget, type GuardedAgent, isLooser, type Policy, stricterOf } from './policy.ts';
import { foldersFor } from './pre-check.ts';

/** Where usage is read. */
export interface UsageSource {
  /** The tree that the session stands in, at most one turn old. */
  sessionOf(session: SessionId): Promise<SessionTree | undefined>;
  /** Whether the call stands in its transcript already. */
  hasCall?(session: SessionId, call: ToolCallId): boolean;
  /** Joined, each session once: all that were written to since then (epoch milliseconds). */
  all(since: number): Promise<readonly SessionTree[]>;
}

interface JudgedEvent {
  readonly event: HookEvent;
  /** Who calls, by each of the sources. */
  readonly readings: readonly CallerReading[];
  readonly project: string | undefined;
  readonly policies: readonly Policy[];
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A session whose first lines are on their way has used nothing. */
const NEW_MS = 10_000;
/** A sub-agent that was let start shows up in the tree within this time, or never. */
const PENDING_MS = 30_000;
const MANY = 10_000;

/** Holds calls against the budgets of policies. What it remembers itself only has to bridge the moment until transcripts tell it. */
export class BudgetJudge {
  readonly #source: UsageSource;
  readonly #raised: () => Raised;
  readonly #measured = new WeakMap<SessionTree, MeasuredSession>();
  readonly #firstSeen = new Map<SessionId, number>();
  readonly #grace = new Map<string, number>();
  readonly #told = new Set<string>();
  #pending: readonly { readonly by: AgentId; readonly call: ToolCallId; readonly at: number }[] = [];

  constructor(source: UsageSource, raised: () => Raised = () => new Map()) {
    this.#source = source;
    this.#raised = raised;
  }

  /** Undefined if no policy has a budget. Never throws: what goes wrong ends in the policy's `on_error`. */
  async judge(judged: JudgedEvent): Promise<BudgetVerdict | undefined> {
    const budgets = budgetsOf(judged.policies);
    if (budgets.length === 0 || !judged.event.call) return undefined;
    const onError = judged.policies.map((policy) => policy.onError).reduce(stricterOf);
    try {
      const facts = await this.#factsFor(budgets, judged);
      const verdicts = judged.readings.map((reading) =>
        judgeBudgets(budgets, toBudgetCall(judged, reading, facts.session), facts, onError),
      );
      return verdicts.reduce((a, b) => (isLooser(a.decision, b.decision) ? b : a), verdicts[0] ?? NO_BUDGET);
    } catch (error) {
      const reason = `Budgets cannot be computed: ${error instanceof Error ? error.message : error}`;
      const decision = onError === 'deny' || onError === 'ask' ? onError : 'none';
      return { ...NO_BUDGET, decision, reason };
    }
  }

  /** After the decision. Gives what the agent was not told yet. */
  settle({ event, readings, at }: JudgedEvent, verdict: BudgetVerdict, mayRun: boolean): readonly BudgetNote[] {
    const { call, host } = event;
    const agent = readings[0]?.agent;
    const id = agent ? toAgentId(host, agent.id) : undefined;
    if (mayRun && call?.spawns && call.id !== undefined && id !== undefined)
      this.#pending = [...this.#pending.filter((one) => at - one.at < PENDING_MS), { by: id, call: call.id, at }];
    if (mayRun)
      for (const { budget } of verdict.notes.filter(({ state }) => state === 'grace')) {
        const key = `${budget} ${id}`;
        this.#grace.set(key, (this.#grace.get(key) ?? 0) + 1);
      }
    if (this.#told.size > MANY) this.#told.clear();
    const news = verdict.notes.filter((note) => this.isNews({ event, readings }, note));
    for (const note of news) this.#told.add(keyOf(note, id));
    return news;
  }

  /** The agent was not told yet; of a limit that is reached, nobody was. */
  isNews({ event, readings }: Pick<JudgedEvent, 'event' | 'readings'>, note: BudgetNote): boolean {
    const agent = readings[0]?.agent;
    return !this.#told.has(keyOf(note, agent ? toAgentId(event.host, agent.id) : undefined));
  }

  async report(budgets: readonly Budget[], now: number): Promise<readonly BudgetReport[]> {
    const since = budgets.some(({ per }) => per === 'project') ? 0 : midnightBefore(now);
    const trees = await this.#source.all(since);
    return reportBudgets(
      budgets,
      trees.map((tree) => this.#measure(tree)),
      now,
      this.#raised(),
    );
  }

  async #factsFor(budgets: readonly Budget[], { event, at }: JudgedEvent): Promise<BudgetFacts> {
    const { session, call } = event;
    const tree = await this.#source.sessionOf(session);
    const firstSeen = getOrAdd(this.#firstSeen, session, () => at);
    if (this.#firstSeen.size > MANY) this.#firstSeen.clear();
    const isNew = at - Math.min(firstSeen, beganAt(event.transcript) ?? at) < NEW_MS;
    const own = tree && this.#measure(tree);
    const day = budgets.some(({ per }) => per === 'day') ? await this.#allSince(midnightBefore(at), own) : [];
    const ever = budgets.some(({ per }) => per === 'project') ? await this.#allSince(0, own) : [];
    return {
      session: own,
      problem: own || isNew ? undefined : `session ${nativeId(session)} is not among those that troupe reads`,
      sessions: ({ per }) => (per === 'day' ? day : ever),
      pending: this.#pending.filter((one) => at - one.at < PENDING_MS),
      isCounted: call?.id !== undefined && (this.#source.hasCall?.(session, call.id) ?? false),
      graceUsed: ({ id }, agent) => this.#grace.get(`${id} ${agent}`) ?? 0,
      raised: this.#raised(),
    };
  }

  async #allSince(since: number, own: MeasuredSession | undefined): Promise<readonly MeasuredSession[]> {
    const all = (await this.#source.all(since)).map((tree) => this.#measure(tree));
    return !own || all.some(({ id }) => id === own.id) ? all : [...all, own];
  }

  #measure(tree: SessionTree): MeasuredSession {
    return getOrAdd(this.#measured, tree, () => measureSession(tree));
  }
}

function beganAt(transcript: string | undefined): number | undefined {
  return transcript === undefined ? undefined : orElse(() => statSync(transcript).birthtimeMs, undefined);
}

function keyOf({ budget, holder, state }: BudgetNote, agent: AgentId | undefined): string {
  return `${budget} ${holder} ${state} ${state === 'reached' ? '' : agent}`;
}

/** Each budget once: several policies have those of the person. */
export function budgetsOf(policies: readonly Policy[]): readonly Budget[] {
  const all = policies.flatMap(({ budgets = [] }) => budgets);
  return [...new Map(all.map((budget) => [`${budget.place.file} ${budget.id}`, budget])).values()];
}

function toBudgetCall(
  { event, project, at }: JudgedEvent,
  { agent, ancestors }: CallerReading,
  session: MeasuredSession | undefined,
): BudgetCall {
  const { host, call } = event;
  const toId = (one: CallingAgent): AgentId => toAgentId(host, one.id);
  const id = agent ? toId(agent) : undefined;
  const found = id && session?.agents.get(id);
  // The tree knows agents of other sessions above it.
  const above = found
    ? found.line.slice(1).flatMap((one) => {
        const judged = session?.agents.get(one)?.judged.agent;
        return judged ? [{ id: one, agent: judged }] : [];
      })
    : ancestors.map((one) => ({ id: toId(one), agent: toGuardedAgent(one) })).reverse();
  return {
    agent: agent && toGuardedAgent(agent),
    id,
    ancestors: above.reverse(),
    host,
    project: project ?? event.cwd ?? null,
    spawns: call?.spawns ?? false,
    call: call?.id,
    tool: call?.tool ?? '',
    at,
  };
}

function toGuardedAgent({ kind, type, name, depth }: CallingAgent): GuardedAgent {
  return { kind, type, name, depth };
}

export interface BudgetControl {
  /** What is used of the budgets that hold in the folder at hand. */
  report(
    where: SessionScope,
  ): Promise<{ readonly budgets: readonly BudgetReport[]; readonly problems: readonly string[] }>;
  /** For a hook that no server answers: what budgets say to the call in this payload. Undefined: nothing. */
  judge(host: string, process: number, payload: unknown): Promise<BudgetVerdict | undefined>;
}

export function createBudgetControl(openCache: OpenCache): BudgetControl {
  const { env, home } = thisMachine();
  const folders = { home, configFolder: configFolder(env, home), stateFolder: stateFolder({ env, home }) };
  const policyIn = async (folder: string): Promise<Policy> => (await loadPolicy({ ...folders, folder })).policy;
  return {
    async report(where) {
      const budgets = budgetsOf([await policyIn(process.cwd())]);
      const usage = new StoredUsage(where, openCache);
      return { budgets: await new BudgetJudge(usage).report(budgets, systemClock()), problems: usage.problems };
    },
    async judge(name, ppid, payload) {
      const host = (await loadHost(name))?.hooks;
      const event = host?.read(payload, ppid);
      if (!host || !event?.call || event.question !== undefined) return undefined;
      const records = new CallerRecords(folders.stateFolder);
      const sources = { event, process: ppid, told: env['TROUPE_AGENT'], caller: host.callerOf(payload, ppid) };
      const { caller, alsoIn } = records.settle(sources);
      const places = foldersFor({ cwd: event.cwd ?? '/' }, { caller, alsoIn, home });
      const policies = await Promise.all(places.map(policyIn));
      const readings = [caller, ...(caller.otherwise ?? [])];
      const judge = new BudgetJudge(new StoredUsage({ roots: [] }, openCache));
      return judge.judge({ event, readings, project: caller.project, policies, at: systemClock() });
    },
  };
}

/** For a process that ends soon: its own session is read from its files, all others come from the index. */
class StoredUsage implements UsageSource {
  readonly #where: SessionScope;
  readonly #openCache: OpenCache;
  problems: readonly string[] = [];

  constructor(where: SessionScope, openCache: OpenCache) {
    this.#where = where;
    this.#openCache = openCache;
  }

  async sessionOf(session: SessionId): Promise<SessionTree | undefined> {
    return this.#sessions()
      .openTree(nativeId(session))
      .then(
        ({ tree }) => tree,
        () => undefined,
      );
  }

  #sessions(openCache?: OpenCache): Sessions {
    return withOwnPrices(createSessions(dataFoldersFor(this.#where), { clock: systemClock, ...known({ openCache }) }));
  }

  async all(since: number): Promise<readonly SessionTree[]> {
    const sessions = this.#sessions(this.#openCache);
    const { trees, problems } = await sessions.list({ limit: Number.MAX_SAFE_INTEGER, since });
    this.problems = problems;
    return trees;
  }
}
