// The JSON that leaves troupe, as types. The names are a contract (docs/JSON.md): add, never rename.

import type { AgentKind, DiagnosticCode, EvidenceRank, EvidenceSource, GroupKind, Severity } from '../events.ts';
import type { QuerySubject } from '../query.ts';
import type { Activity, AgentStatus, StatusSignal, WaitingOn } from '../tree.ts';
import type { CostReport } from './prices.ts';
import type { TextIndexReport } from './search.ts';

/** What is not known is null: never 0, never left out. Times are ISO 8601, UTC. Ids are the host's own. */
/** Of `troupe index`. */
export interface IndexReport {
  readonly file: string;
  readonly state: 'on' | 'off' | 'unusable';
  /** Why it cannot be used. */
  readonly problem: string | null;
  readonly bytes: number;
  /** Those that need not be read again. */
  readonly indexedSessions: number;
  readonly sessions: number;
  /** The index of what was said and done in them, for `troupe search`. */
  readonly text: TextIndexReport;
}

export interface SessionReport {
  readonly id: string;
  readonly host: string;
  /** The same, as people write it. */
  readonly hostTitle: string;
  readonly hostVersion: string | null;
  readonly project: string | null;
  readonly cwd: string | null;
  readonly branch: string | null;
  readonly title: string | null;
  readonly status: AgentStatus;
  readonly waitingOn: WaitingOn | null;
  /** Those in it that cannot go on without a word of the person, main or not: the status does not tell. */
  readonly needsYou: readonly NeedReport[];
  /** Agents that were asked for, main included. */
  readonly agents: number;
  readonly running: number;
  readonly internalAgents: number;
  /** Of the agents that were asked for; null if no transcript of theirs is there. */
  readonly toolCallCount: number | null;
  readonly usage: UsageReport;
  /** Of `usage`, what belongs to no agent, by the host's own totals: titles, summaries. */
  readonly unattributedUsage: UsageReport | null;
  readonly cost: CostReport;
  readonly forkedFrom: string | null;
  readonly continuedFrom: string | null;
  readonly inheritedUsage: UsageReport | null;
  readonly usageIsLowerBound: boolean;
  readonly startedAt: string | null;
  readonly lastActivityAt: string | null;
  readonly problems: number;
}

/** A session in the list of all. */
export interface ListedSession {
  readonly id: string;
  readonly host: string;
  readonly hostTitle: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly title: string | null;
  readonly status: AgentStatus | null;
  readonly waitingOn: WaitingOn | null;
  /** Main included; null if the session was not read yet. */
  readonly agents: number | null;
  /** Of the agents: those at work, those that need the person, those without a sign of life, those that failed. */
  readonly running: number;
  readonly needsYou: number;
  readonly silent: number;
  readonly failed: number;
  readonly outputTokens: number | null;
  readonly usd: number | null;
  readonly costIsLowerBound: boolean;
  readonly startedAt: string | null;
  readonly lastActivityAt: string | null;
  /** From its beginning to its last activity. */
  readonly durationMs: number | null;
  /** false: known by its files only, and not by what they hold. */
  readonly isRead: boolean;
}

/** A session in the list, and what filters are held against. */
export interface SessionListEntry {
  readonly session: ListedSession;
  readonly subject: QuerySubject;
}

export interface NeedReport {
  readonly id: string;
  readonly label: string;
  readonly waitingOn: 'permission' | 'input';
}

