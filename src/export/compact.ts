import {
  type MediaBlock,
  splitsCharacter,
  type ToolResultBlock,
  type Transcript,
  type TranscriptBlock,
} from '../core/index.ts';
import { isProse } from '../core/transcript/index.ts';
import { isObject } from '../lib/json.ts';

/** In characters: longer texts are shortened to this. What people and agents say to each other stays whole. */
export const COMPACT_LIMITS = {
  thinking: 400,
  /** What a tool gave. */
  result: 2000,
  /** One text in what a tool was given: a file that is written, a long command. */
  input: 2000,
  summary: 2000,
  /** What the host says to the agent. */
  noise: 200,
} as const;

/** A result that came before, word for word, is worth a hint from this length on. */
const REPEATED_FROM = 200;

/** Of the id of a call: a text that is longer than what it stands for helps nobody. */
const MAX_NAME = 80;

/**
 * The same conversation, shorter: thinking, large results, what the host says, repeated results, the bytes of images. What
 * is shortened is marked with its size. Every link stays. Compacting twice is compacting once.
 */
export function compact<T extends Pick<Transcript, 'messages'>>(transcript: T): T {
  const results = new Map<string, string>();
  const messages = transcript.messages.map((message) => ({
    ...message,
    content: message.content.map((block) => compactBlock(block, results)),
  }));
  return { ...transcript, messages };
}

/** `results`: texts that came before, and the calls they came from. */
function compactBlock(block: TranscriptBlock, results: Map<string, string>): TranscriptBlock {
  switch (block.type) {
    case 'text':
    case 'attachment':
      return block;
    case 'thinking':
      return { ...block, text: shorten(block.text, COMPACT_LIMITS.thinking) };
    case 'summary':
      return { ...block, text: shorten(block.text, COMPACT_LIMITS.summary) };
    case 'notice':
      return isProse(block) ? block : { ...block, text: shorten(block.text, COMPACT_LIMITS.noise) };
    case 'image':
      return compactMedia(block);
    case 'tool_use':
      // What a sub-agent is asked is said by an agent, and stays.
      return block.sub_agent_ref ? block : { ...block, input: compactInput(block.input) };
    case 'tool_result':
      return compactResult(block, results);
  }
}

function compactInput(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value, COMPACT_LIMITS.input);
  if (Array.isArray(value)) return value.map(compactInput);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, compactInput(one)]));
}

function compactResult(block: ToolResultBlock, results: Map<string, string>): ToolResultBlock {
  const media = block.media && { media: block.media.map(compactMedia) };
  // Two shortened ones that look the same may have been different before.
  const canRepeat = block.text.length >= REPEATED_FROM && !MARK.test(block.text);
  const before = canRepeat ? results.get(block.text) : undefined;
  if (canRepeat && before === undefined) results.set(block.text, block.tool_use_id);
  const text =
    before === undefined
      ? shorten(block.text, COMPACT_LIMITS.result)
      : `[The same ${block.text.length} characters as the result of ${before.slice(0, MAX_NAME)}.]`;
  return { ...block, text, ...media };
}

function compactMedia<Media extends MediaBlock>(block: Media): Media {
  return block.type === 'image' ? { ...block, data: null } : block;
}

const MARK = /\[… shortened from \d+ characters …\]/;

/** A mark in the place of next to nothing helps nobody. */
const SLACK = 100;

/**
 * A text of about `limit` characters at most: its beginning and its end, and between them a mark that says how long it was. A
 * text that fits comes back as it is, so that shortening twice is shortening once.
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit + SLACK) return text;
  const mark = `\n[… shortened from ${text.length} characters …]\n`;
  const room = Math.max(0, limit - mark.length);
  const tail = text.length - Math.floor(room / 4);
  const head = room - Math.floor(room / 4);
  return (
    text.slice(0, splitsCharacter(text, head) ? head - 1 : head) +
    mark +
    text.slice(splitsCharacter(text, tail) ? tail + 1 : tail)
  );
}
