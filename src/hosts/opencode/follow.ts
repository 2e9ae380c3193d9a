// What a change below a data folder of OpenCode is about. A database says itself which sessions have news.

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { SessionId } from '../../core/index.ts';
import { isFolder } from '../../lib/folders.ts';
import { asAmount, asText, known } from '../../lib/json.ts';
import { type ReadOnlyDatabase, readDatabase, UnreadableDatabase } from '../../lib/sqlite.ts';
import type { FollowCapability, FollowNotes, LocatedSession, Subject } from '../index.ts';
import { databaseOf, OLD_PROJECTS, STORAGE } from './data-folder.ts';
import { readSchema } from './database/schema.ts';
import { locateSessions, readFacts } from './locate.ts';
import { sessionIdOf } from './record.ts';
import { listen } from './server/cursor.ts';
import { isAddress } from './server/request.ts';
import { listStored, sessionOfPart } from './storage.ts';

const NOTHING: Subject = { kind: 'nothing' };
const EVERYTHING: Subject = { kind: 'everything' };
/** Below `storage/`. */
const STORED = new Set(['session', 'message', 'part']);

export const follow: FollowCapability = {
  async watched(root) {
    return (folder) => {
      const [first = '', second, third] = partsBelow(root, folder);
      if (first === '' || /^exports?$/.test(first)) return true;
      if (first === OLD_PROJECTS) return third === undefined || third === STORAGE;
      return first === STORAGE && (second === undefined || STORED.has(second));
    };
  },
  async subjectOf(root, place, notes) {
    if (isAddress(root)) return EVERYTHING;
    const [first = '', second, third, ...rest] = partsBelow(root, place);
    if (first === OLD_PROJECTS) return /\.json$/.test(place) ? EVERYTHING : NOTHING;
    if (first === STORAGE) return subjectOfStored(root, [second, third, ...rest], place);
    const database = databaseOf(path.basename(place));
    if (database !== undefined) return subjectOfDatabase(root, path.join(path.dirname(place), database), place, notes);
    return /\.jsonl?$/.test(place) ? EVERYTHING : NOTHING;
  },
  async locateParts(root, folder, ids) {
    const { sessions } = await locateSessions(root);
    const found = new Map(sessions.map((session) => [session.id, session]));
    return ids.map((id) => found.get(id) ?? nowhere(root, folder, id));
  },
  readFacts,
  listen: (root, onNews) => (isAddress(root) ? listen(root, onNews) : undefined),
};

async function subjectOfDatabase(
  root: string,
  file: string,
  place: string,
  notes: Map<string, unknown>,
): Promise<Subject> {
  // Its index lies in memory: what counts is told by the log.
  if (place.endsWith('-shm')) return { kind: 'shared', parts: [], source: file };
  const changed = await changedSessions(file, notes);
  if (!changed) return EVERYTHING;
  return { kind: 'shared', parts: changed.map((id) => ({ id: sessionIdOf(id), folder: root })), source: file };
}

async function subjectOfStored(root: string, below: readonly (string | undefined)[], place: string): Promise<Subject> {
  const [kind, name, file] = below;
  if (kind === undefined || kind === 'session') return EVERYTHING;
  if (!STORED.has(kind) || name === undefined) return NOTHING;
  const session = kind === 'message' ? name : file === undefined ? undefined : await sessionOfPart(place);
  const top = session === undefined ? undefined : await topOf(root, session);
  if (top === undefined) return (await isFolder(place)) ? NOTHING : EVERYTHING;
  return { kind: 'shared', parts: [{ id: sessionIdOf(top), folder: root }], source: path.join(root, STORAGE) };
}

async function topOf(root: string, session: string): Promise<string | undefined> {
  const parents = new Map(
    (await listStored(path.join(root, STORAGE))).sessions.map(({ info }) => [info.id, info.parent]),
  );
  if (!parents.has(session)) return undefined;
  const seen = new Set<string>();
  let top = session;
  for (let up = parents.get(top); up !== undefined && !seen.has(up); up = parents.get(top)) {
    seen.add(up);
    top = up;
  }
  return top;
}

function nowhere(root: string, _folder: string, id: SessionId): LocatedSession {
  return { id, root, sources: [], facts: [], modifiedAt: 0 };
}

function partsBelow(root: string, place: string): readonly string[] {
  const below = path.relative(root, place);
  return below === '' ? [] : below.split(path.sep);
}

