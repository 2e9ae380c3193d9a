// The tree of a session, and selections from it.

import { isEqual } from '../lib/json.ts';
import type {
  AgentKind,
  DiagnosticCount,
  EndSignal,
  GroupKind,
  LimitWindow,
  SessionStarter,
  TitleKind,
} from './events.ts';
import { type AgentId, mainAgentOf, nativeId, type SessionId, type SourceId, type ToolCallId } from './ids.ts';
import type { SpawnLink } from './link.ts';
import { shortenTitle } from './text/clean-text.ts';
import { addByModel, addUsage, type ModelUsage, NO_USAGE, sumByModel, type TimedUsage, type Usage } from './usage.ts';

export type AgentStatus = 'spawning' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped' | 'unknown';

/** It has not come to an end, as far as is known. */
export function isAtWork(status: AgentStatus): boolean {
  return status === 'spawning' || status === 'running' || status === 'waiting';
}

/** It has come to an end, and somebody said so. `unknown` is neither. */
export function isOver(status: AgentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped';
}

/** `input`: on the person. `child`: on a sub-agent whose answer it needs. */
export type WaitingOn = 'permission' | 'input' | 'child' | 'rate-limit';

export type Activity = 'starting' | 'thinking' | 'tool_use' | 'waiting' | 'idle' | 'done' | 'failed' | 'unknown';

/** What made a status change: a call, a line of the agent's own transcript, one of the end signals, or the process. */
export type StatusSignal = 'call' | 'process' | EndSignal;

export interface StatusChange {
  readonly status: AgentStatus;
  readonly signal: StatusSignal;
  readonly at?: number;
  /** In words, where there is more to say. */
  readonly reason?: string;
}

