// Many rows in one JSON text. A driver takes a microsecond for each value that it hands over, and more for what it leaves to the
// garbage collector: of tens of thousands of rows, that is longer than SQLite takes to read them.
import { asAmount, asText, isObject } from '../../../base/json.ts';
import { parseJson } from '../../../base/parse-json.ts';
import type { ReadOnlyDatabase, SqlRow } from '../../../io/sqlite.ts';
import { PROGRAMS } from '../../printed/programs.ts';
import { SHELL } from '../tools.ts';
import { LONG_MESSAGE, type MessageRow, type PartRow, WITH_FACTS } from './rows.ts';

/** So many rows at a time: what is held in memory does not grow with the session. */
export const ROWS = 500;

/**
 * A row whose text cannot stand in the batch is there with its id alone, to be read by itself.
 */
export interface Batch<Row> {
  readonly rows: readonly Row[];
  readonly apart: readonly string[];
}

/** Ids have no quotes in them: where one has, the batch is no JSON. */
const MESSAGES = `select count(*) as messages, cast(group_concat('["' || id || '",' || data || ']') as blob) as message_rows
  from (select id, time_created, case when octet_length(data) <= ${LONG_MESSAGE} then data else 'null' end as data
    from message where session_id = ?1 order by time_created, id limit ${ROWS} offset ?2)`;

const [LONG, HEAD, ENDING] = [900, 800, 200];
/** Behind it stand the bodies of a call that came to an end: nothing in there is of use but when it ran, at the very end. */
const OUTPUT = `,"output":"`;
/** In hexadecimal, for the end of a text is cut by bytes. Quotes in texts are escaped, so none of them can imitate it. */
const TIME = `x'${Buffer.from('"time":{"start":').toString('hex')}'`;

/** Whom a call of an agent made, and the session of a program that a command ran, stand in or behind the result. */
const NEEDED_WHOLE = `(instr(head, '"tool":"task"') or instr(head, '"tool":"${SHELL}"') and (${PROGRAMS.map(
  ({ names }) => `instr(head, '${names[0]}')`,
).join(' or ')}))`;

/** Some calls are read whole. `limit` has SQLite look into each row once. */
const PARTS = `select count(*) as parts, max(row) as last, cast(group_concat('["' || id || '","' || message_id || '",' || time_created || ',' ||
    time_updated || ',' || case when ending is null then head
      when ${NEEDED_WHOLE} then (select data from part where rowid = row)
      when instr(head, '${OUTPUT}') and instr(ending, ${TIME})
      then substr(head, 1, instr(head, '${OUTPUT}') - 1) || ',' || substr(ending, instr(ending, ${TIME}))
      else 'null' end || ']') as blob) as part_rows
  from (select rowid as row, id, message_id, time_created, time_updated,
      case when octet_length(data) <= ${LONG} then data else substr(data, 1, ${HEAD}) end as head,
      case when octet_length(data) > ${LONG} then substr(cast(data as blob), -${ENDING}) end as ending
    from part where session_id = ?1 and rowid > ?3 and ${WITH_FACTS} order by rowid limit ${ROWS})`;

/** One row, for only the first is read on the other thread. */
const BOTH = `select * from (${MESSAGES}), (${PARTS})`;

export interface BatchText {
  readonly session: string;
  /** How many messages stand before it, and the row of the last part before it. */
  readonly before: readonly [messages: number, part: number];
  readonly row: SqlRow;
}

/**
 * Of each session all messages, by the time they came, and all parts with facts in them, by their rows. The next text is on its
 * way while somebody takes the last one apart.
 */
export function readBatches(database: ReadOnlyDatabase, sessions: readonly string[]): AsyncIterable<BatchText> {
  return ahead(textsOf(database, sessions));
}

async function* textsOf(database: ReadOnlyDatabase, sessions: readonly string[]): AsyncGenerator<BatchText> {
  for (const session of sessions) {
    let [read, last] = [0, 0];
    for (let hasMore = true; hasMore; ) {
      const [row = {}] = await database.soon(BOTH, session, read, last);
      yield { session, before: [read, last], row };
      hasMore = row['messages'] === ROWS || row['parts'] === ROWS;
      read += ROWS;
      last = asAmount(row['last']) ?? Number.MAX_SAFE_INTEGER;
    }
  }
}

/** Asks for the next before the last is handed on. Whoever stops in between waits for what is under way. */
async function* ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  try {
    for (let found = await next; !found.done; found = await next) {
      next = source.next();
      yield found.value;
    }
  } finally {
    await next.catch(() => undefined);
  }
}

/** Undefined where a text in it is no JSON. */
export function toMessages({ session, row }: BatchText): Batch<MessageRow> | undefined {
  return toBatch(row['messages'], row['message_rows'], 2, ([id, info]) =>
    isObject(info) ? { id: id as string, session, info } : undefined,
  );
}

/** As `toMessages`. */
export function toParts({ session, row }: BatchText): Batch<PartRow> | undefined {
  return toBatch(row['parts'], row['part_rows'], 5, ([id, message, createdAt, updatedAt, part]) =>
    isObject(part)
      ? {
          id: id as string,
          message: message as string,
          session,
          part,
          createdAt: asAmount(createdAt),
          updatedAt: asAmount(updatedAt),
        }
      : undefined,
  );
}

/** A text that is no JSON alone may close a bracket that it did not open: then there are other rows, or longer ones. */
function toBatch<Row>(
  count: unknown,
  text: unknown,
  width: number,
  toRow: (values: readonly unknown[]) => Row | undefined,
): Batch<Row> | undefined {
  const found = parseJson(`[${asText(text) ?? ''}]`) as readonly (readonly unknown[])[] | undefined;
  if (!found || found.length !== count) return undefined;
  const rows: Row[] = [];
  const apart: string[] = [];
  for (const values of found) {
    if (!Array.isArray(values) || values.length !== width) return undefined;
    const row = toRow(values);
    if (row) rows.push(row);
    else apart.push(values[0] as string);
  }
  return { rows, apart };
}
