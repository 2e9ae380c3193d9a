// Session, tree and agents as JSON (`troupe ls --json`, `troupe tree --json`).

import { getOrAdd } from '../../lib/group.ts';
import { DIAGNOSTICS, type DiagnosticCount, EVIDENCE } from '../events.ts';
import { type AgentId, hostOf, nativeId, type SessionId } from '../ids.ts';
import type { SpawnLink } from '../link.ts';
import type { OpenedSession, SessionListing } from '../ports.ts';
import {
  type AgentNode,
  isBusy,
  labelOf,
  needsPerson,
  type Run,
  type SessionTree,
  selectAgents,
  selectIsLowerBound,
  selectMain,
  selectSessionStatus,
  selectTotalByModel,
  selectTotalUsage,
  selectUnattributedUsage,
  type WaitingOn,
} from '../tree.ts';
import { contextOf } from '../usage.ts';
import { computeCost, contextWindowOf } from './prices.ts';
import type {
  AgentReport,
  DiagnosticReport,
  EvidenceReport,
  NeedReport,
  RunReport,
  SessionReport,
  SessionsReport,
  TreeReport,
} from './shapes.ts';

/** `troupe tree --json`. */
export function computeTree(
  { tree, ignoredFiles }: Pick<OpenedSession, 'tree' | 'ignoredFiles'>,
  options: { readonly internal: boolean },
): TreeReport {
  const hues = computeHues(tree.agents);
  return {
    session: computeSession(tree),
    agents: selectAgents(tree, options).map((agent) => computeAgent(agent, tree.id, hues.get(agent.id))),
    diagnostics: {
      total: tree.diagnostics.reduce((sum, { count }) => sum + count, 0),
      ignoredFiles,
      items: tree.diagnostics.map(computeDiagnostic),
    },
  };
}

function computeDiagnostic({ code, severity, count, examples }: DiagnosticCount): DiagnosticReport {
  return {
    code,
    severity,
    text: DIAGNOSTICS[code].text,
    count,
    examples: examples.map(({ detail, origin }) => ({
      detail,
      source: orNull(origin?.source),
      offset: orNull(origin?.offset),
      length: orNull(origin?.length),
    })),
  };
}

/** `troupe ls --json`. */
export function computeSessions(listing: SessionListing): SessionsReport {
  const { trees, total, more, emptySessions, ignoredFiles } = listing;
  return { sessions: trees.map(computeSession), total, more, emptySessions, ignoredFiles };
}

/** One session as JSON, without its agents. `agents` and `running` leave out those the host started for itself. */
export function computeSession(tree: SessionTree): SessionReport {
  const agents = selectAgents(tree);
  const isLowerBound = selectIsLowerBound(tree);
  return {
    id: nativeId(tree.id),
    host: hostOf(tree.id),
    hostTitle: tree.hostTitle ?? hostOf(tree.id),
    hostVersion: orNull(tree.hostVersion),
    project: projectOf(tree.cwd),
    cwd: orNull(tree.cwd),
    branch: orNull(tree.branch),
    title: orNull(tree.title),
    status: selectSessionStatus(tree),
    waitingOn: orNull(selectMain(tree)?.waitingOn),
    needsYou: agents
      .filter(needsPerson)
      .map((agent) => computeNeed({ id: nativeId(agent.id), label: labelOf(agent), waitingOn: agent.waitingOn })),
    agents: agents.length,
    running: agents.filter(isBusy).length,
    internalAgents: tree.agents.length - agents.length,
    toolCallCount: addKnown(agents.map(({ toolCallCount }) => toolCallCount)),
    usage: selectTotalUsage(tree),
    unattributedUsage: orNull(selectUnattributedUsage(tree)),
    cost: computeCost(selectTotalByModel(tree), isLowerBound),
    forkedFrom: tree.forkedFrom === undefined ? null : nativeId(tree.forkedFrom),
    continuedFrom: tree.continuedFrom === undefined ? null : nativeId(tree.continuedFrom),
    inheritedUsage: orNull(tree.inheritedUsage),
    usageIsLowerBound: isLowerBound,
    startedAt: isoTime(tree.startedAt),
    lastActivityAt: isoTime(tree.lastActivityAt),
    problems: tree.diagnostics.filter(({ severity }) => severity !== 'info').reduce((sum, { count }) => sum + count, 0),
  };
}

/** Null if none of them is known. */
export function addKnown(counts: readonly (number | null | undefined)[]): number | null {
  const known = counts.filter((count) => count !== null && count !== undefined);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}

/** Of one that needs the person. */
export function computeNeed(
  agent: Pick<AgentReport, 'id' | 'label'> & { waitingOn: WaitingOn | null | undefined },
): NeedReport {
  return { id: agent.id, label: agent.label, waitingOn: agent.waitingOn === 'input' ? 'input' : 'permission' };
}

export function projectOf(cwd: string | undefined): string | null {
  return cwd === undefined ? null : (cwd.split(/[\\/]/).findLast((part) => part !== '') ?? cwd);
}

/** A node never changes, and what follows it live asks for the same ones again and again. */
const computed = new WeakMap<AgentNode, AgentReport>();

