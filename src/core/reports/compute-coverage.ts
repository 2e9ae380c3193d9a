import { nativeId } from '../ids.ts';
import type { CallRecord, SessionLedger } from '../ledger.ts';
import { createOwnerOf } from '../owner.ts';
import { selectPath } from '../select.ts';
import type { AgentNode, SessionTree } from '../tree.ts';
import { isoTime, orNull } from './json-values.ts';
import { labelOf } from './label.ts';

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
  unnamed = 0,
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
    const count = counts.get(agent.id) ?? { ran: 0, heard: 0 };
    counts.set(agent.id, count);
    count.ran++;
    if (verdict === 'heard') count.heard++;
  }
  return {
    sessionId: nativeId(tree.id),
    title: orNull(tree.title),
    ran: lists.heard.length + lists.missed.length,
    heard: lists.heard.length,
    missed: lists.missed,
    neverRan: lists.neverRan,
    unresolved: lists.unresolved,
    unnamed,
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
