// Messages and parts as rows. Nine tenths of a database are texts that the tree has no use for: of long rows only the
// beginning leaves SQLite, which is where the facts stand.

import { asAmount, asObject, asText, closeJson, type JsonObject, known, parseObject } from '../../../lib/json.ts';
import { type SqlRow, textOf } from '../../../lib/sqlite.ts';
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
  readonly createdAt: number | undefined;
  readonly updatedAt: number | undefined;
  readonly part: JsonObject;
}

/** Whole diffs stand in what the person said, whole web pages in errors. */
export const LONG_MESSAGE = 8_192;
const BODIES = `'$.summary.diffs', '$.system', '$.error.data.responseBody', '$.error.data.responseHeaders'`;

export const MESSAGE_COLUMNS = `${textOf('message.id')} as id, ${textOf('message.session_id')} as session_id,
  cast(case when octet_length(message.data) <= ${LONG_MESSAGE} or not json_valid(message.data) then message.data else json_remove(message.data, ${BODIES}) end as blob) as data`;

const [LONG_PART, KEPT] = [1_500, 600];
/** Only here: the name of the tool, which a text cannot imitate, for quotes are escaped there. */
const HEAD = 'substr(part.data, 1, 400)';
const isTool = (name: string): string => `instr(${HEAD}, '"tool":"${name}"') > 0`;

const PART_KEYS = `${textOf('part.id')} as id, ${textOf('part.message_id')} as message_id, ${textOf('part.session_id')} as session_id,
  part.time_created, part.time_updated`;

/** When a call ran stands at the very end. */
export const PART_COLUMNS = `${PART_KEYS},
  octet_length(part.data) > ${LONG_PART} as is_long,
  cast(case when octet_length(part.data) <= ${LONG_PART} then part.data else substr(part.data, 1, ${KEPT}) end as blob) as data,
  case when octet_length(part.data) > ${LONG_PART} then substr(cast(part.data as blob), -200) end as ending,
  case when octet_length(part.data) > ${LONG_PART} and (${isTool('write')} or ${isTool('edit')}) and json_valid(part.data)
       then cast(json_extract(part.data, '$.state.input.filePath') as blob) end as file`;

export const WHOLE_COLUMNS = `${PART_KEYS}, ${textOf('part.data')} as data`;

/** Of what an agent was told, so much that its first line is whole. */
export const TOLD_COLUMNS = `${PART_KEYS},
  octet_length(part.data) > ${LONG_MESSAGE} as is_long,
  cast(case when octet_length(part.data) <= ${LONG_MESSAGE} then part.data else substr(part.data, 1, ${LONG_MESSAGE}) end as blob) as data`;

/** What parts without facts begin with; what begins in a way that no version was seen to write is looked at as well. */
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

/** Undefined where its text is no JSON. */
export function toPartRow(row: SqlRow): PartRow | undefined {
  const [id, message, session] = [asText(row['id']), asText(row['message_id']), asText(row['session_id'])];
  const text = asText(row['data']);
  if (id === undefined || message === undefined || session === undefined || text === undefined) return undefined;
  const isLong = row['is_long'] === 1;
  // One that was cut does not end as an object does, or hardly ever; to see it costs less than to try.
  const whole = isLong && !text.endsWith('}') ? undefined : parseObject(text);
  const part = whole ?? (isLong ? withEnding(parseObject(closeJson(text)), row) : undefined);
  if (!part) return undefined;
  const [createdAt, updatedAt] = [asAmount(row['time_created']), asAmount(row['time_updated'])];
  return { id, message, session, part, createdAt, updatedAt };
}

/**
 * Of a call whose bodies were left out: whom a call of an agent made, and the session of a program that a command ran, stand in
 * them. Commands are looked through here, for SQLite takes a microsecond for each name that it does not find.
 */
export function isNeededWhole({ tool, state }: JsonObject): boolean {
  if (tool === TASK) return true;
  if (tool !== SHELL) return false;
  const command = asText(asObject(asObject(state)?.['input'])?.['command']);
  return command !== undefined && NAMES.some((name) => command.includes(name));
}

const NAMES = PROGRAMS.flatMap(({ names: [shortest] }) => shortest ?? []);

const TIME = /"time":\{"start":(\d+)(?:,"end":(\d+))?[^{}]*\}(?:,"attachments":\[.*\])?\}\}?$/;

/** What stands behind the bodies of a call, put back where it belongs. */
function withEnding(part: JsonObject | undefined, { ending, file }: SqlRow): JsonObject | undefined {
  const state = asObject(part?.['state']);
  if (!part || !state) return part;
  const text = asText(ending) ?? '';
  const [, start, end] = TIME.exec(text) ?? [];
  const time = known({
    start: start === undefined ? undefined : Number(start),
    end: end === undefined ? undefined : Number(end),
  });
  const filePath = asText(file);
  const input = filePath === undefined ? state['input'] : { ...asObject(state['input']), filePath };
  return { ...part, state: { ...state, input, time } };
}
