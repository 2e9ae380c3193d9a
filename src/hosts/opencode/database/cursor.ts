// One tree of sessions in a database that many share. Finished rows are not written again, so a look reads new rows (they are numbered in
// order), the few open ones, and the records of the sessions, which are small.

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
  type Look,
  type MessageNote,
  type Progress,
  readWhole,
  takeMessages,
  takeParts,
} from './read-whole.ts';
import { type BatchText, isFull, LIST, PART_COLUMNS, selectRows, TOGETHER } from './rows.ts';
import { knownSchema, NUMBERS, readSchema, readTree, type Schema, sessionNames, TREE, toInfo } from './schema.ts';

/** Facts of a long session take memory: at most two are read in parallel. */
const longSessions = atMost(2);

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
          const first = progress ? undefined : await readAtOnce(database, root);
          return lookAt(database, first ?? readInSteps(database, source.path, root), context, progress, onFacts);
        });
        progress = next;
        return look;
      } catch (error) {
        // Locked by a writer; earlier facts still hold.
        if (progress && error instanceof UnreadableDatabase && error.isBusy) return 'later';
        throw error;
      }
    },
  };
}

function readInSteps(database: ReadOnlyDatabase, file: string, root: string): TreeAtOnce {
  const infos = readTree(database, readSchema(database, file), root);
  const [numbers] = database.all(`select ${NUMBERS}`);
  const [messageRow, partRow] = [asAmount(numbers?.['last_message']) ?? 0, asAmount(numbers?.['last_part']) ?? 0];
  return { infos, numbers: [messageRow, partRow], text: undefined };
}

type Looked = { readonly look: 'nothing' | 'news' | 'replaced' | 'gone'; readonly next: Progress | undefined };

async function lookAt(
  database: ReadOnlyDatabase,
  { infos, numbers: [messageRow, partRow], text }: TreeAtOnce,
  context: RecordContext,
  before: Progress | undefined,
  onFacts: (facts: readonly AgentEvent[]) => void,
): Promise<Looked> {
  if (infos.length === 0) return before ? { look: 'gone', next: undefined } : { look: 'nothing', next: undefined };
  // Rows were deleted, or the file was recreated.
  if (before && (messageRow < before.messageRow || partRow < before.partRow))
    return { look: 'replaced', next: undefined };
  const next = before ? copyProgress(before) : createProgress();
  Object.assign(next, { messageRow, partRow });
  let hasChanges = false;
  const emit = (facts: readonly AgentEvent[]): void => {
    if (facts.length === 0) return;
    hasChanges = true;
    onFacts(facts);
  };
  const unread: string[] = [];
  for (const info of infos) {
    const said = JSON.stringify(info);
    if (next.sessions.get(info.id) !== said) emit(sessionFacts(info, context));
    if (!next.sessions.has(info.id)) unread.push(info.id);
    next.sessions.set(info.id, said);
    next.modifiedAt = Math.max(next.modifiedAt, info.updatedAt ?? 0);
  }
  const look: Look = { database, context, next, emit };
  if (unread.length > 0) {
    if (text) await readWhole(look, unread, text);
    else await longSessions(() => readWhole(look, unread));
    // Let other work run.
    await setImmediate();
  }
  if (before) readChanges(look, before);
  if (!before) return { look: hasChanges ? 'news' : 'nothing', next };
  const ids = JSON.stringify([...next.sessions.keys()]);
  const [counted] = database.all(`select count(*) as messages from message where session_id in ${LIST}`, ids);
  const messages = asAmount(counted?.['messages']) ?? 0;
  // Messages were removed: their facts cannot be separated from the others.
  if (messages < next.messages || infos.length < before.sessions.size) return { look: 'replaced', next: undefined };
  next.messages = messages;
  return { look: hasChanges ? 'news' : 'nothing', next };
}

/** `+` keeps SQLite from using the index by session: the new rows are fewer. */
function readChanges(look: Look, before: Progress): void {
  const notes = new Map<string, MessageNote>(look.next.open);
  const ids = JSON.stringify([...before.sessions.keys()]);
  takeMessages(look, notes, `rowid > ? and +session_id in ${LIST}`, before.messageRow, ids);
  takeMessages(look, notes, `id in ${LIST}`, JSON.stringify([...before.open.keys()]));
  const parts = `select ${PART_COLUMNS} from part where`;
  takeParts(look, notes, `${parts} rowid > ? and +session_id in ${LIST}`, before.partRow, ids);
  takeParts(look, notes, `${parts} id in ${LIST}`, JSON.stringify([...before.openParts.keys()]));
}

interface TreeAtOnce {
  readonly infos: readonly SessionInfo[];
  readonly numbers: readonly [messageRow: number, partRow: number];
  /** All messages and parts; undefined if there are too many. */
  readonly text: BatchText | undefined;
}

/**
 * Reads a new tree in one query: its sessions, and all rows of a short one. Undefined if the schema is not known yet, or something is not JSON;
 * then `readInSteps` does it.
 */
export async function readAtOnce(database: ReadOnlyDatabase, root: string): Promise<TreeAtOnce | undefined> {
  const known = knownSchema(database);
  if (!known) return undefined;
  const row = await ask(database, questionFor(known.schema), root);
  const [listed, sessions] = [parseJson(row?.['infos']), parseJson(row?.['list'])];
  if (!row || row['version'] !== known.version || !isListOf(listed, isObject) || !isListOf(sessions, isText))
    return undefined;
  const infos = listed.flatMap((info) => toInfo(info) ?? []);
  // A deleted parent is in the tree without a record; its remaining messages are not read.
  const isWhole = infos.length === sessions.length && sessions.length <= TOGETHER && !isFull(row);
  return {
    infos,
    numbers: [asAmount(row['last_message']) ?? 0, asAmount(row['last_part']) ?? 0],
    text: isWhole ? { sessions, before: [0, 0], row } : undefined,
  };
}

/** Damage is found again, and reported, by `readInSteps`. */
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
  const rows = selectRows({
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
