import { readFile, stat } from 'node:fs/promises';
import type { LocatedSession, LocatedSource, SourceAdapter, SourceReader } from '../adapters/adapter.ts';
import { readLines } from '../io/read-lines.ts';
import { createLedger, type SessionLedger } from '../model/ledger.ts';
import { reduce } from '../model/reduce.ts';

/** A session that is still being written: each `refresh` reads what came since the last one. */
export interface FollowedSession {
  readonly ledger: SessionLedger;
  /** Whether anything was new. Never throws on what it finds. */
  refresh(session: LocatedSession): Promise<boolean>;
}

interface Cursor {
  readonly reader: SourceReader;
  /** Behind the last whole line; for a document, its last change. */
  next: number;
  size: number;
  inode: number;
}

export function followSession(adapter: SourceAdapter, first: LocatedSession): FollowedSession {
  let ledger = createLedger(first.id);
  let cursors = new Map<string, Cursor>();

  const readNew = async (session: LocatedSession, source: LocatedSource): Promise<boolean> => {
    const stats = await stat(source.path).catch(() => undefined);
    if (!stats) return false;
    const known = cursors.get(source.id);
    const cursor = known ?? { reader: adapter.createReader(session, source), next: 0, size: -1, inode: stats.ino };
    cursors.set(source.id, cursor);
    const mark = source.shape === 'document' ? stats.mtimeMs : stats.size;
    if (cursor.size === mark) return false;
    cursor.size = mark;
    forgetTornLine(source.id);
    if (source.shape === 'document') {
      const bytes = await readFile(source.path);
      for (const event of cursor.reader.read({ bytes, offset: 0, length: bytes.length, torn: false, tooLong: false }))
        reduce(ledger, event);
    } else {
      const read = (line: Parameters<SourceReader['read']>[0]): void => {
        for (const event of cursor.reader.read(line)) reduce(ledger, event);
      };
      cursor.next = await readLines(source.path, read, cursor.next);
    }
    return true;
  };

  /** A file that shrank or was replaced holds other lines than those that were read: everything is read again. */
  const isReplaced = async ({ id, path, shape }: LocatedSource): Promise<boolean> => {
    const cursor = cursors.get(id);
    const stats = cursor && shape === 'lines' ? await stat(path).catch(() => undefined) : undefined;
    return cursor !== undefined && stats !== undefined && (stats.ino !== cursor.inode || stats.size < cursor.next);
  };

  /** A torn last line that has grown since: what was said of it no longer holds. */
  const forgetTornLine = (source: string): void => {
    ledger.problems.delete(`torn-line ${source}`);
  };

  return {
    get ledger() {
      return ledger;
    },
    async refresh(session) {
      const replaced = await Promise.all(session.sources.map(isReplaced));
      if (replaced.includes(true)) {
        ledger = createLedger(session.id);
        cursors = new Map();
      }
      const before = JSON.stringify([...ledger.processes.values()]);
      for (const fact of session.facts) reduce(ledger, fact);
      let changed = before !== JSON.stringify([...ledger.processes.values()]);
      for (const source of session.sources) changed = (await readNew(session, source).catch(() => false)) || changed;
      return changed || replaced.includes(true);
    },
  };
}
