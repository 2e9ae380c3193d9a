// The schema of a database, and its sessions. Columns are always named one by one: versions add some, and `account`, `control_account`,
// `credential` and `session_share` hold secrets that are never read.

import { access, constants, lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRefusal, sizeOf } from '../../../lib/folders.ts';
import { asAmount, asText, known, parseJson } from '../../../lib/json.ts';
import { kindOfFile } from '../../../lib/regular-file.ts';
import { type ReadOnlyDatabase, type SqlRow, textOf, UnreadableDatabase } from '../../../lib/sqlite.ts';
import { type SessionInfo, sessionInfo } from '../record.ts';

export interface SecondSchema {
  readonly version: unknown;
  readonly sessionColumns: readonly string[];
  /** Counters of what happened in each session. */
  readonly hasSequence: boolean;
}

export interface Schema {
  /** SQLite increments it with every change. */
  readonly version: unknown;
  /** Those that troupe reads. */
  readonly sessionColumns: readonly string[];
  /** 1.3 and later; empty until about 1.14. */
  readonly hasEvents: boolean;
}

/** Without these there is nothing to show; everything else may be missing. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ['id', 'parent_id', 'title', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
};

const NEEDED_SECOND: Readonly<Record<string, readonly string[]>> = {
  session_v2: ['id', 'parent_id', 'title', 'time_created', 'time_updated'],
  session_message: ['id', 'session_id', 'type', 'seq', 'time_created', 'time_updated', 'data'],
};

const OF_SESSIONS = /^(?:session|message|part|event)/;
const isLater = (table: string): boolean => /^session_v(?:[3-9]|\d\d)/.test(table);

/** By connection: many sessions share one. */
const schemas = new WeakMap<ReadOnlyDatabase, Schema>();

export function knownSchema(database: ReadOnlyDatabase): Schema | undefined {
  return schemas.get(database);
}

/** Throws `UnreadableDatabase` if one is missing. */
function assertColumns(
  database: ReadOnlyDatabase,
  file: string,
  needed: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [table, columns] of Object.entries(needed)) {
    const has = columnsOf(database, table);
    const missing = columns.find((column) => !has.has(column));
    if (missing === undefined) continue;
    const later = table === 'session' ? tablesIn(database).find(isLater) : undefined;
    const what = has.size === 0 ? `has no table «${table}»` : `has no column «${table}.${missing}»`;
    const why = later === undefined ? `it ${what}` : `its sessions are in the table «${later}»`;
    throw new UnreadableDatabase(file, `${why}: this version of troupe does not know its schema`, false);
  }
}

/** By connection. Undefined: OpenCode 2 never wrote this database. */
const secondSchemas = new WeakMap<ReadOnlyDatabase, SecondSchema | { readonly version: unknown }>();

/** Undefined for a database that only OpenCode 1 wrote. Throws `UnreadableDatabase` if the schema is unknown. */
export function readSecondSchema(database: ReadOnlyDatabase, file: string): SecondSchema | undefined {
  const version = database.all('select schema_version from pragma_schema_version')[0]?.['schema_version'];
  const before = secondSchemas.get(database);
  if (before && before.version === version) return 'sessionColumns' in before ? before : undefined;
  const has = columnsOf(database, 'session_v2');
  if (has.size === 0) {
    secondSchemas.set(database, { version });
    return undefined;
  }
  assertColumns(database, file, NEEDED_SECOND);
  const sessionColumns = SECOND_COLUMNS.filter((column) => has.has(column));
  const schema = { version, sessionColumns, hasSequence: columnsOf(database, 'event_sequence').has('seq') };
  secondSchemas.set(database, schema);
  return schema;
}

const SECOND_COLUMNS = [
  ...['id', 'parent_id', 'fork_session_id', 'title', 'directory', 'version', 'agent', 'permission'],
  ...['cost', 'tokens_input', 'tokens_output', 'tokens_reasoning', 'tokens_cache_read', 'tokens_cache_write'],
  ...['time_created', 'time_updated', 'time_idle', 'idle_outcome'],
];

