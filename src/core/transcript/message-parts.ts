import type {
  MediaBlock,
  NoticeBlock,
  SubAgentRef,
  ToolResultBlock,
  TranscriptBlock,
  TranscriptMessage,
} from '../index.ts';

/** What a message is read as, from top to bottom: a call and its result are one thing. */
export type MessagePart =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall; readonly result: CallResult | undefined }
  /** A result whose call is not in this message. */
  | { readonly kind: 'result'; readonly result: CallResult }
  | { readonly kind: 'notice'; readonly notice: NoticeBlock }
  /** What the host put in the place of everything before it. */
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'media'; readonly media: MediaBlock };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly summary: string | undefined;
  /** The agent that the call made; the first of them, where there are more. */
  readonly ref: SubAgentRef | undefined;
  readonly refs: readonly SubAgentRef[];
}

export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly media: readonly MediaBlock[];
}

const known = new WeakMap<TranscriptMessage, readonly MessagePart[]>();

/** Asked again for the same message, it gives the same. */
export function partsOf(message: TranscriptMessage): readonly MessagePart[] {
  const before = known.get(message);
  if (before) return before;
  const results = new Map<string, TranscriptBlock>();
  for (const block of message.content)
    if (block.type === 'tool_result' && !results.has(block.tool_use_id)) results.set(block.tool_use_id, block);
  const calls = new Set(message.content.flatMap((block) => (block.type === 'tool_use' ? block.tool_use_id : [])));
  const isShownWithCall = (block: TranscriptBlock): boolean =>
    block.type === 'tool_result' && calls.has(block.tool_use_id) && results.get(block.tool_use_id) === block;
  const parts = message.content
    .filter((block) => !isShownWithCall(block))
    .map((block) => toPart(block, resultIn(block.type === 'tool_use' ? results.get(block.tool_use_id) : undefined)));
  known.set(message, parts);
  return parts;
}

function toPart(block: TranscriptBlock, result: CallResult | undefined): MessagePart {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return { kind: block.type, text: block.text };
    case 'summary':
      return { kind: 'summary', text: block.text };
    case 'notice':
      return { kind: 'notice', notice: block };
    case 'image':
    case 'attachment':
      return { kind: 'media', media: block };
    case 'tool_use': {
      const { tool_use_id: id, name, input, summary, sub_agent_ref: ref } = block;
      const refs = block.sub_agent_refs ?? (ref ? [ref] : []);
      return { kind: 'call', call: { id, name, input, summary: summary ?? undefined, ref, refs }, result };
    }
    case 'tool_result':
      return { kind: 'result', result: toResult(block) };
  }
}

function resultIn(block: TranscriptBlock | undefined): CallResult | undefined {
  return block?.type === 'tool_result' ? toResult(block) : undefined;
}

function toResult({ text, is_error: isError, media = [] }: ToolResultBlock): CallResult {
  return { text, isError, media };
}

/** Something in it is still to come: a call without its result. */
export function isOpen({ content }: TranscriptMessage): boolean {
  const answered = new Set(content.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : [])));
  return content.some((block) => block.type === 'tool_use' && !answered.has(block.tool_use_id));
}
