import { cleanLine, type Transcript, type TranscriptBlock, type TranscriptMessage } from '../../core/index.ts';
import { isProse, partsOf } from '../../core/transcript/index.ts';

/** How much goes onto one page. */
export interface PageSize {
  readonly messages: number;
  readonly characters: number;
}

export const PAGE_SIZE: PageSize = { messages: 400, characters: 1_500_000 };

/** Where a part of a message stands, both from 0. */
export interface PartPlace {
  readonly message: number;
  readonly part: number;
}

/** What other pages have to know of a transcript, so that it need not be kept. */
export interface Outline {
  readonly agent: string;
  readonly messages: number;
  /** The first message of each part. */
  readonly parts: readonly number[];
  /** By the call's id. */
  readonly calls: ReadonlyMap<string, PartPlace>;
  /** What it was asked and what it said last, in a line each, and in which message. */
  readonly asked: string | undefined;
  readonly askedIn: number;
  readonly answered: string | undefined;
  readonly answeredIn: number;
}

export function outlineTranscript(
  { session_id: agent, messages }: Pick<Transcript, 'session_id' | 'messages'>,
  size: PageSize = PAGE_SIZE,
): Outline {
  const calls = new Map<string, PartPlace>();
  for (const [message, one] of messages.entries()) {
    for (const [part, { call }] of callsOf(one)) if (!calls.has(call.id)) calls.set(call.id, { message, part });
  }
  const says = (message: TranscriptMessage): boolean => textOf(message) !== '';
  const askedIn = messages.findIndex((message) => message.role !== 'assistant' && says(message));
  const answeredIn = messages.findLastIndex((message) => message.role === 'assistant' && says(message));
  return {
    agent,
    messages: messages.length,
    parts: cutIntoParts(messages, size),
    calls,
    asked: headLine(messages[askedIn]),
    askedIn,
    answered: headLine(messages[answeredIn]),
    answeredIn,
  };
}

/** Of its calls only some: other pages ask for those that made an agent. */
export function keepCalls(outline: Outline, wanted: Iterable<string>): Outline {
  const kept = [...wanted].flatMap((id) => {
    const place = outline.calls.get(id);
    return place ? [[id, place] as const] : [];
  });
  return { ...outline, calls: new Map(kept) };
}

function* callsOf(message: TranscriptMessage) {
  for (const [index, part] of partsOf(message).entries()) if (part.kind === 'call') yield [index, part] as const;
}

/** A message that alone is too much for a page has a page of its own. */
function cutIntoParts(messages: readonly TranscriptMessage[], size: PageSize): readonly number[] {
  const parts = [0];
  let [count, characters] = [0, 0];
  for (const [index, message] of messages.entries()) {
    const more = message.content.reduce((sum, block) => sum + sizeOf(block), 0);
    if (count > 0 && (count >= size.messages || characters + more > size.characters)) {
      parts.push(index);
      [count, characters] = [0, 0];
    }
    count++;
    characters += more;
  }
  return parts;
}

function sizeOf(block: TranscriptBlock): number {
  switch (block.type) {
    case 'tool_use':
      return sizeOfValue(block.input, 0);
    case 'image':
      return block.data?.length ?? 0;
    case 'attachment':
      return 0;
    case 'tool_result':
      return (block.media ?? []).reduce((sum, one) => sum + sizeOf(one), block.text.length);
    default:
      return block.text.length;
  }
}

function sizeOfValue(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 16) return 8;
  return Object.values(value).reduce((sum: number, one) => sum + sizeOfValue(one, depth + 1), 0);
}

function textOf(message: TranscriptMessage): string {
  return message.content
    .flatMap((block) => (block.type === 'text' || (block.type === 'notice' && isProse(block)) ? block.text : []))
    .join('\n')
    .trim();
}

const LONGEST_LINE = 220;
/** The signs of Markdown that would stand in the way of a single line. */
const SIGNS = /^#{1,6}\s+|^[>*+-]\s+|\*\*|`/gm;

/** The first line that says something, without the signs of its form. */
function headLine(message: TranscriptMessage | undefined): string | undefined {
  if (!message) return undefined;
  const lines = textOf(message).slice(0, 4000).replace(SIGNS, '').split('\n').map(cleanLine);
  const line = lines.find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1).trimEnd()}…`;
}