/** One activation of an agent: from the call that made it or woke it, to its end. */
export interface Run extends Omit<StatusChange, 'at'> {
  readonly call?: ToolCallId;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

export interface AgentGroup {
  readonly id: string;
  readonly kind: GroupKind;
  readonly name?: string;
}

export interface ToolInUse {
  readonly call: ToolCallId;
  readonly tool: string;
  readonly summary?: string;
  readonly startedAt?: number;
}

/** What is not known is left out here, and null in JSON: never 0, never a guess. */
export interface AgentNode {
  readonly id: AgentId;
  /** The session it belongs to, where that is another one: a command of this one started it. */
  readonly session?: SessionId;
  readonly link: SpawnLink;
  /** 0 for the main agent; left out for an orphan of unknown depth. */
  readonly depth?: number;
  readonly kind: AgentKind;
  readonly type?: string;
  readonly name?: string;
  readonly description?: string;
  readonly promptHead?: string;
  readonly slug?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly provider?: string;
  readonly deniedTools?: readonly string[];
  readonly cwd?: string;
  readonly branch?: string;
  readonly worktree?: string;
  readonly background?: boolean;
  /** The run of a workflow, or the team, that it belongs to. */
  readonly group?: AgentGroup;
  /** Why the host started it for itself. */
  readonly internal?: string;
  readonly status: AgentStatus;
  readonly waitingOn?: WaitingOn;
  readonly stalled: boolean;
  readonly activity: Activity;
  readonly changes: readonly StatusChange[];
  readonly runs: readonly Run[];
  readonly currentTool?: ToolInUse;
  readonly toolCallCount?: number;
  readonly messageCount?: number;
  /** Its own requests, each message once. */
  readonly usage?: Usage;
  /** Of `usage`, what was used in the session that its own is a copy of: it counts there. */
  readonly inheritedUsage?: Usage;
  /** Without what is inherited: it was paid for in the other session. */
  readonly usageByModel: readonly ModelUsage[];
  /** The same by time, also of messages that name no model. */
  readonly usageByTime: readonly TimedUsage[];
  /** Some numbers of it are placeholders, or a request was cut off. */
  readonly usageIsLowerBound: boolean;
  readonly subtreeUsage: Usage;
  readonly subtreeByModel: readonly ModelUsage[];
  readonly subtreeIsLowerBound: boolean;
  /** Of its last request. */
  readonly lastRequest?: Usage;
  /** What fills its context now; after a compaction less than the last request did. */
  readonly contextTokens?: number;
  /** As the host said it. */
  readonly contextWindow?: number;
  readonly compactions: number;
  readonly startedAt?: number;
  readonly lastActivityAt?: number;
  readonly completedAt?: number;
  readonly sources: readonly SourceId[];
}

export interface SessionTree {
  readonly id: SessionId;
  /** The host's name, as people write it. */
  readonly hostTitle?: string;
  readonly title?: string;
  readonly titleKind?: TitleKind;
  readonly cwd?: string;
  readonly branch?: string;
  readonly hostVersion?: string;
  readonly forkedFrom?: SessionId;
  /** The session that its process was in before (`/clear`). */
  readonly continuedFrom?: SessionId;
  /** Of its usage, what it copied from the session it was forked from: counted there. */
  readonly inheritedUsage?: Usage;
  /** Of requests that belong to no agent (titles, summaries), by the host's own sums; left out if there are none. */
  readonly unattributed?: readonly TimedUsage[];
  /** The host's own sums, each with what it says that they cost; left out if it says nothing. */
  readonly hostTotals?: readonly ModelUsage[];
  /** How much of the person's plan was used at that time; left out if the host says nothing. */
  readonly limits?: { readonly at: number; readonly windows: readonly LimitWindow[] };
  /** Requests are known to have been sent whose usage nobody wrote down. */
  readonly hasUncounted?: boolean;
  readonly startedAt?: number;
  readonly lastActivityAt?: number;
  /** Sessions of any host that commands in this one started, by what they printed; left out if there are none. */
  readonly printed?: readonly PrintedSession[];
  /** Sessions that say themselves that they were started in this one; left out if there are none. */
  readonly started?: readonly SessionId[];
  /** Who started it by a command, as its process was told; left out where nobody said it. */
  readonly begunBy?: readonly SessionStarter[];
  /** Main first, then in the order in which they were asked for, children behind their parent; orphans last. */
  readonly agents: readonly AgentNode[];
  readonly diagnostics: readonly DiagnosticCount[];
  /** Live, in a server; left out if there are none. */
  readonly budgetAlerts?: readonly BudgetAlert[];
  /** Nobody asked anything in it, and no process is in it: a terminal that was opened and closed. Lists leave it out. */
  readonly isEmpty?: true;
}

/** A budget that a person should know of: nearly used up, or used up. */
export interface BudgetAlert {
  /** The same for the same thing. */
  readonly id: string;
  readonly state: 'warned' | 'reached' | 'grace';
  readonly at: string;
  /** Whose call it was. */
  readonly agentId: string | null;
  readonly text: string;
}

export interface PrintedSession {
  readonly session: SessionId;
  readonly agent: AgentId;
  readonly call: ToolCallId;
  /** When the command was asked for, and when its result came. */
  readonly askedAt?: number;
  readonly endedAt?: number;
}

export interface BuildOptions {
  /** Epoch milliseconds: who is still at work depends on it. */
  readonly now: number;
  readonly stalledAfter?: StalledAfter;
}

/**
 * The silence, in milliseconds, after which an agent counts as stalled: since it was asked for, before the model's next word,
 * during a call. A test suite may be silent for long; a model may not.
 */
export type StalledAfter = Readonly<Record<'start' | 'reply' | 'tool', number>>;

export const STALLED_AFTER: StalledAfter = { start: 2 * 60_000, reply: 3 * 60_000, tool: 12 * 60_000 };

export function selectMain(tree: SessionTree): AgentNode | undefined {
  return tree.agents.find((agent) => agent.id === mainAgentOf(tree.id));
}

/** Agents a person asked for, directly or not; with `internal` also those the host started for itself. */
export function selectAgents(tree: SessionTree, options: { readonly internal?: boolean } = {}): readonly AgentNode[] {
  return options.internal ? tree.agents : tree.agents.filter((agent) => agent.kind !== 'internal');
}

/** Main agent first. */
export function selectPath(tree: SessionTree, id: AgentId): readonly AgentNode[] {
  const byId = new Map(tree.agents.map((agent) => [agent.id, agent]));
  const path: AgentNode[] = [];
  for (let at = byId.get(id); at; at = at.link.parent === undefined ? undefined : byId.get(at.link.parent))
    path.unshift(at);
  return path;
}

/** What says whether an agent is at work, of a node or of a report. */
interface Waiting {
  readonly kind: AgentKind;
  readonly status: AgentStatus;
  readonly waitingOn?: WaitingOn | null;
  readonly runs: readonly { readonly reason?: string | null }[];
}

/** It cannot go on without a word of the person. */
export function needsPerson({ kind, status, waitingOn, runs }: Waiting): boolean {
  if (status !== 'waiting') return false;
  // A main agent that has had its say only waits for the next order: it is idle. Others have nobody to order them.
  const isIdle = (kind === 'main' || kind === 'session') && (runs.at(-1)?.reason ?? null) === null;
  return waitingOn === 'permission' || (waitingOn === 'input' && !isIdle);
}

/** At work as people count: those that go on by themselves, and those that need the person in order to. Others are idle. */
export function isBusy(agent: Waiting): boolean {
  return isAtWork(agent.status) && (agent.waitingOn !== 'input' || needsPerson(agent));
}

/** A main agent that has had its say may have left others at work: then the session works. */
export function selectSessionStatus(tree: SessionTree): AgentStatus {
  const main = selectMain(tree);
  if (main?.status !== 'waiting' || main.waitingOn === 'permission' || main.waitingOn === 'rate-limit')
    return main?.status ?? 'unknown';
  return tree.agents.some((agent) => agent.id !== main.id && isBusy(agent)) ? 'running' : 'waiting';
}

/** Every message of the session once, whoever's it is, and requests that belong to nobody. */
export function selectTotalUsage(tree: SessionTree): Usage {
  const ofAgents = tree.agents.flatMap(({ usage }) => usage ?? []);
  return [...ofAgents, selectUnattributedUsage(tree) ?? NO_USAGE].reduce(addUsage, NO_USAGE);
}

/** The same by model: models have prices. */
export function selectTotalByModel({ agents, unattributed = [] }: SessionTree): readonly ModelUsage[] {
  return [...agents.map(({ usageByModel }) => usageByModel), sumByModel(unattributed)].reduce(addByModel, []);
}

/** Of the total, what belongs to no agent; undefined if nothing is known to. */
export function selectUnattributedUsage({ unattributed }: SessionTree): Usage | undefined {
  return unattributed?.map(({ usage }) => usage).reduce(addUsage);
}

/** Some of what the session used is not known. */
export function selectIsLowerBound({ agents, hasUncounted = false }: SessionTree): boolean {
  return hasUncounted || agents.some(({ usageIsLowerBound }) => usageIsLowerBound);
}

/** The new tree, with the very nodes of the old one where nothing about them changed: who compares them compares names. */
export function shareUnchanged(before: SessionTree | undefined, after: SessionTree): SessionTree {
  if (!before) return after;
  const known = new Map(before.agents.map((agent) => [agent.id, agent]));
  const agents = after.agents.map((agent) => {
    const old = known.get(agent.id);
    return old && isEqual(old, agent) ? old : agent;
  });
  const diagnostics = isEqual(before.diagnostics, after.diagnostics) ? before.diagnostics : after.diagnostics;
  return { ...after, agents, diagnostics };
}

/** What stands above a conversation. */
export function titleOfConversation({ title }: SessionTree, agent: AgentNode): string | undefined {
  return agent.kind === 'main' ? title : (agent.description ?? agent.promptHead);
}

/** What an agent is called everywhere: its name, else what it was asked to do, else its type, else a short id. */
export function labelOf({ id, name, description, promptHead, type }: AgentNode): string {
  const words = [name, description, promptHead, type].find((text) => text?.trim());
  return words === undefined ? nativeId(id).slice(0, 8) : shortenTitle(words);
}
