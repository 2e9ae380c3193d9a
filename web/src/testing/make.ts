import {
  type AgentReport,
  countAgents,
  type LiveSnapshot,
  type SessionDetail,
  type UsageReport,
} from '../../../src/core/index.ts';

// Agents and sessions for tests, with nothing known about them but what a test says.

export const NO_USAGE: UsageReport = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
};
const NO_COST = { usd: 0, isLowerBound: false, unpricedModels: [] };

export function makeAgent(over: Partial<AgentReport> = {}): AgentReport {
  return {
    id: 'a1',
    host: 'claude-code',
    sessionId: 's1',
    ownSessionId: over.sessionId ?? 's1',
    parentId: null,
    depth: null,
    kind: 'task',
    type: null,
    name: null,
    description: null,
    label: 'agent',
    slug: null,
    hue: null,
    status: 'running',
    waitingOn: null,
    stalled: false,
    activity: 'thinking',
    currentTool: null,
    currentToolSummary: null,
    evidence: null,
    toolUseId: null,
    parentToolUseId: null,
    background: null,
    internal: null,
    group: null,
    toolCallCount: null,
    messageCount: null,
    tokensUsed: null,
    contextTokens: null,
    contextWindow: null,
    compactions: 0,
    model: null,
    effort: null,
    provider: null,
    deniedTools: [],
    usage: null,
    inheritedUsage: null,
    usageIsLowerBound: true,
    subtreeUsage: NO_USAGE,
    subtreeIsLowerBound: true,
    cost: null,
    subtreeCost: NO_COST,
    cwd: null,
    branch: null,
    worktree: null,
    runs: [],
    changes: [],
    startedAt: null,
    lastActivityAt: null,
    completedAt: null,
    transcripts: [],
    ...over,
  };
}

/** A main agent that has come to its end, and the sub-agents that are given. */
export function makeSession(
  over: Partial<SessionDetail> = {},
  subagents: readonly Partial<AgentReport>[] = [],
): SessionDetail {
  const id = over.id ?? 's1';
  const main = makeAgent({ id, sessionId: id, kind: 'main', label: 'main', status: 'completed', activity: 'done' });
  const others = subagents.map((agent, index) =>
    makeAgent({ id: `a${index + 1}`, parentId: id, ...agent, sessionId: id }),
  );
  return {
    id,
    host: 'claude-code',
    hostTitle: 'Claude Code',
    hostVersion: null,
    project: null,
    cwd: null,
    branch: null,
    title: null,
    status: 'completed',
    waitingOn: null,
    ...countAgents([over.main ?? main, ...others]),
    internalAgents: 0,
    usage: NO_USAGE,
    unattributedUsage: null,
    cost: NO_COST,
    forkedFrom: null,
    continuedFrom: null,
    inheritedUsage: null,
    usageIsLowerBound: true,
    startedAt: null,
    lastActivityAt: null,
    problems: 0,
    activity: 'done',
    currentTool: null,
    currentToolSummary: null,
    main,
    subagents: others,
    diagnostics: { total: 0, ignoredFiles: 0, items: [] },
    ...over,
  };
}

export function makePicture(sessions: readonly SessionDetail[], over: Partial<LiveSnapshot> = {}): LiveSnapshot {
  return {
    sessions,
    older: [],
    olderTotal: 0,
    emptySessions: 0,
    ignoredFiles: 0,
    places: [],
    isComplete: true,
    notices: [],
    asks: [],
    ...over,
  };
}