/** Throws `UnreadableDatabase` if the schema is unknown. */
export function readSchema(database: ReadOnlyDatabase, file: string): Schema {
  const version = database.all('select schema_version from pragma_schema_version')[0]?.['schema_version'];
  const before = schemas.get(database);
  if (before && before.version === version) return before;
  assertColumns(database, file, NEEDED);
  const has = columnsOf(database, 'session');
  const sessionColumns = SESSION_COLUMNS.filter((column) => has.has(column));
  const schema = { version, sessionColumns, hasEvents: columnsOf(database, 'event').has('aggregate_id') };
  schemas.set(database, schema);
  return schema;
}

const SESSION_COLUMNS = [
  'id',
  'parent_id',
  'title',
  'directory',
  'version',
  'agent',
  'permission',
  'time_created',
  'time_updated',
];

/** The last migration of the newest recorded version (2.0.15). */
const NEWEST_KNOWN = '20260923013825_project_time_active';

/** Of sessions, in a new and in an upgraded database of 2.0.15. */
const KNOWN_TABLES: ReadonlySet<string> = new Set([
  ...['session', 'session_v2', 'session_message', 'session_inbox', 'session_pending', 'session_share'],
  ...['session_input', 'session_context_epoch', 'message', 'part', 'event', 'event_sequence'],
]);

/** Of tables of OpenCode 2, those that 2.0.15 has beside the ones that troupe reads. */
const KNOWN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  session_v2: [
    ...['project_id', 'workspace_id', 'fork_boundary', 'slug', 'path', 'share_url', 'metadata', 'revert', 'model'],
    ...['summary_additions', 'summary_deletions', 'summary_files', 'summary_diffs', 'resume_attempts'],
    ...['time_viewed', 'time_compacting', 'time_archived', 'time_suspended'],
  ],
  session_message: [],
};

/** What no recorded version has: its last migration (their names begin with their time), tables and columns of sessions. */
export function findUnknown(database: ReadOnlyDatabase): readonly string[] {
  const isStep = columnsOf(database, 'migration').has('id');
  const [row] = isStep ? database.all(`select ${textOf('max(id)')} as id from migration`) : [];
  const last = asText(row?.['id']);
  const all = tablesIn(database);
  const isSecond = all.includes('session_v2');
  const isNews = isSecond ? (name: string) => OF_SESSIONS.test(name) && !KNOWN_TABLES.has(name) : isLater;
  const tables = all.filter(isNews);
  const columns = Object.entries(isSecond ? KNOWN_COLUMNS : {}).flatMap(([table, others]) => {
    const known = new Set([...SECOND_COLUMNS, ...(NEEDED_SECOND[table] ?? []), ...others]);
    return [...columnsOf(database, table)].filter((name) => !known.has(name)).map((name) => `${table}.${name}`);
  });
  return [...(last !== undefined && last > NEWEST_KNOWN ? [last] : []), ...tables, ...columns];
}

function tablesIn(database: ReadOnlyDatabase): readonly string[] {
  const rows = database.all("select name from sqlite_master where type = 'table' order by name");
  return rows.flatMap(({ name }) => asText(name) ?? []);
}

export function columnsOf(database: ReadOnlyDatabase, table: string): ReadonlySet<string> {
  const rows = database.all('select name from pragma_table_info(?)', table);
  return new Set(rows.flatMap(({ name }) => asText(name) ?? []));
}

/** A session and its descendants. The table is small beside the others. */
export const TREE = `with recursive tree(id) as materialized (
  select ?1 union select session.id from session join tree on session.parent_id = tree.id
)`;

export function readTree(database: ReadOnlyDatabase, schema: Schema, root: string): readonly SessionInfo[] {
  const columns = schema.sessionColumns.map((column) =>
    column.startsWith('time_') ? `session.${column}` : `${textOf(`session.${column}`)} as ${column}`,
  );
  const sql = `${TREE} select ${columns.join(', ')} from session where id in (select id from tree)`;
  return database.all(sql, root).flatMap((row) => toInfo(row) ?? []);
}

