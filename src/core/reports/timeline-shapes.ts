// The JSON of a session over time (docs/API.md). The names are a contract: add, never rename.
import type { CallOutcome } from '../event.ts';

/** What happened when, agent by agent: enough to draw a timeline, and to say how things stood at any moment. */
export interface TimelineReport {
  readonly sessionId: string;
  readonly host: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** In the order of the tree. */
  readonly agents: readonly TimelineAgent[];
}

export interface TimelineAgent {
  readonly id: string;
  /** In the order in which they began. */
  readonly calls: readonly TimelineCall[];
  /** One for each reply of the model. */
  readonly replies: readonly TimelineReply[];
  readonly compactions: readonly TimelineCompaction[];
}

export interface TimelineCall {
  readonly id: string;
  readonly tool: string;
  readonly summary: string | null;
  /** The file that it writes, where the host says so. */
  readonly writes: string | null;
  readonly startedAt: string | null;
  /** null: it has no result. */
  readonly endedAt: string | null;
  readonly outcome: CallOutcome | null;
  /** It asks for an agent, whether or not one can be named. */
  readonly asksForAgent: boolean;
  /** The agent that it made. */
  readonly spawned: string | null;
}

export interface TimelineReply {
  readonly at: string | null;
  readonly model: string | null;
  /** What the request filled of the context. */
  readonly contextTokens: number;
  readonly output: number;
}

export interface TimelineCompaction {
  readonly at: string | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
}