export interface UsageReport {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

export interface AgentReport {
  readonly id: string;
  readonly host: string;
  /** Of the tree that it stands in. */
  readonly sessionId: string;
  /** The session that it belongs to: another one where a command started that, of whichever host. */
  readonly ownSessionId: string;
  readonly parentId: string | null;
  readonly depth: number | null;
  readonly kind: AgentKind;
  readonly type: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly label: string;
  readonly slug: string | null;
  /** 0 to 11: its colour in every UI. */
  readonly hue: number | null;
  readonly status: AgentStatus;
  readonly waitingOn: WaitingOn | null;
  readonly stalled: boolean;
  readonly activity: Activity;
  readonly currentTool: string | null;
  readonly currentToolSummary: string | null;
  readonly evidence: EvidenceReport | null;
  /** The call that made it; `parentToolUseId` is the same by another name. */
  readonly toolUseId: string | null;
  readonly parentToolUseId: string | null;
  readonly background: boolean | null;
  readonly internal: string | null;
  readonly group: GroupReport | null;
  readonly toolCallCount: number | null;
  readonly messageCount: number | null;
  readonly tokensUsed: number | null;
  readonly contextTokens: number | null;
  readonly contextWindow: number | null;
  readonly compactions: number;
  readonly model: string | null;
  readonly effort: string | null;
  /** Whose model it is, where the host works with several. */
  readonly provider: string | null;
  /** Tools that it may not use, where the host says it of this very agent. */
  readonly deniedTools: readonly string[];
  readonly usage: UsageReport | null;
  readonly inheritedUsage: UsageReport | null;
  readonly usageIsLowerBound: boolean;
  readonly subtreeUsage: UsageReport;
  readonly subtreeIsLowerBound: boolean;
  /** Of its own requests; null where no transcript of it is there. */
  readonly cost: CostReport | null;
  readonly subtreeCost: CostReport;
  readonly cwd: string | null;
  readonly branch: string | null;
  readonly worktree: string | null;
  readonly runs: readonly RunReport[];
  readonly changes: readonly ChangeReport[];
  readonly startedAt: string | null;
  readonly lastActivityAt: string | null;
  readonly completedAt: string | null;
  readonly transcripts: readonly string[];
}

export interface EvidenceReport {
  readonly rank: EvidenceRank;
  readonly source: EvidenceSource | null;
  readonly text: string;
  /** Calls that may have made it, where no single one can be named. */
  readonly candidates: readonly string[];
}

export interface GroupReport {
  readonly id: string;
  readonly kind: GroupKind;
  readonly name: string | null;
}

export interface RunReport {
  readonly toolUseId: string | null;
  readonly status: AgentStatus;
  readonly signal: StatusSignal;
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export interface ChangeReport {
  readonly status: AgentStatus;
  readonly signal: StatusSignal;
  readonly at: string | null;
  readonly reason: string | null;
}

export interface SessionsReport {
  readonly sessions: readonly SessionReport[];
  /** Those that pass the filters, listed or not; left out if nothing was filtered, sorted or grouped. */
  readonly matching?: number;
  /** How many there are, listed or not; also those that are in another one's tree, without those that are empty. */
  readonly total: number;
  /** How many of them, or of those that match, are neither listed nor in the tree of one that is. */
  readonly more: number;
  /** Sessions without a conversation. They are listed only with `--empty`. */
  readonly emptySessions: number;
  readonly ignoredFiles: number;
}

export interface TreeReport {
  readonly session: SessionReport;
  /** Main first, in spawn order. */
  readonly agents: readonly AgentReport[];
  readonly diagnostics: DiagnosticsReport;
}

export interface DiagnosticsReport {
  readonly total: number;
  readonly ignoredFiles: number;
  readonly items: readonly DiagnosticReport[];
}

export interface DiagnosticReport {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly text: string;
  readonly count: number;
  readonly examples: readonly {
    readonly detail: string;
    readonly source: string | null;
    readonly offset: number | null;
    readonly length: number | null;
  }[];
}

export interface IdentityReport extends IdentifiedReport {
  readonly agent_type: 'main' | 'subagent' | 'unknown';
  readonly agent_path: readonly string[];
  readonly session_id: string | null;
  readonly evidence: {
    readonly rank: 'exact' | 'guess' | 'none';
    readonly source: 'tool-call' | 'own-transcript' | 'hook' | 'open-call' | null;
  };
  readonly reason: string | null;
  readonly candidates: readonly IdentifiedReport[];
}

export interface IdentifiedReport {
  readonly subagent_name: string | null;
  readonly subagent_description: string | null;
  readonly tool_use_id: string | null;
  readonly agent_id: string | null;
}
