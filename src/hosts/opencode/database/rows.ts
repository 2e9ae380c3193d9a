// Messages and parts as rows. Nine tenths of a database are texts without facts: of long rows only the beginning, which has the facts, leaves
// SQLite. Many rows come in one JSON text: a driver takes a microsecond for each value, and more in garbage collection, which for tens of
// thousands of rows is longer than SQLite takes to read them.

import { setImmediate } from 'node:timers/promises';
import {
  asAmount,
  asObject,
  asText,
  closeJson,
  isObject,
  type JsonObject,
  parseJson,
  parseObject,
} from '../../../lib/json.ts';
import { type ReadOnlyDatabase, type SqlRow, textOf } from '../../../lib/sqlite.ts';
import { PROGRAMS } from '../../shared/index.ts';
import { SHELL, TASK } from '../tools.ts';

export interface MessageRow {
  readonly id: string;
  readonly session: string;
  readonly info: JsonObject;
}

export interface PartRow {
  readonly id: string;
  readonly message: string;
  readonly session: string;
  /** When it was created, and last changed. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  readonly part: JsonObject;
}

/** Prompts contain whole diffs, errors whole web pages. */
const LONG_MESSAGE = 8_192;
const BODIES = `'$.summary.diffs', '$.system', '$.error.data.responseBody', '$.error.data.responseHeaders'`;

export const MESSAGE_COLUMNS = `${textOf('message.id')} as id, ${textOf('message.session_id')} as session_id,
  cast(case when octet_length(message.data) <= ${LONG_MESSAGE} or not json_valid(message.data) then message.data else json_remove(message.data, ${BODIES}) end as blob) as data`;

const [LONG_PART, KEPT] = [1_500, 600];
/** Contains the name of the tool. A text cannot imitate it, since its quotes are escaped. */
const NAME_HEAD = 'substr(part.data, 1, 400)';
const isTool = (name: string): string => `instr(${NAME_HEAD}, '"tool":"${name}"') > 0`;

const PART_KEYS = `${textOf('part.id')} as id, ${textOf('part.message_id')} as message_id, ${textOf('part.session_id')} as session_id,
  part.time_created, part.time_updated`;

/** The times of a call are at the very end. */
export const PART_COLUMNS = `${PART_KEYS},
  octet_length(part.data) > ${LONG_PART} as is_long,
  cast(case when octet_length(part.data) <= ${LONG_PART} then part.data else substr(part.data, 1, ${KEPT}) end as blob) as data,
  case when octet_length(part.data) > ${LONG_PART} then substr(cast(part.data as blob), -200) end as ending,
  case when octet_length(part.data) > ${LONG_PART} and (${isTool('write')} or ${isTool('edit')}) and json_valid(part.data)
       then cast(json_extract(part.data, '$.state.input.filePath') as blob) end as file`;

export const WHOLE_COLUMNS = `${PART_KEYS}, ${textOf('part.data')} as data`;

/** Enough of a prompt for its first line. */
export const PROMPT_COLUMNS = `${PART_KEYS},
  octet_length(part.data) > ${LONG_MESSAGE} as is_long,
  cast(case when octet_length(part.data) <= ${LONG_MESSAGE} then part.data else substr(part.data, 1, ${LONG_MESSAGE}) end as blob) as data`;

/** Beginnings of parts without facts; unknown beginnings are read. */
const BARE = [
  '{"type":"tex',
  '{"type":"rea',
  '{"type":"ste',
  '{"type":"pat',
  '{"type":"fil',
  '{"snapshot":',
  '{"reason":"t',
  '{"reason":"s',
];

export const WITH_FACTS = `substr(part.data, 1, 12) not in (${BARE.map((begin) => `'${begin}'`).join(', ')})`;

export function toMessageRow({ id, session_id, data }: SqlRow): MessageRow | undefined {
  const [native, session, info] = [asText(id), asText(session_id), parseObject(data)];
  return native === undefined || session === undefined || !info ? undefined : { id: native, session, info };
}

/** Undefined if its text is not JSON. */
export function toPartRow(row: SqlRow): PartRow | undefined {
  const [id, message, session] = [asText(row['id']), asText(row['message_id']), asText(row['session_id'])];
  const text = asText(row['data']);
  if (id === undefined || message === undefined || session === undefined || text === undefined) return undefined;
  const isLong = row['is_long'] === 1;
  // A cut text hardly ever ends like an object; checking costs less than parsing.
  const whole = isLong && !text.endsWith('}') ? undefined : parseObject(text);
  const part = whole ?? (isLong ? withEnding(parseObject(closeJson(text)), row) : undefined);
  if (!part) return undefined;
  const [from, until] = [asAmount(row['time_created']), asAmount(row['time_updated'])];
  return { id, message, session, from, until, part };
}

/**
 * Whether a cut call must be read whole: the agent that it made, or the session of a program that a command ran, is in its output. Commands
 * are searched here because SQLite takes a microsecond for each name that it does not find.
 */
export function isNeededWhole({ tool, state }: JsonObject): boolean {
  if (tool === TASK) return true;
  if (tool !== SHELL) return false;
  const command = asText(asObject(asObject(state)?.['input'])?.['command']);
  return command !== undefined && NAMES.some((name) => command.includes(name));
}

const NAMES = PROGRAMS.flatMap(({ names: [shortest] }) => shortest ?? []);

const TIME_AT_END = /"time":\{"start":(\d+)(?:,"end":(\d+))?[^{}]*\}(?:,"attachments":\[.*\])?\}\}?$/;

