// One tree of sessions in a database that many share. A row that is over is not written again, so a look reads what came
// (rows are numbered as they come), the few that were open, and the records of the sessions, which are small.

import { setImmediate } from 'node:timers/promises';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { atMost } from '../../../lib/clock.ts';
import { asAmount, asText, isObject, parseJson } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, readDatabase, UnreadableDatabase } from '../../../lib/sqlite.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { sessionFacts } from '../parse-messages.ts';
import type { RecordContext, SessionInfo } from '../record.ts';
import {
  copyProgress,
  createProgress,
  type Looking,
  type MessageNote,
  type Progress,
  readWhole,
  takeMessages,
  takeParts,
} from './read-whole.ts';
import { type BatchText, isFull, LIST, PART_COLUMNS, rowsOf, TOGETHER } from './rows.ts';
import { knownSchema, NUMBERS, readSchema, readTree, type Schema, sessionNames, TREE, toInfo } from './schema.ts';

/** What is made of a long session takes room: many are asked for side by side, and these are read in twos. */
const longOnes = atMost(2);

export function openDatabase({ id }: LocatedSession, source: LocatedSource): TableCursor {
  const context: RecordContext = { session: id, source: source.id, settings: new Map() };
  const root = nativeId(id);
  let progress: Progress | undefined;
  return {
    get modifiedAt() {
      return progress?.modifiedAt ?? 0;
    },
    async look(onFacts) {
      try {
        const { look, next } = await readDatabase(source.path, async (database) => {
          const first = progress ? undefined : await takeFirstLook(database, root);
          return lookAt(database, first ?? lookBitByBit(database, source.path, root), context, progress, onFacts);
        });
        progress = next;
        return look;
      } catch (error) {
        // Somebody is in the middle of something; what was read before still holds.
        if (progress && error instanceof UnreadableDatabase && error.isBusy) return 'later';
        throw error;
      }
    },
  };
}

function lookBitByBit(database: ReadOnlyDatabase, file: string, root: string): FirstLook {
  const infos = readTree(database, readSchema(database, file), root);
  const [numbers] = database.all(`select ${NUMBERS}`);
  const [messageRow, partRow] = [asAmount(numbers?.['last_message']) ?? 0, asAmount(numbers?.['last_part']) ?? 0];
  return { infos, numbers: [messageRow, partRow], text: undefined };
}

type Looked = { readonly look: 'nothing' | 'news' | 'replaced' | 'gone'; readonly next: Progress | undefined };

async function lookAt(
  database: ReadOnlyDatabase,
  { infos, numbers: [messageRow, partRow], text }: FirstLook,
  context: RecordContext,
  before: Progress | undefined,
  onFacts: (facts: readonly AgentEvent[]) => void,
): Promise<Looked> {
  if (infos.length === 0) return before ? { look: 'gone', next: undefined } : { look: 'nothing', next: undefined };
  // Rows went, or the file was made anew with other numbers.
  if (before && (messageRow < before.messageRow || partRow < before.partRow))
    return { look: 'replaced', next: undefined };
  const next = before ? copyProgress(before) : createProgress();
  Object.assign(next, { messageRow, partRow });
  let hasNews = false;
  const tell = (facts: readonly AgentEvent[]): void => {
    if (facts.length === 0) return;
    hasNews = true;
    onFacts(facts);
  };
  const unread: string[] = [];
  for (const info of infos) {
    const said = JSON.stringify(info);
    if (next.sessions.get(info.id) !== said) tell(sessionFacts(info, context));
    if (!next.sessions.has(info.id)) unread.push(info.id);
    next.sessions.set(info.id, said);
    next.modifiedAt = Math.max(next.modifiedAt, info.updatedAt ?? 0);
  }
  const look: Looking = { database, context, next, tell };
  if (unread.length > 0) {
    if (text) await readWhole(look, unread, text);
    else await longOnes(() => readWhole(look, unread));
    // Somebody else may want to go on.
    await setImmediate();
  }
  if (before) readNews(look, before);
  if (!before) return { look: hasNews ? 'news' : 'nothing', next };
  const ids = JSON.stringify([...next.sessions.keys()]);
  const [counted] = database.all(`select count(*) as messages from message where session_id in ${LIST}`, ids);
  const messages = asAmount(counted?.['messages']) ?? 0;
  // Somebody took back what was said: the facts of it cannot be told apart from the others.
  if (messages < next.messages || infos.length < before.sessions.size) return { look: 'replaced', next: undefined };
  next.messages = messages;
  return { look: hasNews ? 'news' : 'nothing', next };
}

/** `+` keeps SQLite from going by session: what came since the last look is the shorter way. */
function readNews(look: Looking, before: Progress): void {
  const notes = new Map<string, MessageNote>(look.next.open);
  const ids = JSON.stringify([...before.sessions.keys()]);
  takeMessages(look, notes, `rowid > ? and +session_id in ${LIST}`, before.messageRow, ids);
  takeMessages(look, notes, `id in ${LIST}`, JSON.stringify([...before.open.keys()]));
  const parts = `select ${PART_COLUMNS} from part where`;
  takeParts(look, notes, `${parts} rowid > ? and +session_id in ${LIST}`, before.partRow, ids);
  takeParts(look, notes, `${parts} id in ${LIST}`, JSON.stringify([...before.openParts.keys()]));
}

interface FirstLook {
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
