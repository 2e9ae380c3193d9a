// Which columns a database has: versions add some. Columns are always named one by one: `account`, `control_account`,
// `credential` and `session_share` hold secrets, and nothing of them is ever asked for.
import { asText } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, textOf, UnreadableDatabase } from '../../../lib/sqlite.ts';

export interface Schema {
  readonly sessionColumns: ReadonlySet<string>;
  /** 1.3 and later; empty until about 1.14. */
  readonly hasEvents: boolean;
}

/** Without these there is nothing to show; everything else may be missing. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ['id', 'parent_id', 'title', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
};

export interface KnownSchema {
  readonly version: unknown;
  readonly schema: Schema;
}

/** Of each connection: many sessions are read through one. */
const known = new WeakMap<ReadOnlyDatabase, KnownSchema>();

/** As it was when it was last looked at. */
export function knownSchema(database: ReadOnlyDatabase): KnownSchema | undefined {
  return known.get(database);
}

/** Throws `UnreadableDatabase` where it is none that troupe knows. */
export function readSchema(database: ReadOnlyDatabase, file: string): Schema {
  // SQLite counts every change of it.
  const version = database.all('select schema_version from pragma_schema_version')[0]?.['schema_version'];
  const before = known.get(database);
  if (before && before.version === version) return before.schema;
  const schema = lookAtSchema(database, file);
  known.set(database, { version, schema });
  return schema;
}

function lookAtSchema(database: ReadOnlyDatabase, file: string): Schema {
  for (const [table, columns] of Object.entries(NEEDED)) {
    const has = columnsOf(database, table);
    const missing = columns.find((column) => !has.has(column));
    if (missing === undefined) continue;
    const what = has.size === 0 ? `has no table «${table}»` : `has no column «${table}.${missing}»`;
    throw new UnreadableDatabase(file, `it ${what}: this version of troupe does not know its schema`, false);
  }
  return {
    sessionColumns: columnsOf(database, 'session'),
    hasEvents: columnsOf(database, 'event').has('aggregate_id'),
  };
}

/** The last step that the program took to this schema, of the newest version that was recorded (1.18.34). */
const NEWEST_KNOWN = '20260622202450_simplify_session_input';

/** A step that troupe does not know: what it brought is not shown. The names of steps begin with their time. */
export function unknownStepOf(database: ReadOnlyDatabase): string | undefined {
  if (!columnsOf(database, 'migration').has('id')) return undefined;
  const [row] = database.all(`select ${textOf('max(id)')} as id from migration`);
  const last = asText(row?.['id']);
  return last !== undefined && last > NEWEST_KNOWN ? last : undefined;
}

export function columnsOf(database: ReadOnlyDatabase, table: string): ReadonlySet<string> {
  const rows = database.all('select name from pragma_table_info(?)', table);
  return new Set(rows.flatMap(({ name }) => asText(name) ?? []));
}
