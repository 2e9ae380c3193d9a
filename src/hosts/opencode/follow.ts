// Which sessions a change below a data folder of OpenCode is about. For a database, its newest rows tell, so the cost does not grow with it.

import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isFolder } from '../../lib/folders.ts';
import { asAmount, asText } from '../../lib/json.ts';
import { type ReadOnlyDatabase, readDatabase, textOf, UnreadableDatabase } from '../../lib/sqlite.ts';
import type { FollowCapability, FollowNotes, Subject } from '../index.ts';
import { NUMBERS, numbersIn, readSchema, readSecondSchema } from './database/schema.ts';
import { secondCounters } from './database/second.ts';
import { databaseOf, OLD_PROJECTS, STORAGE } from './host.ts';
import { locateSessions, readFacts } from './locate.ts';
import { createRootOf, sessionIdOf } from './record.ts';
import { listen } from './server/cursor.ts';
import { isAddress } from './server/http.ts';
import { listenBeside } from './server/live.ts';
import { listStored, readRecord } from './storage.ts';

const NOTHING: Subject = { kind: 'nothing' };
const EVERYTHING: Subject = { kind: 'everything' };
/** Below `storage/`. */
const STORED = new Set(['session', 'message', 'part']);

export const follow: FollowCapability = {
  async watched(root) {
    return (folder) => {
      const [first = '', second, third] = path.relative(root, folder).split(path.sep);
      if (first === '' || /^exports?$/.test(first)) return true;
      if (first === OLD_PROJECTS) return third === undefined || third === STORAGE;
      return first === STORAGE && (second === undefined || STORED.has(second));
    };
  },
  async subjectOf(root, place, notes) {
    if (isAddress(root)) return EVERYTHING;
    // A server of it has said something.
    if (path.relative(root, place) === '') return { kind: 'facts' };
    const [first = '', second, third, ...rest] = path.relative(root, place).split(path.sep);
    if (first === OLD_PROJECTS) return /\.json$/.test(place) ? EVERYTHING : NOTHING;
    if (first === STORAGE) return subjectOfStored(root, [second, third, ...rest], place);
    const database = databaseOf(path.basename(place));
    if (database !== undefined) return subjectOfDatabase(root, path.join(path.dirname(place), database), place, notes);
    return /\.jsonl?$/.test(place) ? EVERYTHING : NOTHING;
  },
  async locateParts(root, _folder, ids) {
    const { sessions } = await locateSessions(root);
    const found = new Map(sessions.map((session) => [session.id, session]));
    return ids.map((id) => found.get(id) ?? { id, root, sources: [], facts: [], modifiedAt: 0 });
  },
  readFacts,
  listen: (root, onNews) => (isAddress(root) ? listen(root, onNews) : undefined),
  listenBeside: (root, onNews) => (isAddress(root) ? undefined : listenBeside(root, onNews)),
};

async function subjectOfDatabase(root: string, file: string, place: string, notes: FollowNotes): Promise<Subject> {
  // The index in memory; the log changes with it.
  if (place.endsWith('-shm')) return { kind: 'shared', parts: [], source: file };
  const changed = await changedSessions(file, notes);
  if (!changed) return EVERYTHING;
  return { kind: 'shared', parts: changed.map((id) => ({ id: sessionIdOf(id), folder: root })), source: file };
}

async function subjectOfStored(root: string, below: readonly (string | undefined)[], place: string): Promise<Subject> {
  const [kind, name, file] = below;
  if (kind === undefined || kind === 'session') return EVERYTHING;
  if (!STORED.has(kind) || name === undefined) return NOTHING;
  // A part's folder names only the message.
  const part = kind === 'part' && file !== undefined ? await readRecord(place) : undefined;
  const session = kind === 'message' ? name : asText(part?.record?.['sessionID']);
  const source = path.join(root, STORAGE);
  const stored = session === undefined ? [] : await listStored(source);
  const parents = new Map(stored.map(({ info }) => [info.id, info.parent]));
  if (session === undefined || !parents.has(session)) return (await isFolder(place)) ? NOTHING : EVERYTHING;
  const top = createRootOf((id) => parents.get(id))(session);
  return { kind: 'shared', parts: [{ id: sessionIdOf(top), folder: root }], source };
}

interface Note {
  readonly inode: number;
  /** State of the files, if old enough to be reliable. */
  readonly fingerprint: string | undefined;
  readonly messageRow: number;
  readonly partRow: number;
  readonly eventRow: number;
  /** Top sessions that changed recently, and when. */
  readonly recent: ReadonlyMap<string, number>;
}

/**
 * Rows are updated in place when a call or a reply ends, and only the log of events (1.14 and later) shows it. Without the log, every
 * session that changed recently is read with every change: the end of a step adds a row.
 */
const RECENT_MS = 3_600_000;

