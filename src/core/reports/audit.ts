// The audit log as JSON, and its coverage: which calls of a session passed a hook.

import { getOrAdd } from '../../lib/group.ts';
import type { AnsweredBy } from '../approval.ts';
import { nativeId } from '../ids.ts';
import type { CallRecord, SessionLedger } from '../ledger.ts';
import { createOwnerOf } from '../ledger-index.ts';
import { type AgentNode, labelOf, type SessionTree, selectPath } from '../tree.ts';
import type { HookedCall } from './identity.ts';
import { isoTime, orNull } from './tree.ts';

/** What was decided about a call. `observed`: nobody was asked. `inject`: it did not run, and a file gave its result. */
export const DECISIONS = ['observed', 'none', 'allow', 'ask', 'deny', 'inject'] as const;
export type AuditDecision = (typeof DECISIONS)[number];

/** One line of the audit. What is not known is null. */
export interface AuditEntry extends HookedCall {
  readonly v: 1;
  /** 1, 2, 3 … over all files. */
  readonly n: number;
  /** Of the hook's call: one that is told twice is one line. */
  readonly id: string;
  /** When the hook was called, ISO 8601 UTC. */
  readonly at: string;
  readonly event: string;
  readonly decision: AuditDecision;
  readonly reason: string | null;
  /** How long the call was held; with the time in which an answer was waited for. */
  readonly ms: number | null;
  /** Who settled a call that a person was asked about by troupe. Left out of all others. */
  readonly answeredBy?: AnsweredBy;
  /** Of a session that an agent's command started: by whom. Left out of all others. */
  readonly startedBy?: SessionStart;
  /** What sources say against each other about who called: the stricter reading held. Left out where they agree. */
  readonly doubts?: readonly string[];
  /** Why the agent, or one above it, was not known when the call was judged: every rule that may apply held. Left out of all others. */
  readonly gap?: string;
  /** `intercept`: reported by `troupe run --intercept`, not by a hook in the host's settings. Left out of all others. */
  readonly via?: 'intercept';
  /** The hash of the line before; the first line has 64 zeros. */
  readonly prev: string;
  /** SHA-256 over this line without its hash. */
  readonly hash: string;
}

export interface SessionStart {
  /** `HOST:SESSION:AGENT`, with `:CALL` where that is known. Null: it may be one of several, or nobody knows. */
  readonly agent: string | null;
  /** Labels, from the topmost agent down; `?`: there is one more, and nobody knows which. */
  readonly path: readonly string[];
}

/** Which lines are wanted; what is left out filters nothing. */
export interface AuditFilter {
  /** The beginning of an agent's id, its name, its label, or `main`, `subagent`, `unknown`. */
  readonly agent?: string;
  readonly type?: string;
  readonly decision?: AuditDecision;
  readonly tool?: string;
  /** The beginning of the host's id. */
  readonly session?: string;
  /** Epoch milliseconds, both included. */
  readonly since?: number;
  readonly until?: number;
}

export interface AuditPage {
  /** Oldest first. */
  readonly entries: readonly AuditEntry[];
  /** There are older ones that match. */
  readonly hasMore: boolean;
  /** Lines on the way that could not be read. */
  readonly badLines: number;
}

export interface AuditCheck {
  readonly entries: number;
  readonly files: number;
  readonly firstN: number | null;
  readonly lastN: number | null;
  readonly problems: readonly { readonly file: string; readonly line: number; readonly what: string }[];
}

/** A line of the audit on its way to a screen: without what the tool was given, which may be long. */
export type HeardCall = Omit<AuditEntry, 'input'>;

/** Whether a line of the audit is wanted: everything that is asked for holds. Names are compared without case. */
export function matchesFilter(entry: HeardCall, filter: AuditFilter): boolean {
  const { agent, type, decision, tool, session, since, until } = filter;
  const at = Date.parse(entry.at);
  return (
    (agent === undefined || isAgent(entry, agent)) &&
    (type === undefined || isSame(entry.agent.type, type)) &&
    (decision === undefined || entry.decision === decision) &&
    (tool === undefined || isSame(entry.tool, tool)) &&
    (session === undefined || (entry.session?.startsWith(session) ?? false)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until)
  );
}

function isAgent({ agent: { id, name, who, path } }: HeardCall, wanted: string): boolean {
  return (id?.startsWith(wanted) ?? false) || [name, path.at(-1) ?? null, who].some((is) => isSame(is, wanted));
}

