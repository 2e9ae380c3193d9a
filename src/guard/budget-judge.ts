import { statSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
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
import { replaceFile } from '../lib/edit-file.ts';
import { getOrAdd } from '../lib/group.ts';
import { known } from '../lib/json.ts';
import { readText } from '../lib/regular-file.ts';
import { configFolder, ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { orElse, UserError } from '../lib/user-error.ts';
import {
  createSessions,
  dataFoldersFor,
  type OpenCache,
  type SessionScope,
  thisMachine,
  withOwnPrices,
} from '../sessions/index.ts';
import { isSigned, readApprovalKey, signText, unlockKey } from './approvals/approval-key.ts';
import { isHandsOff } from './approvals/approvals.ts';
import {
  type BudgetCall,
  type BudgetFacts,
  type BudgetNote,
  type BudgetVerdict,
  judgeBudgets,
  NO_BUDGET,
  type Raised,
  reportBudgets,
} from './budgets.ts';
import { type MeasuredSession, measureSession, midnightBefore, nextMidnight } from './measured-usage.ts';
import { loadPolicy } from './policy/load-policy.ts';
import {
  BUDGET_LIMITS,
  type Budget,
  type BudgetLimit,
  type GuardedAgent,
  isLooser,
  type Policy,
  stricterOf,
} from './policy.ts';

/** Reads usage. */
export interface UsageSource {
  /** The session's tree by what its files hold now. `agent`: who calls, if that is known. */
  sessionOf(session: SessionId, agent: AgentId | undefined): Promise<SessionTree | undefined>;
  /** Whether the call is in its transcript already. */
  hasCall?(session: SessionId, call: ToolCallId): boolean;
  /** Joined, each session once: all that were written to since then (epoch milliseconds). */
  all(since: number): Promise<readonly SessionTree[]>;
}

/** What of a policy limits what agents use. */
export interface LimitingPolicy extends Pick<Policy, 'budgets' | 'onError'> {
  /** Agents must not approve (`isHandsOff`). */
  readonly isHandsOff: boolean;
}

export function limitsIn(policy: Policy): LimitingPolicy {
  const { budgets, onError } = policy;
  return { ...known({ budgets }), onError, isHandsOff: isHandsOff(policy) };
}

interface JudgedEvent {
  readonly event: HookEvent;
  /** Who calls, by each of the sources. */
  readonly readings: readonly CallerReading[];
  readonly project: string | undefined;
  readonly policies: readonly LimitingPolicy[];
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
  readonly #stateFolder: string;
  readonly #measured = new WeakMap<SessionTree, MeasuredSession>();
  readonly #firstSeen = new Map<SessionId, number>();
  readonly #grace = new Map<string, number>();
  readonly #told = new Set<string>();
  #pending: readonly { readonly by: AgentId; readonly call: ToolCallId; readonly at: number }[] = [];

  /** `stateFolder`: has the file of what people raised. */
  constructor(source: UsageSource, stateFolder: string) {
    this.#source = source;
    this.#stateFolder = stateFolder;
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

  /** The agent was not told yet; of a limit that is reached, no agent was. */
  isNews({ event, readings }: Pick<JudgedEvent, 'event' | 'readings'>, note: BudgetNote): boolean {
    const agent = readings[0]?.agent;
    return !this.#told.has(keyOf(note, agent ? toAgentId(event.host, agent.id) : undefined));
  }

  async report(policies: readonly LimitingPolicy[], now: number): Promise<readonly BudgetReport[]> {
    const budgets = budgetsOf(policies);
    if (budgets.length === 0) return [];
    const needsProof = policies.some(({ isHandsOff }) => isHandsOff);
    const raised = await readRaised(this.#stateFolder, budgets, { needsProof, now });
    const since = budgets.some(({ per }) => per === 'project') ? 0 : midnightBefore(now);
    const trees = await this.#source.all(since);
    return reportBudgets(
      budgets,
      trees.map((tree) => this.#measure(tree)),
      now,
      raised,
    );
  }

  async #factsFor(budgets: readonly Budget[], { event, at, policies, readings }: JudgedEvent): Promise<BudgetFacts> {
    const { session, call, host } = event;
    const caller = readings[0]?.agent;
    const tree = await this.#source.sessionOf(session, caller ? toAgentId(host, caller.id) : undefined);
    const firstSeen = getOrAdd(this.#firstSeen, session, () => at);
    if (this.#firstSeen.size > MANY) this.#firstSeen.clear();
    const isNew = at - Math.min(firstSeen, beganAt(event.transcript) ?? at) < NEW_MS;
    const own = tree && this.#measure(tree);
    const needsProof = policies.some(({ isHandsOff }) => isHandsOff);
    const raised = await readRaised(this.#stateFolder, budgets, { needsProof, now: at });
    const day = budgets.some(({ per }) => per === 'day') ? await this.#allSince(midnightBefore(at), own) : [];
    const ever = budgets.some(({ per }) => per === 'project') ? await this.#allSince(0, own) : [];
    return {
      session: own,
      problem: own || isNew ? undefined : `session ${nativeId(session)} is not among those that troupe reads`,
      sessions: ({ per }) => (per === 'day' ? day : ever),
      pending: this.#pending.filter((one) => at - one.at < PENDING_MS),
      isCounted: call?.id !== undefined && (this.#source.hasCall?.(session, call.id) ?? false),
      graceUsed: ({ id }, agent) => this.#grace.get(`${id} ${agent}`) ?? 0,
      raised,
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
export function budgetsOf(policies: readonly Pick<Policy, 'budgets'>[]): readonly Budget[] {
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
  /** Of the policy that holds in `folder`; left out: in the folder at hand. */
  report(where: SessionScope, folder?: string): Promise<BudgetsInUse>;
  /** Changes what agents may use, until midnight; gives when that is. */
  raise(request: RaiseRequest): Promise<string>;
  /** For a hook that no server answers. */
  judge(told: ToldCall): Promise<BudgetVerdict>;
}

export interface BudgetsInUse {
  readonly budgets: readonly BudgetReport[];
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** What a hook knows of a call already. */
export interface ToldCall extends Pick<JudgedEvent, 'readings' | 'project' | 'policies'> {
  readonly host: string;
  readonly process: number;
  readonly payload: unknown;
  readonly stateFolder: string;
}

export function createBudgetControl(openCache: OpenCache): BudgetControl {
  const { env, home } = thisMachine();
  const folders = { home, configFolder: configFolder(env, home), stateFolder: stateFolder({ env, home }) };
  const policyHere = async (folder = process.cwd()): Promise<Policy> =>
    (await loadPolicy({ ...folders, folder })).policy;
  return {
    async report(where, folder) {
      const usage = new StoredUsage(where, openCache);
      const judge = new BudgetJudge(usage, folders.stateFolder);
      const budgets = await judge.report([limitsIn(await policyHere(folder))], systemClock());
      return { budgets, problems: usage.problems };
    },
    async raise(request) {
      const policy = await policyHere();
      return raiseBudget(
        folders.stateFolder,
        { budgets: budgetsOf([policy]), needsProof: isHandsOff(policy) },
        request,
      );
    },
    async judge({ host, process, payload, readings, project, policies, stateFolder: folder }) {
      const event = (await loadHost(host))?.hooks?.read(payload, process);
      if (!event) throw new Error(`no call of ${host}`);
      const judge = new BudgetJudge(new StoredUsage({ roots: [] }, openCache), folder);
      return (await judge.judge({ event, readings, project, policies, at: systemClock() })) ?? NO_BUDGET;
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

const raisedFile = (folder: string): string => path.join(folder, 'raised-budgets.json');

const raiseSchema = v.object({
  ...{ file: v.string(), name: v.string(), until: v.pipe(v.string(), v.isoTimestamp()) },
  limits: v.partial(
    v.object(Object.fromEntries(BUDGET_LIMITS.map((limit) => [limit, v.pipe(v.number(), v.minValue(0))]))),
  ),
  /** By the key of the passphrase; null if none was set. */
  signature: v.nullable(v.string()),
});
const raisesSchema = v.object({ raised: v.array(raiseSchema) });

type Raise = v.InferOutput<typeof raiseSchema>;

function raiseText({ file, name, limits, until }: Raise): string {
  return JSON.stringify(['troupe raise', file, name, limits, until]);
}

/** What persons raised, and until when. Without its signature a raise is nothing if agents must not approve. */
async function readRaised(
  folder: string,
  budgets: readonly Budget[],
  { needsProof, now }: { readonly needsProof: boolean; readonly now: number },
): Promise<Raised> {
  const raises = (await readRaises(folder)).filter(({ until }) => Date.parse(until) > now);
  if (raises.length === 0) return new Map();
  const key = await readApprovalKey(folder);
  const isProven = (raise: Raise): boolean => {
    if (key === 'bad') return false;
    if (key === 'none') return !needsProof && raise.signature === null;
    return raise.signature !== null && isSigned(key.publicKey, raiseText(raise), raise.signature);
  };
  const proven = raises.filter(isProven);
  return new Map(
    budgets.flatMap(({ id, name, place }) => {
      const raise = proven.findLast((one) => one.name === name && one.file === place.file);
      return raise ? [[id, raise.limits as Readonly<Partial<Record<BudgetLimit, number>>>] as const] : [];
    }),
  );
}

async function readRaises(folder: string): Promise<readonly Raise[]> {
  try {
    const parsed = v.safeParse(raisesSchema, JSON.parse(await readText(raisedFile(folder), 1024 * 1024)));
    return parsed.success ? parsed.output.raised : [];
  } catch {
    return [];
  }
}

interface RaiseRequest {
  readonly name: string;
  readonly limits: Readonly<Partial<Record<BudgetLimit, number>>>;
  /** Asks for the passphrase, if one is set. */
  askPassphrase(): Promise<string | undefined>;
}

/** Until midnight. Throws a `UserError` if there is no such budget, or the person does not prove that they are one. */
export async function raiseBudget(
  folder: string,
  { budgets, needsProof }: { readonly budgets: readonly Budget[]; readonly needsProof: boolean },
  { name, limits, askPassphrase }: RaiseRequest,
): Promise<string> {
  const found = budgets.filter((one) => one.name === name);
  const budget = found.find(({ scope }) => scope === 'user') ?? found[0];
  if (!budget) throw new UserError('no-budget', `No budget here is called "${name}".`, 'See them with: troupe budget');
  for (const limit of Object.keys(limits))
    if (!(limit in budget.limits))
      throw new UserError('no-budget', `Budget "${name}" does not limit ${limit}.`, 'See them with: troupe budget');
  const key = await readApprovalKey(folder);
  if (key === 'bad' || (key === 'none' && needsProof))
    throw new UserError(
      'passphrase-not-set',
      'To raise a budget, you need a passphrase for approvals.',
      'Run: troupe server passphrase',
    );
  const until = new Date(nextMidnight(systemClock())).toISOString();
  const raise: Raise = { file: budget.place.file, name, limits, until, signature: null };
  let signature: string | null = null;
  if (key !== 'none') {
    const typed = await askPassphrase();
    const secret = typed === undefined ? undefined : await unlockKey(typed, key);
    if (!secret)
      throw new UserError('wrong-passphrase', 'This is not the passphrase for approvals.', 'Nothing was raised.');
    signature = signText(secret, raiseText(raise));
  }
  await ensureStateFolder(folder);
  const now = systemClock();
  const others = (await readRaises(folder)).filter(
    (one) => Date.parse(one.until) > now && (one.name !== name || one.file !== raise.file),
  );
  replaceFile(raisedFile(folder), JSON.stringify({ raised: [...others, { ...raise, signature }] }));
  return until;
}