/** Restores the fields after the output of a cut call. */
function withEnding(part: JsonObject | undefined, { ending, file }: SqlRow): JsonObject | undefined {
  const state = asObject(part?.['state']);
  if (!part || !state) return part;
  const text = asText(ending) ?? '';
  const [, start, end] = TIME_AT_END.exec(text) ?? [];
  const time = { ...(start && { start: Number(start) }), ...(end && { end: Number(end) }) };
  const filePath = asText(file);
  const input = filePath === undefined ? state['input'] : { ...asObject(state['input']), filePath };
  return { ...part, state: { ...state, input, time } };
}

/** Rows per batch, to limit memory. */
export const ROWS = 1_000;

/** `apart` and `whole` are ids of rows to be read separately: too long for a batch, or calls needed whole. */
export interface Batch<Row> {
  readonly rows: readonly Row[];
  readonly apart: readonly string[];
  readonly whole: readonly string[];
}

/** Short sessions are read together, since a query takes longer than reading one; each alone if they are too many rows. */
export const TOGETHER = 8;

export const LIST = '(select value from json_each(?))';

const [BATCH_LONG, BATCH_HEAD, BATCH_ENDING] = [900, 1_600, 200];
/** Long texts are cut and searched as bytes: SQLite takes four times as long for characters. */
const toBytes = (text: string): string => `x'${Buffer.from(text).toString('hex')}'`;
/** After it is the output of an ended call; only the times at the very end are needed. */
const OUTPUT = toBytes(',"output":"');
const TIME = toBytes('"time":{"start":');

/**
 * One query with one row: each question costs more than what some of them read. All parameters are SQL: the ids as a table and as a JSON
 * text, the number of messages to skip, the row of the last part before.
 */
export function selectRows(sessions: string, list: string, read: string, last: string): string {
  // A session by its position in the list: its id would be a fifth of the text.
  const session = `instr(${list}, '"' || session_id || '"')`;
  const keys = `'[' || ${session} || ',"' || id || '","' || message_id || '",' || time_created || ',' || time_updated || ','`;
  // Ids have no quotes; if one has, the batch is not JSON.
  const messages = `select count(*) as messages,
      cast('[' || group_concat('[' || ${session} || ',"' || id || '",' || data || ']') || ']' as blob) as message_rows
    from (select session_id, id, time_created, case when octet_length(data) <= ${LONG_MESSAGE} then data else 'null' end as data
      from message where session_id in ${sessions} order by session_id, time_created, id limit ${ROWS} offset ${read})`;
  // `limit` makes SQLite read each row once.
  const parts = `select count(*) as parts, max(row) as last, cast('[' || group_concat(${keys} || case when ending is null then head
        when instr(head, ${OUTPUT}) and instr(ending, ${TIME})
        then substr(head, 1, instr(head, ${OUTPUT}) - 1) || ',' || substr(ending, instr(ending, ${TIME}))
        else 'null' end || ']') || ']' as blob) as part_rows
    from (select rowid as row, session_id, id, message_id, time_created, time_updated,
        case when octet_length(data) <= ${BATCH_LONG} then data else substr(cast(data as blob), 1, ${BATCH_HEAD}) end as head,
        case when octet_length(data) > ${BATCH_LONG} then substr(cast(data as blob), -${BATCH_ENDING}) end as ending
      from part where session_id in ${sessions} and rowid > ${last} and ${WITH_FACTS} order by session_id, rowid limit ${ROWS})`;
  // The parts of prompts, found by the beginning that all recorded versions write; others are read separately.
  const told = `select count(*) as told,
      cast('[' || group_concat(${keys} || case when octet_length(data) <= ${LONG_MESSAGE} then data else 'null' end || ']') || ']' as blob) as told_rows
    from part where message_id in (select id from (select id, data from message where session_id in ${sessions}
      order by session_id, time_created, id limit ${ROWS} offset ${read}) where data >= '{"role":"user"' and data < '{"role":"user#')`;
  return `(${messages}), (${parts}), (${told})`;
}

