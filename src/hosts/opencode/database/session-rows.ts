import { asAmount, asText, known, parseJson } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, type SqlRow, textOf } from '../../../lib/sqlite.ts';
import { deniedIn, type SessionInfo } from '../record.ts';
import type { Schema } from './schema.ts';

const WANTED = [
  'id',
  'parent_id',
  'title',
  'directory',
  'version',
  'agent',
  'permission',
  'time_created',
  'time_updated',
] as const;

export function sessionNames({ sessionColumns: has }: Schema): readonly string[] {
  return WANTED.filter((column) => has.has(column));
}

export function sessionColumns(schema: Schema): string {
  return sessionNames(schema)
    .map((column) => (column.startsWith('time_') ? `session.${column}` : `${textOf(`session.${column}`)} as ${column}`))
    .join(', ');
}

/** Of a sub-agent's session, its own and all below it: by ids, for the table is small beside the others. */
export const TREE = `with recursive tree(id) as materialized (
  select ?1 union select session.id from session join tree on session.parent_id = tree.id
)`;

export function readTree(database: ReadOnlyDatabase, schema: Schema, root: string): readonly SessionInfo[] {
  const sql = `${TREE} select ${sessionColumns(schema)} from session where id in (select id from tree)`;
  return database.all(sql, root).flatMap((row) => toInfo(row) ?? []);
}

/** How far rows are numbered. */
export const NUMBERS = `coalesce((select max(rowid) from message), 0) as last_message,
  coalesce((select max(rowid) from part), 0) as last_part`;

/** Who is whose child, and when each was last written to. */
export interface SessionPlace {
  readonly id: string;
  readonly parent?: string;
  readonly modifiedAt: number;
}

/** All of them. `time_updated` is not touched by every message; the newest message of a session stands in an index. */
export function listSessions(database: ReadOnlyDatabase): readonly SessionPlace[] {
  const newest = '(select max(time_created) from message where session_id = session.id)';
  return database
    .all(
      `select ${textOf('id')} as id, ${textOf('parent_id')} as parent_id, time_updated, ${newest} as newest from session`,
    )
    .flatMap(({ id, parent_id, time_updated, newest: last }) => {
      const native = asText(id);
      if (native === undefined) return [];
      const modifiedAt = Math.max(asAmount(time_updated) ?? 0, asAmount(last) ?? 0);
      return [{ id: native, modifiedAt, ...known({ parent: asText(parent_id) }) }];
    });
}

export function toInfo(row: SqlRow): SessionInfo | undefined {
  const id = asText(row['id']);
  if (id === undefined) return undefined;
  return {
    id,
    ...known({
      parent: asText(row['parent_id']),
      title: asText(row['title']),
      directory: asText(row['directory']),
      version: asText(row['version']),
      agent: asText(row['agent']),
      createdAt: asAmount(row['time_created']),
      updatedAt: asAmount(row['time_updated']),
      deniedTools: deniedIn(parseJson(row['permission'])),
    }),
  };
}
