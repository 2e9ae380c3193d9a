// The JSON of the live feed (docs/API.md). The names are a contract: add, never rename.
import type { Ask } from '../approval.ts';
import type { Activity } from '../tree.ts';
import type { AuditEntry } from './audit-shapes.ts';
import type { AgentReport, DiagnosticsReport, SessionReport } from './shapes.ts';

/** A session with what its main agent is doing, without its agents. */
export interface LiveSessionReport extends SessionReport {
  readonly activity: Activity;
  readonly currentTool: string | null;
  readonly currentToolSummary: string | null;
}

/** A session with its agents. */
export interface SessionDetail extends LiveSessionReport {
  readonly main: AgentReport;
  /** In the order of the tree: children behind their parent, as they were asked for; orphans last. */
  readonly subagents: readonly AgentReport[];
  readonly diagnostics: DiagnosticsReport;
}

/** A session that nobody has looked at, from before the window: listed, not read. */
export interface OlderSession {
  readonly id: string;
  readonly host: string;
  /** Of its newest file. */
  readonly modifiedAt: string | null;
  readonly files: number;
}

/** Everything that is followed, at one moment. */
export interface LiveSnapshot {
  /** Last active first. */
  readonly sessions: readonly SessionDetail[];
  /** Newest first; the first few hundred. */
  readonly older: readonly OlderSession[];
  /** How many there are of them in all. */
  readonly olderTotal: number;
  /** Files in the places looked at that no adapter knows. */
  readonly ignoredFiles: number;
  /** Where is looked. */
  readonly places: readonly string[];
  /** false: sessions are still being read for the first time. */
  readonly isComplete: boolean;
  /** What hinders following, in words: the system's limit of file watches is reached. */
  readonly notices: readonly string[];
  /** Calls that wait for a person's answer, and the last few that did; oldest first. None where no server holds them. */
  readonly asks: readonly Ask[];
}

/** What became different in one session. What is left as it was is null or not listed. */
export interface SessionChange {
  readonly sessionId: string;
  readonly host: string;
  readonly session: LiveSessionReport | null;
  /** New or changed, whole; the main agent, too. */
  readonly agents: readonly AgentReport[];
  /** Ids of agents that are none any more. */
  readonly removed: readonly string[];
  /** Ids of all its agents, main first, where who is there or their order changed. */
  readonly order: readonly string[] | null;
  readonly diagnostics: DiagnosticsReport | null;
  /** Files that were read on, whether or not it changed anything else. */
  readonly sources: readonly SourceProgressReport[];
}

export interface SourceProgressReport {
  /** As in `transcripts` of an agent. */
  readonly source: string;
  /** Its agent; null where it is nobody's own. */
  readonly agentId: string | null;
  /** Read so far, a torn last line not counted. */
  readonly bytes: number;
}

/** A session that is not followed any more: its files are gone, or it has become one of the older ones. */
export interface SessionGone {
  readonly sessionId: string;
  readonly host: string;
}

export interface ListingChange {
  readonly older: readonly OlderSession[];
  readonly olderTotal: number;
  readonly ignoredFiles: number;
  readonly isComplete: boolean;
  readonly notices: readonly string[];
}

export type LiveEvent =
  | { readonly type: 'snapshot'; readonly data: LiveSnapshot }
  | { readonly type: 'change'; readonly data: SessionChange }
  | { readonly type: 'gone'; readonly data: SessionGone }
  | { readonly type: 'listing'; readonly data: ListingChange }
  | { readonly type: 'ask'; readonly data: Ask };

/** A line of the audit on its way to a screen: without what the tool was given, which may be long. */
export type HeardCall = Omit<AuditEntry, 'input'>;

/** What the server's stream has beside the feed. */
export interface AuditEvent {
  readonly type: 'audit';
  readonly data: HeardCall;
}
