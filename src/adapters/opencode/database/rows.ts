// Messages and parts as rows. Nine tenths of a database are texts that the tree has no use for: of long rows only the
// beginning leaves SQLite, which is where the facts stand.
import { closeJson } from '../../../base/close-json.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../../base/json.ts';
import { parseObject } from '../../../base/parse-json.ts';
import { type SqlRow, textOf } from '../../../io/sqlite.ts';

export interface MessageRow {
  readonly id: string;
  readonly session: string;
  readonly info: JsonObject;
  /** As it came, to see whether it is another now. */
  readonly text: string;
}

export interface PartRow {
  readonly id: string;
  readonly message: string;
  readonly session: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly part: JsonObject;
  readonly text: string;
}

/** Whole diffs stand in what the person said, whole web pages in errors. */
const LONG_MESSAGE = 8_192;
const BODIES = `'$.summary.diffs', '$.system', '$.error.data.responseBody', '$.error.data.responseHeaders'`;

export const MESSAGE_COLUMNS = `${textOf('message.id')} as id, ${textOf('message.session_id')} as session_id,
  cast(case when octet_length(message.data) <= ${LONG_MESSAGE} then message.data else json_remove(message.data, ${BODIES}) end as blob) as data`;

const [LONG_PART, KEPT] = [1_500, 600];
/** Only here: the name of the tool, which a text cannot imitate, for quotes are escaped there. */
const HEAD = 'substr(part.data, 1, 400)';
const isTool = (name: string): string => `instr(${HEAD}, '"tool":"${name}"') > 0`;

/** Calls of agents are read whole: whom they made stands behind the result. When a call ran stands at the very end. */
const PART_KEYS = `${textOf('part.id')} as id, ${textOf('part.message_id')} as message_id, ${textOf('part.session_id')} as session_id,
  part.time_created, part.time_updated`;

export const PART_COLUMNS = `${PART_KEYS},
  octet_length(part.data) > ${LONG_PART} as is_long,
  cast(case when octet_length(part.data) <= ${LONG_PART} or ${isTool('task')} then part.data
       else substr(part.data, 1, ${KEPT}) end as blob) as data,
  case when octet_length(part.data) > ${LONG_PART} then substr(cast(part.data as blob), -200) end as ending,
  case when octet_length(part.data) > ${LONG_PART} and (${isTool('write')} or ${isTool('edit')})
       then cast(json_extract(part.data, '$.state.input.filePath') as blob) end as file`;

/** Of what an agent was told, so much that its first line is whole. */
export const TOLD_COLUMNS = `${PART_KEYS},
  octet_length(part.data) > ${LONG_MESSAGE} as is_long,
  cast(case when octet_length(part.data) <= ${LONG_MESSAGE} then part.data else substr(part.data, 1, ${LONG_MESSAGE}) end as blob) as data`;

/** Parts with facts in them. What begins in a way that no version was seen to write is looked at as well. */
export const WITH_FACTS = `(instr(substr(part.data, 1, 100), '"type":"tool"') > 0
  or substr(part.data, 1, 8) not in ('{"type":', '{"snapsh', '{"reason'))`;

export function toMessageRow({ id, session_id, data }: SqlRow): MessageRow | undefined {
  const [native, session, text, info] = [asText(id), asText(session_id), asText(data), parseObject(data)];
  if (native === undefined || session === undefined || text === undefined || !info) return undefined;
  return { id: native, session, info, text };
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
  return {
    id,
    message,
    session,
    part,
    text,
    ...known({ createdAt: asAmount(row['time_created']), updatedAt: asAmount(row['time_updated']) }),
  };
}

const TIME = /"time":\{"start":(\d+)(?:,"end":(\d+))?[^{}]*\}\}\}?$/;

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
