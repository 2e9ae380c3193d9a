// Messages of a transcript, cleaned and cut into the parts that UIs show.

import { getOrAdd } from '../../lib/group.ts';
import {
  cleanBlock,
  cleanLine,
  cleanOutput,
  cleanValue,
  formatBytes,
  formatCount,
  type MediaBlock,
  type NoticeBlock,
  type NoticeKind,
  type SubAgentRef,
  type ToolResultBlock,
  type TranscriptBlock,
  type TranscriptMessage,
} from '../index.ts';

/** What a message is read as, from top to bottom: a call and its result are one thing. */
export type MessagePart =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  /** What the host put in the place of everything before it. */
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ToolCall; readonly result: CallResult | undefined }
  /** A result whose call is not in this message. */
  | { readonly kind: 'result'; readonly result: CallResult }
  | { readonly kind: 'notice'; readonly notice: NoticeBlock }
  | { readonly kind: 'media'; readonly media: MediaBlock };

export type CallPart = Extract<MessagePart, { readonly kind: 'call' }>;

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
  return getOrAdd(known, message, toParts);
}

function toParts({ content }: TranscriptMessage): readonly MessagePart[] {
  const results = new Map<string, ToolResultBlock>();
  for (const block of content)
    if (block.type === 'tool_result' && !results.has(block.tool_use_id)) results.set(block.tool_use_id, block);
  const calls = new Set(content.flatMap((block) => (block.type === 'tool_use' ? block.tool_use_id : [])));
  const isShownWithCall = (block: TranscriptBlock): boolean =>
    block.type === 'tool_result' && calls.has(block.tool_use_id) && results.get(block.tool_use_id) === block;
  return content.filter((block) => !isShownWithCall(block)).map((block) => toPart(block, results));
}

function toPart(block: TranscriptBlock, results: ReadonlyMap<string, ToolResultBlock>): MessagePart {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'summary':
      return { kind: block.type, text: block.text };
    case 'notice':
      return { kind: 'notice', notice: block };
    case 'image':
    case 'attachment':
      return { kind: 'media', media: block };
    case 'tool_use': {
      const { tool_use_id: id, name, input, summary, sub_agent_ref: ref } = block;
      const refs = block.sub_agent_refs ?? (ref ? [ref] : []);
      const result = results.get(id);
      const call = { id, name, input, summary: summary ?? undefined, ref, refs };
      return { kind: 'call', call, result: result && toResult(result) };
    }
    case 'tool_result':
      return { kind: 'result', result: toResult(block) };
  }
}

function toResult({ text, is_error: isError, media = [] }: ToolResultBlock): CallResult {
  return { text, isError, media };
}

/** Something in it is still to come: a call without its result. */
export function isOpen({ content }: TranscriptMessage): boolean {
  const answered = new Set(content.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : [])));
  return content.some((block) => block.type === 'tool_use' && !answered.has(block.tool_use_id));
}

/** Hosts write the same tools in their own ways: `Bash`, `bash`; `MultiEdit`, `multi_edit`. */
export function plainToolName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const SHELLS = new Set(
  (
    'bash shell localshell runshellcommand execcommand shellcommand powershell ' +
    'readbash writebash stopbash bashoutput taskoutput killshell'
  ).split(' '),
);

export function isShell(name: string): boolean {
  return SHELLS.has(plainToolName(name));
}

/** A message whose texts can be shown: everything that a UI shows of a transcript goes through here. */
export function cleanMessage(message: TranscriptMessage): TranscriptMessage {
  const shells = new Set(
    message.content.flatMap((block) => (block.type === 'tool_use' && isShell(block.name) ? block.tool_use_id : [])),
  );
  return {
    ...message,
    model: message.model === null ? null : cleanLine(message.model),
    content: message.content.map((block) => cleanOne(block, shells)),
  };
}

function cleanOne(block: TranscriptBlock, shells: ReadonlySet<string>): TranscriptBlock {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'summary':
      return { ...block, text: cleanBlock(block.text) };
    case 'tool_use':
      return {
        ...block,
        name: cleanLine(block.name) || 'unnamed tool',
        input: cleanValue(block.input),
        summary: block.summary === null ? null : cleanLine(block.summary),
      };
    case 'tool_result':
      return {
        ...block,
        text: shells.has(block.tool_use_id) ? cleanOutput(block.text) : cleanBlock(block.text),
        ...(block.media && { media: block.media.map(cleanMedia) }),
        ...(block.changes && { changes: block.changes.map((change) => ({ ...change, path: cleanLine(change.path) })) }),
      };
    case 'notice':
      return {
        ...block,
        title: block.title === null ? null : cleanLine(block.title),
        text: block.kind === 'command-output' ? cleanOutput(block.text) : cleanBlock(block.text),
      };
    case 'image':
    case 'attachment':
      return cleanMedia(block);
  }
}

/** Base64 is handed on as it is; who shows an image checks what is in it. */
function cleanMedia(block: MediaBlock): MediaBlock {
  const media_type = cleanLine(block.media_type) || 'unknown';
  if (block.type === 'image') return { ...block, media_type };
  return { ...block, media_type, name: block.name === null ? null : cleanLine(block.name) };
}

const TITLES: Readonly<Record<NoticeKind, string>> = {
  background: 'News from the background',
  message: 'Message',
  reminder: 'Reminder to the agent',
  command: 'Command',
  'command-output': 'Output of the command',
  interruption: 'Interrupted',
  compaction: 'Context compacted',
  note: 'Note to the agent',
};

/** What a notice is, in a line: by its own words where it has some. */
export function titleOf({ kind, title }: NoticeBlock): string {
  return title ?? TITLES[kind];
}

/** What it hands over is written by an agent, and worth reading; the rest is between the host and the agent. */
export function isProse({ kind }: NoticeBlock): boolean {
  return kind === 'background' || kind === 'message';
}

/** Who speaks: the person, the agent that asked, the agent itself, or the program around it. */
export type Voice = 'person' | 'parent' | 'agent' | 'host';

export function voiceOf(message: TranscriptMessage, isSubAgent: boolean): Voice {
  if (message.role === 'assistant') return 'agent';
  if (message.role === 'system') return 'host';
  if (isSubAgent) return 'parent';
  return isHandedOver(message) ? 'host' : 'person';
}

/** What teammates write to the main agent comes in the person's place, and is none of the person's words. */
function isHandedOver({ content }: TranscriptMessage): boolean {
  return content.length > 0 && content.every((block) => block.type === 'notice' && block.kind !== 'command');
}

/** «image/png, 48 kB». */
export function describeMedia(media: MediaBlock): string {
  const name = media.type === 'attachment' ? media.name : null;
  return [name, media.media_type, media.bytes === null ? null : formatBytes(media.bytes)].filter(Boolean).join(', ');
}

const ROW = 80;

/** How long a folded thing is: «214 lines», or in characters where it has hardly any lines. */
export function sizeText(text: string, lines = countLines(text)): string {
  if (lines > 1) return `${formatCount(lines)} lines`;
  return text.length <= ROW ? '1 line' : `${formatCount(text.length)} characters`;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