/** Top sessions; undefined: read everything. */
async function changedSessions(file: string, notes: FollowNotes): Promise<readonly string[] | undefined> {
  const before = notes.get(file) as Note | undefined;
  const main = await stat(file).catch(() => undefined);
  if (!main) return undefined;
  const inode = main.ino;
  const fingerprint = fingerprintOf(main, await stat(`${file}-wal`).catch(() => undefined));
  // For root, opening the log counts as a change of it: a read must not cause the next one.
  if (before?.fingerprint !== undefined && before.fingerprint === fingerprint) return [];
  try {
    return await readDatabase(file, (database) => {
      if (readSecondSchema(database, file)) return changedSecond(database, inode, fingerprint, file, notes);
      const { hasEvents } = readSchema(database, file);
      const rows = lastRows(database, hasEvents);
      const isSame = before?.inode === inode && before.messageRow <= rows.messageRow && before.partRow <= rows.partRow;
      if (!before || !isSame) {
        notes.set(file, { inode, fingerprint, ...rows, recent: new Map() } satisfies Note);
        return undefined;
      }
      const changed = topmost(database, changedSince(database, before, hasEvents));
      const now = Date.now();
      const recent = new Map([...before.recent].filter(([, at]) => now - at < RECENT_MS));
      for (const id of changed) recent.set(id, now);
      notes.set(file, { inode, fingerprint, ...rows, recent } satisfies Note);
      const tellsAll = hasEvents && rows.eventRow > before.eventRow;
      return tellsAll ? [...changed] : [...new Set([...changed, ...recent.keys()])];
    });
  } catch (error) {
    if (!(error instanceof UnreadableDatabase)) throw error;
    // Open sessions notice it themselves.
    return error.isBusy && before ? [...before.recent.keys()] : undefined;
  }
}

/** A change without a moved counter: a call that goes on, a sum. Those at work lately are read with each. */
function changedSecond(
  database: ReadOnlyDatabase,
  inode: number,
  fingerprint: string | undefined,
  file: string,
  notes: FollowNotes,
): readonly string[] | undefined {
  const before = notes.get(file) as SecondNote | Note | undefined;
  const counters = secondCounters(database);
  const now = Date.now();
  if (!before || !('counters' in before) || before.inode !== inode) {
    notes.set(file, { inode, fingerprint, counters, recent: new Map() } satisfies SecondNote);
    return undefined;
  }
  const moved = [...counters].filter(([id, counter]) => before.counters.get(id) !== counter).map(([id]) => id);
  const changed = topmost(database, new Set(moved), 'session_v2');
  const recent = new Map([...before.recent].filter(([, at]) => now - at < RECENT_MS));
  for (const id of changed) recent.set(id, now);
  notes.set(file, { inode, fingerprint, counters, recent } satisfies SecondNote);
  if ([...before.counters.keys()].some((id) => !counters.has(id))) return undefined;
  return [...new Set([...changed, ...recent.keys()])];
}

interface SecondNote extends Pick<Note, 'inode' | 'fingerprint' | 'recent'> {
  readonly counters: ReadonlyMap<string, string>;
}

/** Two writes within it may have the same time. */
const TICK_MS = 20;

function fingerprintOf(main: Stats, log: Stats | undefined): string | undefined {
  const youngest = Math.max(main.mtimeMs, log?.mtimeMs ?? 0);
  if (Date.now() - youngest < TICK_MS) return undefined;
  return [main.ino, main.size, main.mtimeMs, log?.ino, log?.size, log?.mtimeMs].join(' ');
}

function lastRows(database: ReadOnlyDatabase, hasEvents: boolean): Pick<Note, 'messageRow' | 'partRow' | 'eventRow'> {
  const events = hasEvents ? '(select max(rowid) from event)' : '0';
  const [row] = database.all(`select ${NUMBERS}, ${events} as last_event`);
  const [messageRow, partRow] = numbersIn(row);
  return { messageRow, partRow, eventRow: asAmount(row?.['last_event']) ?? 0 };
}

function changedSince(database: ReadOnlyDatabase, since: Note, hasEvents: boolean): ReadonlySet<string> {
  const sessionsIn = (table: string, column: string, row: number) =>
    database.all(`select distinct ${textOf(column)} as id from ${table} where rowid > ?`, row);
  const rows = [
    ...sessionsIn('message', 'session_id', since.messageRow),
    ...sessionsIn('part', 'session_id', since.partRow),
    ...(hasEvents ? sessionsIn('event', 'aggregate_id', since.eventRow) : []),
  ];
  return new Set(rows.flatMap(({ id }) => asText(id) ?? []));
}

function topmost(
  database: ReadOnlyDatabase,
  ids: ReadonlySet<string>,
  table: 'session' | 'session_v2' = 'session',
): ReadonlySet<string> {
  const parentOf = (id: string): string | undefined =>
    asText(database.all(`select ${textOf('parent_id')} as parent_id from ${table} where id = ?`, id)[0]?.['parent_id']);
  return new Set([...ids].map(createRootOf(parentOf)));
}