function isSame(is: string | null, wanted: string): boolean {
  return is?.toLowerCase() === wanted.toLowerCase();
}

/** Every tool call in every transcript of a session, held against what the hooks heard of. */
export interface CoverageReport {
  readonly sessionId: string;
  readonly title: string | null;
  /** Calls that ran or were asked about; `heard` of them passed a hook. */
  readonly ran: number;
  readonly heard: number;
  readonly missed: readonly CoveredCall[];
  /** The host refused them before any hook: no guard could have heard of them. */
  readonly neverRan: readonly CoveredCall[];
  /** Neither a hook nor a result: whether they ran is not known. */
  readonly unresolved: readonly CoveredCall[];
  /** Hooks that did not say which call they were about, as those of old versions do not: they prove nothing here. */
  readonly unnamed: number;
  /** Calls about whose agent the sources disagreed. */
  readonly doubted: number;
  /** Calls that were judged without knowing every agent above them. */
  readonly gaps: number;
  readonly agents: readonly AgentCoverage[];
}

export interface CoveredCall {
  readonly call: string;
  readonly tool: string | null;
  readonly summary: string | null;
  readonly at: string | null;
  readonly agentId: string | null;
  /** From the main agent down, by their labels. */
  readonly path: readonly string[];
  /** The host's words, where it refused or failed. */
  readonly reason: string | null;
}

export interface AgentCoverage {
  readonly agentId: string;
  readonly path: readonly string[];
  readonly type: string | null;
  readonly ran: number;
  readonly heard: number;
}

type Verdict = 'heard' | 'missed' | 'neverRan' | 'unresolved';

export function computeCoverage(
  tree: SessionTree,
  ledger: SessionLedger,
  isHeard: (call: string) => boolean,
  { unnamed = 0, doubted = 0, gaps = 0 }: Partial<Pick<CoverageReport, 'unnamed' | 'doubted' | 'gaps'>> = {},
): CoverageReport {
  const ownerOf = createOwnerOf(ledger);
  const pathOf = (agent: AgentNode): readonly string[] =>
    selectPath(tree, agent.id).map((one) => (one.kind === 'main' ? 'main' : labelOf(one)));
  const byId = new Map(tree.agents.map((agent) => [agent.id, { agent, path: pathOf(agent) }]));
  const counts = new Map<string, { ran: number; heard: number }>();
  const lists: Record<Verdict, CoveredCall[]> = { heard: [], missed: [], neverRan: [], unresolved: [] };
  const calls = [...ledger.calls.values()].filter(({ started }) => started !== undefined).sort(byStart);
  for (const call of calls) {
    const owner = ownerOf(call.agents);
    const { agent, path = [] } = (owner === undefined ? undefined : byId.get(owner)) ?? {};
    const verdict = verdictOf(call, isHeard);
    lists[verdict].push({
      call: call.id,
      tool: orNull(call.started?.value.tool),
      summary: orNull(call.started?.value.summary),
      at: isoTime(call.started?.at),
      agentId: agent === undefined ? null : nativeId(agent.id),
      path,
      reason: orNull(call.ended?.value.reason),
    });
    if (!agent || verdict === 'neverRan' || verdict === 'unresolved') continue;
    const count = getOrAdd(counts, agent.id, () => ({ ran: 0, heard: 0 }));
    count.ran++;
    if (verdict === 'heard') count.heard++;
  }
  const { heard, missed, neverRan, unresolved } = lists;
  return {
    sessionId: nativeId(tree.id),
    title: orNull(tree.title),
    ran: heard.length + missed.length,
    heard: heard.length,
    missed,
    neverRan,
    unresolved,
    unnamed,
    doubted,
    gaps,
    agents: [...byId.values()].flatMap(({ agent, path }) => {
      const count = counts.get(agent.id);
      return count ? [{ agentId: nativeId(agent.id), path, type: orNull(agent.type), ...count }] : [];
    }),
  };
}

function verdictOf({ id, started, ended }: CallRecord, isHeard: (call: string) => boolean): Verdict {
  if (isHeard(started?.value.heardAs ?? id)) return 'heard';
  if (!ended) return 'unresolved';
  return ended.value.unrun ? 'neverRan' : 'missed';
}

function byStart(a: CallRecord, b: CallRecord): number {
  return (a.started?.at ?? 0) - (b.started?.at ?? 0) || (a.id < b.id ? -1 : 1);
}
