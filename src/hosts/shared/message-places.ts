// Where the messages of a conversation are in a file that may still be written, their bytes, and blocks of all hosts.

import type { NoticeBlock, ToolResultBlock, ToolUseBlock, TranscriptBlock } from '../../core/index.ts';
import { createDocumentCursor, createLineCursor } from '../../lib/follow-file.ts';
import type { Line } from '../../lib/lines.ts';
import { openRegular } from '../../lib/regular-file.ts';
import type { ByteRange, LocatedSource, MessageLines, OpenTranscript } from '../index.ts';

export interface PlaceList {
  add(line: Line): void;
  all(): readonly MessageLines[];
  leftOut(): Readonly<Record<string, number>>;
}

/** A document comes as a whole each time, so a new list is made for it; lines are added to the list that is there. */
export function followPlaces(
  { path, shape }: LocatedSource,
  createList: () => PlaceList,
): Pick<OpenTranscript, 'places' | 'leftOut' | 'files'> {
  const createCursor = (): ReturnType<typeof createLineCursor> =>
    shape === 'document' ? createDocumentCursor(path) : createLineCursor(path);
  let list = createList();
  let cursor = createCursor();
  const add = (line: Line): void => {
    if (shape === 'document') list = createList();
    list.add(line);
  };
  const lookOn = async (): Promise<readonly MessageLines[]> => {
    const look = await cursor.look(add);
    if (look !== 'replaced' && look !== 'gone') return list.all();
    list = createList();
    cursor = createCursor();
    await cursor.look(add);
    return list.all();
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after the other: who asks while the file is being read gets all of it, too.
    places() {
      const next = last.then(lookOn, lookOn);
      last = next;
      return next;
    },
    leftOut: () => list.leftOut(),
    files: [path],
  };
}

/** Messages in the order in which they begin, with the lines of each. */
export class MessagePlaces {
  readonly #places = new Map<string, MessageLines & { readonly lines: ByteRange[] }>();

  add(id: string, at: number | undefined, { offset, length }: ByteRange): void {
    const place = this.#places.get(id) ?? { id, timestamp: toTimestamp(at), lines: [] };
    this.#places.set(id, place);
    place.lines.push({ offset, length });
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  all(): readonly MessageLines[] {
    return [...this.#places.values()];
  }
}

export function toTimestamp(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** For a source that holds nothing of an agent. */
export const NO_TRANSCRIPT: OpenTranscript = { places: async () => [], read: async () => [], leftOut: () => ({}) };

interface ReadMessage extends MessageLines {
  readonly lines: readonly Line[];
}

/** Some messages with their lines, in one opening of the file. */
export async function readMessageLines(file: string, places: readonly MessageLines[]): Promise<readonly ReadMessage[]> {
  const handle = await openRegular(file);
  try {
    const messages: ReadMessage[] = [];
    for (const place of places) {
      const lines: Line[] = [];
      for (const { offset, length } of place.lines) {
        const bytes = Buffer.alloc(length);
        const { bytesRead } = await handle.read(bytes, 0, length, offset);
        lines.push({ bytes: bytes.subarray(0, bytesRead), offset, length, torn: false, tooLong: false });
      }
      messages.push({ ...place, lines });
    }
    return messages;
  } finally {
    await handle.close();
  }
}

/** Puts the result of a call behind the call, if that is there. */
export function insertResult(
  content: TranscriptBlock[],
  id: string | undefined,
  toResult: (call: ToolUseBlock | undefined) => ToolResultBlock,
): void {
  const call = content.find((block) => block.type === 'tool_use' && block.tool_use_id === id);
  const at = call ? content.indexOf(call) + 1 : content.length;
  content.splice(at, 0, toResult(call as ToolUseBlock | undefined));
}

export function toResultBlock(
  id: string,
  text: string,
  isError: boolean,
  { media = [], changes = [] }: Pick<ToolResultBlock, 'media' | 'changes'>,
): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: id,
    text,
    is_error: isError,
    ...(media.length > 0 && { media }),
    ...(changes.length > 0 && { changes }),
  };
}

/** Counts unknown kinds. Their names may be of any length: only the beginning is kept. */
export function createKindCount(): { add(kind: string): void; all(): Readonly<Record<string, number>> } {
  const kinds = new Map<string, number>();
  return {
    add(kind) {
      const name = kind.slice(0, 80);
      kinds.set(name, (kinds.get(name) ?? 0) + 1);
    },
    all: () => Object.fromEntries([...kinds].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

export function toNoticeBlock(
  kind: NoticeBlock['kind'],
  title: string | null,
  text: string,
  agent: string | null = null,
): NoticeBlock {
  return { type: 'notice', kind, title, text, agent_id: agent };
}
