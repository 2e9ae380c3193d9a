/**
 * A conversation with its bodies, in the names that exported JSON keeps (snake case, as published). Read from the
 * host's own files by byte range when somebody looks; never kept in a tree. What is not known is null.
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
  readonly author: TranscriptAuthor | null;
  readonly usage: TranscriptUsage | null;
  /** Null where it changed no file, or only a part of the conversation was read. */
  readonly diff_stats: DiffStats | null;
  readonly known_from: KnownFrom;
  /** Records of kinds that this version does not know, by kind: they are not in `messages`. */
  readonly left_out: Readonly<Record<string, number>>;
  readonly messages: readonly TranscriptMessage[];
  readonly sub_agents: readonly Transcript[];
}

/**
 * `transcript`: its own lines. `parent`: they are gone; what is there is the prompt and the result that its parent's
 * call holds. `nothing`: not even that.
 */
export type KnownFrom = 'transcript' | 'parent' | 'nothing';

/** Personal data: whoever shares a transcript decides about it. */
export interface TranscriptAuthor {
  readonly name: string | null;
  readonly email: string | null;
}

export interface TranscriptUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

/** Lines that its calls added and removed. */
export interface DiffStats {
  readonly added: number;
  readonly removed: number;
  /** In the order in which they were first changed. */
  readonly files: readonly FileChange[];
}

export interface FileChange {
  readonly path: string;
  /** Null where nobody says how the file was before. */
  readonly added: number | null;
  readonly removed: number | null;
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
  | ToolUseBlock
  | ToolResultBlock
  | NoticeBlock
  /** What the host put in the place of everything before it. */
  | { readonly type: 'summary'; readonly text: string }
  | MediaBlock;

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly tool_use_id: string;
  readonly name: string;
  readonly input: unknown;
  /** One line that says what the call does. */
  readonly summary: string | null;
  readonly sub_agent_ref?: SubAgentRef;
  /** All of them, where the call made more than one: a workflow. The first is `sub_agent_ref`. */
  readonly sub_agent_refs?: readonly SubAgentRef[];
}

/** Behind its call, in the same message. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly text: string;
  readonly is_error: boolean;
  /** Left out where it is text only. */
  readonly media?: readonly MediaBlock[];
  /** What the call changed; left out where it changed no file. */
  readonly changes?: readonly FileChange[];
}

/** What the program around an agent says in its conversation, or hands over. */
export interface NoticeBlock {
  readonly type: 'notice';
  readonly kind: NoticeKind;
  /** In a line. */
  readonly title: string | null;
  /** What it says or hands over, without the host's marks around it; may be empty. */
  readonly text: string;
  /** The agent that it tells about. */
  readonly agent_id: string | null;
}

export type NoticeKind =
  /** Something in the background has news: a sub-agent or a command came to its end. */
  | 'background'
  /** From another agent of the team. */
  | 'message'
  /** Put in front of the agent by its host, again and again. */
  | 'reminder'
  /** A command to the host itself that the person typed, and what it answered. */
  | 'command'
  | 'command-output'
  | 'interruption'
  | 'compaction'
  /** Anything else that no person and no agent said. */
  | 'note';

/** Something that is not text. */
export type MediaBlock = ImageBlock | AttachmentBlock;

export interface ImageBlock {
  readonly type: 'image';
  readonly media_type: string;
  /** Base64; null where it was not asked for, or lies elsewhere. */
  readonly data: string | null;
  /** Of the image itself, not of its base64. */
  readonly bytes: number | null;
}

/** A document, or content of a kind that this version does not know. */
export interface AttachmentBlock {
  readonly type: 'attachment';
  readonly media_type: string;
  readonly name: string | null;
  readonly bytes: number | null;
}

/** On the call that made a sub-agent: the door into its transcript. */
export interface SubAgentRef {
  readonly agent_id: string;
  readonly agent_name: string | null;
  readonly agent_type: string | null;
  readonly team_name: string | null;
}

/** An agent whose transcript does not come along. */
export interface SkippedAgent {
  readonly agent_id: string;
  readonly kind: SkipKind;
  /** In words for people. */
  readonly reason: string;
}

/** `delivery`: its lines are of a message that stands in another transcript. */
export type SkipKind = 'internal' | 'delivery' | 'empty';