/** The last row numbers. */
export const NUMBERS = `coalesce((select max(rowid) from message), 0) as last_message,
  coalesce((select max(rowid) from part), 0) as last_part`;

export function numbersIn(row: SqlRow | undefined): readonly [messageRow: number, partRow: number] {
  return [asAmount(row?.['last_message']) ?? 0, asAmount(row?.['last_part']) ?? 0];
}

export interface SessionPosition {
  readonly id: string;
  readonly parent?: string;
  readonly modifiedAt: number;
  /** Without a message. */
  readonly isEmpty?: true;
}

/** Not every message sets `time_updated`; the newest message of a session is in an index. */
export function listSessions(database: ReadOnlyDatabase): readonly SessionPosition[] {
  const newest = '(select max(time_created) from message where session_id = session.id)';
  const ids = `${textOf('id')} as id, ${textOf('parent_id')} as parent_id`;
  return database.all(`select ${ids}, time_updated, ${newest} as newest from session`).flatMap((row) => {
    const id = asText(row['id']);
    if (id === undefined) return [];
    const modifiedAt = Math.max(asAmount(row['time_updated']) ?? 0, asAmount(row['newest']) ?? 0);
    const isEmpty = row['newest'] === null ? true : undefined;
    return [{ id, modifiedAt, ...known({ parent: asText(row['parent_id']), isEmpty }) }];
  });
}

/**
 * The session that another began as a copy of: it has most of the messages that are older than the copy, by role and
 * millisecond. Of two that have the same, the older one.
 */
export function findOriginIn(database: ReadOnlyDatabase, id: string): string | undefined {
  const roleIn = (table: string): string =>
    `case when json_valid(${table}.data) then json_extract(${table}.data, '$.role') end`;
  const copies = database.all(
    `select message.time_created as at from message join session on session.id = session_id
      where session_id = ? and message.time_created < session.time_created`,
    id,
  );
  if (copies.length === 0) return undefined;
  const [origin] = database.all(
    `select ${textOf('message.session_id')} as id from message
      join session on session.id = message.session_id
      join message as copy on copy.session_id = ?1 and copy.time_created = message.time_created
        and ${roleIn('copy')} = ${roleIn('message')}
      where message.time_created in (select value from json_each(?2)) and message.session_id <> ?1
        and session.parent_id is null and session.time_created < (select time_created from session where id = ?1)
      group by message.session_id order by count(*) desc, session.time_created limit 1`,
    id,
    JSON.stringify(copies.map(({ at }) => asAmount(at))),
  );
  return asText(origin?.['id']);
}

export function toInfo(row: SqlRow): SessionInfo | undefined {
  const { parent_id: parent, permission, time_created: created, time_updated: updated } = row;
  const id = asText(row['id']);
  if (id === undefined) return undefined;
  return sessionInfo(id, row, { parent, permission: parseJson(permission), created, updated });
}

/** Throws `UnreadableDatabase` with the reason: SQLite reports a folder, a missing permission and a dangling link alike. */
export async function assertOpenable(file: string): Promise<void> {
  const why = await whyUnreadable(file);
  if (why !== undefined) throw new UnreadableDatabase(file, why, false);
}

async function whyUnreadable(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return `it is ${kindOfFile(stats)}, not a regular file`;
    // Everything in a new one may still be in its log.
    if (stats.size === 0 && (await sizeOf(`${file}-wal`)) === 0) return 'it is empty';
  } catch (error) {
    if (isRefusal(error)) return 'you may not read it';
    const stats = await lstat(file).catch(() => undefined);
    return stats?.isSymbolicLink() ? 'it is a link to nothing' : 'it is not there';
  }
  if (await isRefused(file)) return 'you may not read it';
  return (await isRefused(`${file}-wal`)) ? `you may not read its log, ${path.basename(file)}-wal` : undefined;
}

async function isRefused(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(() => false, isRefusal);
}
