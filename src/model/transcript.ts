/**
 * A conversation with its bodies, in the names that exported JSON keeps (snake case, as published). Read from the
 * host's own files by byte range when somebody looks; never kept in a tree.
 */
export interface Transcript {
  /** The agent's own id; for the main agent the session's. */
  readonly session_id: string;
  readonly parent_session_id: string | null;
  readonly agent: string;
  readonly model: string | null;
  readonly title: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly usage: TranscriptUsage | null;
  readonly messages: readonly TranscriptMessage[];
  readonly sub_agents: readonly Transcript[];
}

export interface TranscriptUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

export interface TranscriptMessage {
  readonly id: string;
  /** `system`: the host speaking in the user's place: notices, reminders, summaries. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly timestamp: string | null;
  readonly model: string | null;
  readonly content: readonly TranscriptBlock[];
}

export type TranscriptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly tool_use_id: string;
      readonly name: string;
      readonly input: unknown;
      /** One line that says what the call does. */
      readonly summary: string | null;
      readonly sub_agent_ref?: SubAgentRef;
    }
  /** Behind its call, in the same message. */
  | { readonly type: 'tool_result'; readonly tool_use_id: string; readonly text: string; readonly is_error: boolean }
  /** Something that is not text: an image, a document. */
  | { readonly type: 'attachment'; readonly media_type: string };

/** On the call that made a sub-agent: the door into its transcript. */
export interface SubAgentRef {
  readonly agent_id: string;
  readonly agent_name: string | null;
  readonly agent_type: string | null;
  readonly team_name: string | null;
}