const ALL = `select * from ${selectRows('(select value from json_each(?1))', '?1', '?2', '?3')}`;

export interface BatchText {
  readonly sessions: readonly string[];
  /** The number of messages before it, and the row of the last part before it. */
  readonly before: readonly [messages: number, part: number];
  readonly row: SqlRow;
}

/** All messages of each session by time, and all parts with facts by row. Others get a turn between two batches. */
export async function* readBatches(database: ReadOnlyDatabase, sessions: readonly string[]): AsyncGenerator<BatchText> {
  for (let from = 0; from < sessions.length; from += TOGETHER) {
    const group = sessions.slice(from, from + TOGETHER);
    await setImmediate();
    const [row] = group.length > 1 ? database.all(ALL, JSON.stringify(group), 0, 0) : [];
    if (row && !isFull(row)) yield { sessions: group, before: [0, 0], row };
    else for (const session of group) yield* pagesOf(database, session);
  }
}

async function* pagesOf(database: ReadOnlyDatabase, session: string): AsyncGenerator<BatchText> {
  let [read, last] = [0, 0];
  for (let hasMore = true; hasMore; ) {
    await setImmediate();
    const [row = {}] = database.all(ALL, JSON.stringify([session]), read, last);
    yield { sessions: [session], before: [read, last], row };
    hasMore = isFull(row);
    read += ROWS;
    last = asAmount(row['last']) ?? Number.MAX_SAFE_INTEGER;
  }
}

export function isFull({ messages, parts }: SqlRow): boolean {
  return messages === ROWS || parts === ROWS;
}

/** Undefined if a text in it is not JSON. */
export function toMessages({ sessions, row }: BatchText): Batch<MessageRow> | undefined {
  const sessionAt = placesOf(sessions);
  return toBatch(row['messages'], row['message_rows'], 3, ([at, id, info]) => {
    const session = sessionAt.get(at);
    return isObject(info) && session !== undefined ? { id: id as string, session, info } : undefined;
  });
}

export function toParts({ sessions, row }: BatchText, of: 'calls' | 'prompts' = 'calls'): Batch<PartRow> | undefined {
  const sessionAt = placesOf(sessions);
  const [count, text] = of === 'calls' ? [row['parts'], row['part_rows']] : [row['told'], row['told_rows']];
  return toBatch(count, text, 6, ([at, id, message, createdAt, updatedAt, part]) => {
    const session = sessionAt.get(at);
    if (!isObject(part) || session === undefined) return undefined;
    const [from, until] = [asAmount(createdAt), asAmount(updatedAt)];
    return { id: id as string, message: message as string, session, from, until, part };
  });
}

/**
 * Positions in the list, as SQLite's `instr` counts them. An id that JSON escapes is not found (0): its rows are read separately.
 */
function placesOf(sessions: readonly string[]): ReadonlyMap<unknown, string> {
  const asked = JSON.stringify(sessions);
  const places = new Map(sessions.map((session) => [asked.indexOf(`"${session}"`) + 1, session]));
  places.delete(0);
  return places;
}

/** A text that is not JSON may close a bracket that it did not open, so the number and width of rows are checked. */
function toBatch<Row extends { readonly id: string; readonly part?: JsonObject }>(
  count: unknown,
  text: unknown,
  width: number,
  toRow: (values: readonly unknown[]) => Row | undefined,
): Batch<Row> | undefined {
  const found = parseJson(text ?? '[]') as readonly (readonly unknown[])[] | undefined;
  if (!found || found.length !== count) return undefined;
  const rows: Row[] = [];
  const [apart, whole]: [string[], string[]] = [[], []];
  for (const values of found) {
    if (!Array.isArray(values) || values.length !== width) return undefined;
    const row = toRow(values);
    if (!row) apart.push(values[1] as string);
    else if (row.part && isCut(row.part) && isNeededWhole(row.part)) whole.push(row.id);
    else rows.push(row);
  }
  return { rows, apart, whole };
}

function isCut({ state }: JsonObject): boolean {
  const { status, output } = asObject(state) ?? {};
  return status === 'completed' && output === undefined;
}
