// One tree of sessions in a database that many share. Finished rows are not written again, so a look reads new rows (they are numbered in
// order), the few open ones, and the records of the sessions, which are small.

import { setImmediate } from 'node:timers/promises';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { atMost } from '../../../lib/clock.ts';
import { asAmount, parseJson } from '../../../lib/json.ts';
import { type ReadOnlyDatabase, readDatabase, UnreadableDatabase } from '../../../lib/sqlite.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { noteOf, sessionFacts } from '../parse-messages.ts';
import { objectsIn, type RecordContext, type SessionInfo } from '../record.ts';
import { createProgress, type Look, type Progress, readWhole, takeMessages, takeParts } from './read-whole.ts';
import { type BatchText, isFull, LIST, PART_COLUMNS, selectRows, TOGETHER } from './rows.ts';
import {
  knownSchema,
  NUMBERS,
  numbersIn,
  readSchema,
  readSecondSchema,
  readTree,
  type Schema,
  TREE,
  toInfo,
} from './schema.ts';
import { createSecondProgress, lookAtSecond, type SecondProgress } from './second.ts';

/** Facts of a long session take memory: at most two are read in parallel. */
const longSessions = atMost(2);

export function openDatabase(session: LocatedSession, source: LocatedSource): TableCursor {
  const { id } = session;
  const context: RecordContext = { session: id, source: source.id, begun: {}, settings: new Map() };
  const root = nativeId(id);
  let progress: Progress | undefined;
  let second: SecondProgress | undefined;
  const beginSecond = createSecondProgress(session, source);
  return {
    get modifiedAt() {
      return (second ?? progress)?.modifiedAt ?? 0;
    },
    async look(onFacts) {
      try {
        const { look, next } = await readDatabase(source.path, async (database): Promise<Looked> => {
          const first = progress || second ? undefined : await readAtOnce(database, root);
          if (first) return lookAt(database, first, context, undefined, onFacts);
          const schema = readSecondSchema(database, source.path);
          if (schema) {
            // OpenCode 2 has copied what OpenCode 1 wrote, under other ids.
            if (progress) return { look: 'replaced', next: undefined };
            const looked = await lookAtSecond(database, schema, session, second, beginSecond, onFacts);
            second = looked.next;
            return { look: looked.look, next: undefined };
          }
          if (second) return { look: 'replaced', next: undefined };
          return lookAt(database, readInSteps(database, source.path, root), context, progress, onFacts);
        });
        progress = next;
        if (look === 'replaced') second = undefined;
        return look;
      } catch (error) {
        // Locked by a writer; earlier facts still hold.
        if ((progress || second) && error instanceof UnreadableDatabase && error.isBusy) return 'later';
        throw error;
      }
    },
  };
}

function readInSteps(database: ReadOnlyDatabase, file: string, root: string): TreeAtOnce {
  const infos = readTree(database, readSchema(database, file), root);
  const [row] = database.all(`select ${NUMBERS}`);
  return { infos, numbers: numbersIn(row), text: undefined };
}

type Looked = { readonly look: 'nothing' | 'news' | 'replaced' | 'gone'; readonly next: Progress | undefined };

async function lookAt(
  database: ReadOnlyDatabase,
  { infos, numbers: [messageRow, partRow], text }: TreeAtOnce,
  context: RecordContext,
  before: Progress | undefined,
  onFacts: (facts: readonly AgentEvent[]) => void,
): Promise<Looked> {
  if (infos.length === 0) return { look: before ? 'gone' : 'nothing', next: undefined };
  // Rows were deleted, or the file was recreated.
  if (before && (messageRow < before.messageRow || partRow < before.partRow))
    return { look: 'replaced', next: undefined };
  const next = { ...(before ? structuredClone(before) : createProgress()), messageRow, partRow };
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
  const look: Look = { database, context, next, notes: new Map(), emit };
  if (unread.length > 0) {
    if (text) await readWhole(look, unread, text);
    else await longSessions(() => readWhole(look, unread));
    // Let other work run.
    await setImmediate();
  }
  if (before) {
    readChanges(look, before);
    const ids = JSON.stringify([...next.sessions.keys()]);
    const [counted] = database.all(`select count(*) as messages from message where session_id in ${LIST}`, ids);
    const messages = asAmount(counted?.['messages']) ?? 0;
    // Messages were removed: their facts cannot be separated from the others.
    if (messages < next.messages || infos.length < before.sessions.size) return { look: 'replaced', next: undefined };
    next.messages = messages;
  }
  return { look: hasChanges ? 'news' : 'nothing', next };
}

/** `+` keeps SQLite from using the index by session: the new rows are fewer. */
function readChanges(look: Look, before: Progress): void {
  for (const [id, info] of look.next.open) look.notes.set(id, noteOf(info));
  const ids = JSON.stringify([...before.sessions.keys()]);
  const isNew = `rowid > ? and +session_id in ${LIST}`;
  takeMessages(look, isNew, before.messageRow, ids);
  takeMessages(look, `id in ${LIST}`, JSON.stringify([...before.open.keys()]));
  takeParts(look, PART_COLUMNS, isNew, before.partRow, ids);
  takeParts(look, PART_COLUMNS, `id in ${LIST}`, JSON.stringify([...before.openParts.keys()]));
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
  const schema = knownSchema(database);
  if (!schema) return undefined;
  const row = await ask(database, treeQuery(schema), root);
  const [listed, sessions] = [parseJson(row?.['infos']), parseJson(row?.['list'])];
  if (!row || row['version'] !== schema.version || !Array.isArray(listed) || !Array.isArray(sessions)) return undefined;
  const infos = objectsIn(listed).flatMap((info) => toInfo(info) ?? []);
  // A deleted parent is in the tree without a record; its remaining messages are not read.
  const isWhole = infos.length === sessions.length && sessions.length <= TOGETHER && !isFull(row);
  return { infos, numbers: numbersIn(row), text: isWhole ? { sessions, before: [0, 0], row } : undefined };
}

/** Damage is found again, and reported, by `readInSteps`. */
async function ask(database: ReadOnlyDatabase, sql: string, root: string) {
  try {
    return database.all(sql, root)[0];
  } catch (error) {
    if (error instanceof UnreadableDatabase && error.isBusy) throw error;
    return undefined;
  }
}

function treeQuery({ sessionColumns }: Schema): string {
  const fields = sessionColumns.map((name) => `'${name}', ${name}`);
  const sessions = `(select id from tree where (select count(*) from tree) <= ${TOGETHER})`;
  return `${TREE}, list(ids) as materialized (select json_group_array(id) from tree)
    select (select schema_version from pragma_schema_version) as version, ${NUMBERS},
      cast((select ids from list) as blob) as list,
      cast((select json_group_array(json_object(${fields.join(', ')})) from session where id in (select id from tree)) as blob) as infos,
      * from ${selectRows(sessions, '(select ids from list)', '0', '0')}`;
}