/** One agent as JSON. */
export function computeAgent(agent: AgentNode, session: SessionId, hue: number | undefined): AgentReport {
  const known = computed.get(agent);
  if (known && known.sessionId === nativeId(session) && known.hue === orNull(hue)) return known;
  const report = toReport(agent, session, hue);
  computed.set(agent, report);
  return report;
}

function toReport(agent: AgentNode, session: SessionId, hue: number | undefined): AgentReport {
  const { contextTokens, lastRequest } = agent;
  return {
    id: nativeId(agent.id),
    host: hostOf(agent.id),
    sessionId: nativeId(session),
    ownSessionId: nativeId(agent.session ?? session),
    parentId: agent.link.parent === undefined ? null : nativeId(agent.link.parent),
    depth: orNull(agent.depth),
    kind: agent.kind,
    type: orNull(agent.type),
    name: orNull(agent.name),
    description: orNull(agent.description),
    label: labelOf(agent),
    slug: orNull(agent.slug),
    hue: orNull(hue),
    status: agent.status,
    waitingOn: orNull(agent.waitingOn),
    stalled: agent.stalled,
    activity: agent.activity,
    currentTool: orNull(agent.currentTool?.tool),
    currentToolSummary: orNull(agent.currentTool?.summary),
    evidence: agent.kind === 'main' ? null : computeEvidence(agent.link),
    toolUseId: orNull(agent.link.call),
    parentToolUseId: orNull(agent.link.call),
    background: orNull(agent.background),
    internal: orNull(agent.internal),
    group: agent.group ? { id: agent.group.id, kind: agent.group.kind, name: orNull(agent.group.name) } : null,
    toolCallCount: orNull(agent.toolCallCount),
    messageCount: orNull(agent.messageCount),
    tokensUsed: lastRequest ? contextOf(lastRequest) + lastRequest.output : null,
    contextTokens: orNull(contextTokens),
    contextWindow: agent.contextWindow ?? contextWindowOf(agent.model, contextTokens),
    compactions: agent.compactions,
    model: orNull(agent.model),
    effort: orNull(agent.effort),
    provider: orNull(agent.provider),
    deniedTools: agent.deniedTools ?? [],
    usage: orNull(agent.usage),
    inheritedUsage: orNull(agent.inheritedUsage),
    usageIsLowerBound: agent.usageIsLowerBound,
    subtreeUsage: agent.subtreeUsage,
    subtreeIsLowerBound: agent.subtreeIsLowerBound,
    cost: agent.usage ? computeCost(agent.usageByModel, agent.usageIsLowerBound) : null,
    subtreeCost: computeCost(agent.subtreeByModel, agent.subtreeIsLowerBound),
    cwd: orNull(agent.cwd),
    branch: orNull(agent.branch),
    worktree: orNull(agent.worktree),
    runs: agent.runs.map(computeRun),
    changes: agent.changes.map(({ status, signal, at, reason }) => ({
      status,
      signal,
      at: isoTime(at),
      reason: orNull(reason),
    })),
    startedAt: isoTime(agent.startedAt),
    lastActivityAt: isoTime(agent.lastActivityAt),
    completedAt: isoTime(agent.completedAt),
    transcripts: agent.sources,
  };
}

function computeEvidence({ rank, evidence, candidates }: SpawnLink): EvidenceReport {
  return {
    rank,
    source: orNull(evidence),
    text: evidence ? EVIDENCE[evidence].text : 'nothing says who asked for it',
    candidates,
  };
}

function computeRun({ call, startedAt, endedAt, status, signal, reason }: Run): RunReport {
  return {
    toolUseId: orNull(call),
    status,
    signal,
    reason: orNull(reason),
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
  };
}

/** Number of agent colours. core/text/layout.ts, export/pages/document.ts and web/src/styles/tokens.css have a list of this length. */
export const HUES = 12;

/** Far apart on the wheel, one after the other: what a sibling takes whose own colour is gone. */
const STEP = 5;

/**
 * One colour per agent, the same in every UI and after a restart: from its id, and where an elder sibling has that
 * one already, the next that is free. The main agent is neutral.
 */
export function computeHues(agents: readonly AgentNode[]): ReadonlyMap<AgentId, number> {
  const hues = new Map<AgentId, number>();
  const takenBelow = new Map<AgentId | undefined, Set<number>>();
  for (const { id, kind, link } of agents) {
    if (kind === 'main') continue;
    const taken = getOrAdd(takenBelow, link.parent, () => new Set());
    let hue = hash(id) % HUES;
    for (let tries = 0; taken.has(hue) && tries < HUES; tries++) hue = (hue + STEP) % HUES;
    taken.add(hue);
    hues.set(id, hue);
  }
  return hues;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 2166136261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}

/** ISO 8601, UTC; null where the time is not known. */
export function isoTime(at: number | undefined): string | null {
  return at === undefined || at === 0 ? null : new Date(at).toISOString();
}

/** What is not known is null in JSON: never 0, never left out. */
export function orNull<T>(value: T | undefined): T | null {
  return value === undefined ? null : value;
}
