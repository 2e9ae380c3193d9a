// A tree of sessions that was not read before: which sessions it has, and all rows of a short one, in one question.

import { asAmount, asText, isObject, parseJson } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, UnreadableDatabase } from '../../../lib/sqlite.ts';
import type { SessionInfo } from '../record.ts';
import { type BatchText, isFull, rowsOf, TOGETHER } from './row-batches.ts';
import { knownSchema, type Schema } from './schema.ts';
import { NUMBERS, sessionNames, TREE, toInfo } from './session-rows.ts';

export interface FirstLook {
  readonly infos: readonly SessionInfo[];
  readonly numbers: readonly [messageRow: number, partRow: number];
  /** All messages and parts; undefined where they are too many for one text. */
  readonly text: BatchText | undefined;
}

/** Undefined where it has to be asked for bit by bit: the schema is not known yet, or something in there is no JSON. */
export async function takeFirstLook(database: ReadOnlyDatabase, root: string): Promise<FirstLook | undefined> {
  const known = knownSchema(database);
  if (!known) return undefined;
  const row = await ask(database, questionFor(known.schema), root);
  const [listed, sessions] = [parseJson(row?.['infos']), parseJson(row?.['list'])];
  if (!row || row['version'] !== known.version || !isListOf(listed, isObject) || !isListOf(sessions, isText))
    return undefined;
  const infos = listed.flatMap((info) => toInfo(info) ?? []);
  // A lost parent is in the tree without a record of its own, and what it said may still lie there: nobody asks for that.
  const isWhole = infos.length === sessions.length && sessions.length <= TOGETHER && !isFull(row);
  return {
    infos,
    numbers: [asAmount(row['last_message']) ?? 0, asAmount(row['last_part']) ?? 0],
    text: isWhole ? { sessions, before: [0, 0], row } : undefined,
  };
}

/** What is damaged is found again, and told, by who asks bit by bit. */
async function ask(database: ReadOnlyDatabase, sql: string, root: string) {
  try {
    return (await database.soon(sql, root))[0];
  } catch (error) {
    if (error instanceof UnreadableDatabase && error.isBusy) throw error;
    return undefined;
  }
}

const questions = new WeakMap<Schema, string>();

function questionFor(schema: Schema): string {
  const known = questions.get(schema);
  if (known !== undefined) return known;
  const fields = sessionNames(schema).map((name) => `'${name}', ${name}`);
  const rows = rowsOf({
    sessions: `(select id from tree where (select count(*) from tree) <= ${TOGETHER})`,
    list: '(select ids from list)',
    before: ['0', '0'],
  });
  const sql = `${TREE}, list(ids) as materialized (select json_group_array(id) from tree)
    select (select schema_version from pragma_schema_version) as version, ${NUMBERS},
      cast((select ids from list) as blob) as list,
      cast((select json_group_array(json_object(${fields.join(', ')})) from session where id in (select id from tree)) as blob) as infos,
      * from ${rows}`;
  questions.set(schema, sql);
  return sql;
}

function isListOf<One>(value: unknown, is: (one: unknown) => one is One): value is readonly One[] {
  return Array.isArray(value) && value.every(is);
}

const isText = (value: unknown): value is string => asText(value) !== undefined;
