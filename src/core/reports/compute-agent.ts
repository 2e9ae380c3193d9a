import { hostOf, nativeId, type SessionId } from '../ids.ts';
import { EVIDENCE, type SpawnLink } from '../link.ts';
import type { AgentNode, Run } from '../tree.ts';
import { contextOf, type Usage } from '../usage.ts';
import { computeCost } from './compute-cost.ts';
import { contextWindowOf } from './context-window.ts';
import { isoTime, orNull } from './json-values.ts';
import { labelOf } from './label.ts';
import type { AgentReport, EvidenceReport, RunReport, UsageReport } from './shapes.ts';

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
    usage: agent.usage ? computeUsage(agent.usage) : null,
    usageIsLowerBound: agent.usageIsLowerBound,
    subtreeUsage: computeUsage(agent.subtreeUsage),
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

export function computeUsage({ input, output, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h }: Usage): UsageReport {
  return { input, output, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h };
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
