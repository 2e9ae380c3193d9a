import type { EvidenceRank, EvidenceSource, StatusSignal } from '../../core/index.ts';

/**
 * What `troupe stream` writes, one object a line. Names are snake_case, as in the streams they come from. What is not known is
 * null. `at` is when troupe learned of it. Names are added, never changed (schemas/stream-event.schema.json).
 */
export type StreamEvent =
  | SessionStarted
  | SubagentSpawned
  | SubagentIdentified
  | SubagentResumed
  | SubagentProgress
  | SubagentEnded
  | TurnResult
  | StreamEnded;

interface EventBase {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Null as long as the host has not said it. */
  readonly session_id: string | null;
}

export interface SessionStarted extends EventBase {
  readonly type: 'session_started';
  readonly host: string;
  readonly host_version: string | null;
  readonly cwd: string | null;
}

interface AboutAgent extends EventBase {
  /** Null where the host has not named it yet: `subagent_identified` does. */
  readonly agent_id: string | null;
  /** The call that made it. */
  readonly parent_tool_id: string | null;
}

/** It began. Comes before anything that it does. */
export interface SubagentSpawned extends AboutAgent {
  readonly type: 'subagent_spawned';
  readonly prompt: string | null;
  /** No more than the first line of it is known. */
  readonly prompt_is_cut: boolean;
  readonly subagent_type: string | null;
  readonly name: string | null;
  readonly description: string | null;
  /** The main agent's is the session's. */
  readonly parent_agent_id: string | null;
  readonly depth: number | null;
  readonly background: boolean | null;
  readonly evidence: { readonly rank: EvidenceRank; readonly source: EvidenceSource | null };
}

export interface SubagentIdentified extends AboutAgent {
  readonly type: 'subagent_identified';
  readonly agent_id: string;
}

/** It was set to work again after it had ended. */
export interface SubagentResumed extends AboutAgent {
  readonly type: 'subagent_resumed';
  /** The call that woke it. */
  readonly tool_id: string | null;
  readonly prompt: string | null;
  /** Its second run is 2. */
  readonly run: number;
}

export interface SubagentProgress extends AboutAgent {
  readonly type: 'subagent_progress';
  readonly run: number;
  /** What it is at; null between two calls. */
  readonly tool: string | null;
  readonly tool_id: string | null;
  readonly summary: string | null;
  /** Calls so far. */
  readonly tool_calls: number | null;
}

/** One for each run. `lost`: nobody said how it ended, and its program is gone or went on without it. */
export interface SubagentEnded extends AboutAgent {
  readonly type: 'subagent_completed' | 'subagent_failed' | 'subagent_stopped' | 'subagent_lost';
  readonly run: number;
  /** Who said so. */
  readonly signal: StatusSignal;
  readonly reason: string | null;
  readonly duration_ms: number | null;
  readonly tool_calls: number | null;
}

/** The program says that a turn is over. There may be more: an agent in the background wakes the main agent. */
export interface TurnResult extends EventBase {
  readonly type: 'result';
  readonly is_error: boolean;
  readonly result: string | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
}

/** The last event. */
export interface StreamEnded extends EventBase {
  readonly type: 'stream_ended';
  readonly lines: number;
  /** Not understood as JSON, or torn: passed on, and read over. */
  readonly malformed_lines: number;
  readonly subagents: number;
}
