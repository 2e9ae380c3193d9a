// What `runSession` yields, and what it takes. Public: names are added, never changed.

import type { StreamEvent } from '../sessions/index.ts';

export type SessionChunk = StreamEvent | AgentText | CallWaiting | CallSettled | SessionExited;

/** An agent has said something. Of sub-agents only where the program forwards it. */
export interface AgentText {
  readonly type: 'agent_text';
  readonly at: string;
  readonly text: string;
  /** Null: the main agent. Else the call that made the agent. */
  readonly parent_tool_id: string | null;
}

/** The program waits in front of a call until `answer` is called with this id. */
export interface CallWaiting {
  readonly type: 'call_waiting';
  readonly at: string;
  readonly id: string;
  readonly session_id: string | null;
  /** Null: the main agent, or a version that does not say whose call it is. */
  readonly agent_id: string | null;
  readonly agent_type: string | null;
  readonly tool: string;
  readonly tool_id: string | null;
  readonly input: unknown;
  /** The program would ask a person about it. */
  readonly is_question: boolean;
  /** From then on `otherwise` holds. */
  readonly expires_at: string;
}

/** A call waits no more. */
export interface CallSettled {
  readonly type: 'call_settled';
  readonly at: string;
  readonly id: string;
  /** `expiry`: no answer came in time. `withdrawn`: the program gave the call up, or ended. */
  readonly by: 'answer' | 'expiry' | 'withdrawn';
}

/** Last. */
export interface SessionExited {
  readonly type: 'session_exited';
  readonly at: string;
  readonly code: number | null;
  readonly signal: string | null;
}

export type CallDecision =
  /** `input` in place of the call's own. */
  | { readonly decision: 'allow'; readonly input?: unknown }
  | { readonly decision: 'deny'; readonly reason?: string }
  /** No opinion: the program goes on as if nobody had been asked; of a question, it is a no. */
  | { readonly decision: 'none' }
  /** What the agent is to see in place of the call's own result. */
  | { readonly decision: 'result'; readonly text: string; readonly is_error?: boolean };

export interface SessionConfig {
  /** The program and its arguments, as a person would type them; `['claude']` if left out. */
  readonly command?: readonly [string, ...string[]];
  /** The first message. */
  readonly prompt?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Which calls wait for `answer`: `questions`, about which the program would ask a person (this if left out), `all`, or `none`:
   * then what the program would ask about is denied.
   */
  readonly hold?: 'all' | 'questions' | 'none';
  /** How long a call waits, in milliseconds (ten minutes), and what holds then (`deny`). */
  readonly waitMs?: number;
  readonly otherwise?: 'allow' | 'deny';
  /** The session stays for further messages until `close`; left out, it ends when everything that was sent is done. */
  readonly keepOpen?: boolean;
  /** Also look at the files of the session, for what the stream does not carry (true). */
  readonly disk?: boolean;
  /** In place of the host's own data folders. */
  readonly roots?: readonly string[];
}

export interface RunningSession extends AsyncIterable<SessionChunk> {
  /** Another message of the person, to the main agent. */
  send(message: string): void;
  /** A message to a sub-agent: it reads it with its next call, or when it is about to end. False: it ended without. */
  tell(agentId: string, message: string): Promise<boolean>;
  /** Ends a sub-agent. False: this version of the program lets it go on. Rejects where the program refuses. */
  stop(agentId: string): Promise<boolean>;
  /** False where the call waits no more. */
  answer(id: string, decision: CallDecision): boolean;
  /** Ends the turn; the session stays where `keepOpen` says so. */
  interrupt(): Promise<void>;
  /** Ends the session, in the middle of a turn too, and gives how the program ended. */
  close(): Promise<SessionExited>;
}