interface Note {
  readonly inode: number;
  /** How the files were, where they were old enough to tell. */
  readonly mark?: string;
  readonly messageRow: number;
  readonly partRow: number;
  readonly eventRow: number;
  /** Topmost sessions that were at work lately, and when. */
  readonly recent: ReadonlyMap<string, number>;
}

/**
 * Rows are changed in place where a call or a reply ends, and only the log of events (1.14 and later) tells of that. Without
 * it, whoever was at work so lately is looked at with every change: the end of a step brings a new row.
 */
const RECENT_MS = 3_600_000;

/** The topmost sessions; undefined where everything has to be looked at. */
async function changedSessions(file: string, notes: FollowNotes): Promise<readonly string[] | undefined> {
  const before = notes.get(file) as Note | undefined;
  const main = await stat(file).catch(() => undefined);
  if (!main) return undefined;
  const inode = main.ino;
  const mark = markOf(main, await stat(`${file}-wal`).catch(() => undefined));
  // Opening the log is heard as a change of it, where root does it: looking must not bring about the next look.
  if (before?.mark !== undefined && before.mark === mark) return [];
  try {
    return await readDatabase(file, (database) => {
      const { hasEvents } = readSchema(database, file);
      const rows = lastRows(database, hasEvents);
      const isSame = before?.inode === inode && before.messageRow <= rows.messageRow && before.partRow <= rows.partRow;
      if (!before || !isSame) {
        notes.set(file, { inode, ...rows, recent: new Map(), ...known({ mark }) } satisfies Note);
        return undefined;
      }
      const changed = topmost(database, changedSince(database, before, hasEvents));
      const now = Date.now();
      const recent = new Map([...before.recent].filter(([, at]) => now - at < RECENT_MS));
      for (const id of changed) recent.set(id, now);
      notes.set(file, { inode, ...rows, recent, ...known({ mark }) } satisfies Note);
      const tellsAll = hasEvents && rows.eventRow > before.eventRow;
      return tellsAll ? [...changed] : [...new Set([...changed, ...recent.keys()])];
    });
  } catch (error) {
    if (!(error instanceof UnreadableDatabase)) throw error;
    // Who is read already notices it itself.
    return error.isBusy && before ? [...before.recent.keys()] : undefined;
  }
}

/** Two writes so close together may leave the same times behind. */
const TICK_MS = 20;

function markOf(main: Stats, log: Stats | undefined): string | undefined {
  const youngest = Math.max(main.mtimeMs, log?.mtimeMs ?? 0);
  if (Date.now() - youngest < TICK_MS) return undefined;
  return [main.ino, main.size, main.mtimeMs, log?.ino, log?.size, log?.mtimeMs].join(' ');
}

function lastRows(database: ReadOnlyDatabase, hasEvents: boolean): Pick<Note, 'messageRow' | 'partRow' | 'eventRow'> {
  const last = (table: string): string => `coalesce((select max(rowid) from ${table}), 0)`;
  const events = hasEvents ? last('event') : '0';
  const [row] = database.all(`select ${last('message')} as m, ${last('part')} as p, ${events} as e`);
  const amount = (key: string): number => asAmount(row?.[key]) ?? 0;
  return { messageRow: amount('m'), partRow: amount('p'), eventRow: amount('e') };
}

function changedSince(database: ReadOnlyDatabase, since: Note, hasEvents: boolean): ReadonlySet<string> {
  const rows = [
    ...database.all('select distinct cast(session_id as blob) as id from message where rowid > ?', since.messageRow),
    ...database.all('select distinct cast(session_id as blob) as id from part where rowid > ?', since.partRow),
    ...(hasEvents
      ? database.all('select distinct cast(aggregate_id as blob) as id from event where rowid > ?', since.eventRow)
      : []),
  ];
  return new Set(rows.flatMap(({ id }) => asText(id) ?? []));
}

function topmost(database: ReadOnlyDatabase, ids: ReadonlySet<string>): ReadonlySet<string> {
  const parentOf = (id: string): string | undefined =>
    asText(database.all('select cast(parent_id as blob) as parent_id from session where id = ?', id)[0]?.['parent_id']);
  const tops = [...ids].map((id) => {
    const seen = new Set([id]);
    let top = id;
    for (let up = parentOf(top); up !== undefined && !seen.has(up); up = parentOf(top)) {
      seen.add(up);
      top = up;
    }
    return top;
  });
  return new Set(tops);
}
