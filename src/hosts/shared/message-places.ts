// Where the messages of a conversation stand in a file that may still be written, and their bytes.

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

/** The bytes at some places, in one opening of the file. */
export async function readPieces(file: string, pieces: readonly ByteRange[]): Promise<readonly Uint8Array[]> {
  const handle = await openRegular(file);
  try {
    const read: Uint8Array[] = [];
    for (const { offset, length } of pieces) {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      read.push(bytes.subarray(0, bytesRead));
    }
    return read;
  } finally {
    await handle.close();
  }
}

/** Kinds that nobody knows, counted. Anything may stand there, so of each name only the beginning is told. */
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
