// One tree of sessions in a database that many share. A row that is over is not written again, so a look reads what came
// (rows are numbered as they come), the few that were open, and the records of the sessions, which are small.
import { setImmediate } from 'node:timers/promises';
import { asAmount, asText } from '../../../base/json.ts';
import { type ReadOnlyDatabase, readDatabase, type SqlValue, UnreadableDatabase } from '../../../io/sqlite.ts';
import type { AgentEvent } from '../../../model/event.ts';
import { nativeId } from '../../../model/ids.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../adapter.ts';
import { createdAtOf, isOver, messageFacts } from '../facts/message-facts.ts';
import { isOpenCall, partFacts } from '../facts/part-facts.ts';
import { sessionFacts } from '../facts/session-facts.ts';
import type { Door, SessionInfo } from '../record.ts';
import {
  MESSAGE_COLUMNS,
  type MessageRow,
  PART_COLUMNS,
  type PartRow,
  TOLD_COLUMNS,
  toMessageRow,
  toPartRow,
  WITH_FACTS,
} from './rows.ts';
import { readSchema } from './schema.ts';
import { readTree } from './session-rows.ts';

interface MessageNote {
  readonly createdAt: number | undefined;
  readonly isTold: boolean;
  readonly isOver: boolean;
  readonly text?: string;
}

/** How far was read. */
interface Progress {
  messageRow: number;
  partRow: number;
  messages: number;
  modifiedAt: number;
  /** What was last said of each session. */
  readonly sessions: Map<string, string>;
  /** Messages that are not over, and the last of each session: the next parts are theirs. */
  readonly open: Map<string, MessageNote>;
  readonly last: Map<string, string>;
  readonly openParts: Map<string, string>;
}

const FIRST_NUMBERS = `select coalesce((select max(rowid) from message), 0) as messages,
  coalesce((select max(rowid) from part), 0) as parts`;

export function openDatabase({ id }: LocatedSession, source: LocatedSource): TableCursor {
  const door: Door = { session: id, source: source.id, told: new Map() };
  const root = nativeId(id);
  let progress: Progress | undefined;
  return {
    get modifiedAt() {
      return progress?.modifiedAt ?? 0;
    },
    async look(onFacts) {
      try {
        const { look, next } = await readDatabase(source.path, async (database) => {
          const schema = readSchema(database, source.path);
          const infos = readTree(database, schema, root);
          return lookAt(database, infos, door, progress, onFacts);
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

type Looked = { readonly look: 'nothing' | 'news' | 'replaced' | 'gone'; readonly next: Progress | undefined };

async function lookAt(
  database: ReadOnlyDatabase,
  infos: readonly SessionInfo[],
  door: Door,
  before: Progress | undefined,
  onFacts: (facts: readonly AgentEvent[]) => void,
): Promise<Looked> {
  if (infos.length === 0) return before ? { look: 'gone', next: undefined } : { look: 'nothing', next: undefined };
  const [numbers] = database.all(FIRST_NUMBERS);
  const [messageRow, partRow] = [asAmount(numbers?.['messages']) ?? 0, asAmount(numbers?.['parts']) ?? 0];
  // Rows went, or the file was made anew with other numbers.
  if (before && (messageRow < before.messageRow || partRow < before.partRow))
    return { look: 'replaced', next: undefined };
  const next: Progress = before
    ? {
        ...before,
        messageRow,
        partRow,
        sessions: new Map(before.sessions),
        open: new Map(before.open),
        last: new Map(before.last),
        openParts: new Map(before.openParts),
      }
    : {
        messageRow,
        partRow,
        messages: 0,
        modifiedAt: 0,
        sessions: new Map(),
        open: new Map(),
        last: new Map(),
        openParts: new Map(),
      };
  let hasNews = false;
  const tell = (facts: readonly AgentEvent[]): void => {
    if (facts.length === 0) return;
    hasNews = true;
    onFacts(facts);
  };
  const unread: string[] = [];
  for (const info of infos) {
    const said = JSON.stringify(info);
    if (next.sessions.get(info.id) !== said) tell(sessionFacts(info, door));
    if (!next.sessions.has(info.id)) unread.push(info.id);
    next.sessions.set(info.id, said);
    next.modifiedAt = Math.max(next.modifiedAt, info.updatedAt ?? 0);
  }
  if (unread.length > 0) {
    readWhole(database, JSON.stringify(unread), door, next, tell);
    // Somebody else may want to go on.
    await setImmediate();
  }
  if (before) readNews(database, door, before, next, tell);
  const ids = JSON.stringify([...next.sessions.keys()]);
  const [counted] = database.all(`select count(*) as messages from message where session_id in ${LIST}`, ids);
  const messages = asAmount(counted?.['messages']) ?? 0;
  // Somebody took back what was said: the facts of it cannot be told apart from the others.
  if (before && (messages < next.messages || infos.length < before.sessions.size))
    return { look: 'replaced', next: undefined };
  next.messages = messages;
  forgetClosed(next);
  return { look: hasNews ? 'news' : 'nothing', next };
}

const LIST = '(select value from json_each(?))';

type Tell = (facts: readonly AgentEvent[]) => void;

/** Sessions that were not read before. */
function readWhole(database: ReadOnlyDatabase, sessions: string, door: Door, next: Progress, tell: Tell): void {
  const notes = new Map<string, MessageNote>();
  for (const row of database.each(`select ${MESSAGE_COLUMNS} from message where session_id in ${LIST}`, sessions)) {
    const message = toMessageRow(row);
    if (message) tell(takeMessage(message, door, next, notes));
    else tell([damaged(door, asText(row['id']))]);
  }
  const told = [...notes].filter(([, { isTold }]) => isTold).map(([id]) => id);
  const tools = `select ${PART_COLUMNS} from part where session_id in ${LIST} and ${WITH_FACTS}`;
  takeParts(database, [tools, sessions], door, next, notes, tell);
  takeParts(
    database,
    [`select ${TOLD_COLUMNS} from part where message_id in ${LIST}`, JSON.stringify(told)],
    door,
    next,
    notes,
    tell,
  );
}

/** `+` keeps SQLite from going by session: what came since the last look is the shorter way. */
function readNews(database: ReadOnlyDatabase, door: Door, before: Progress, next: Progress, tell: Tell): void {
  const notes = new Map(next.open);
  const ids = JSON.stringify([...before.sessions.keys()]);
  const messages = (where: string, ...values: SqlValue[]): void => {
    for (const row of database.all(`select ${MESSAGE_COLUMNS} from message where ${where}`, ...values)) {
      const message = toMessageRow(row);
      if (message) tell(takeMessage(message, door, next, notes));
    }
  };
  messages(`rowid > ? and +session_id in ${LIST}`, before.messageRow, ids);
  messages(`id in ${LIST}`, JSON.stringify([...before.open.keys()]));
  const parts = (where: string, ...values: SqlValue[]): void => {
    takeParts(database, [`select ${PART_COLUMNS} from part where ${where}`, ...values], door, next, notes, tell);
  };
  parts(`rowid > ? and +session_id in ${LIST}`, before.partRow, ids);
  parts(`id in ${LIST}`, JSON.stringify([...before.openParts.keys()]));
}

function takeMessage(
  { id, session, info, text }: MessageRow,
  door: Door,
  next: Progress,
  notes: Map<string, MessageNote>,
): readonly AgentEvent[] {
  const note = { createdAt: createdAtOf(info), isTold: info['role'] === 'user', isOver: isOver(info), text };
  if (next.open.get(id)?.text === text) return [];
  notes.set(id, note);
  next.open.set(id, note);
  const last = next.last.get(session);
  if (last === undefined || (notes.get(last)?.createdAt ?? 0) <= (note.createdAt ?? 0)) next.last.set(session, id);
  next.modifiedAt = Math.max(next.modifiedAt, note.createdAt ?? 0);
  return messageFacts({ id, session }, info, door);
}

function takeParts(
  database: ReadOnlyDatabase,
  [sql, ...values]: readonly [string, ...SqlValue[]],
  door: Door,
  next: Progress,
  notes: Map<string, MessageNote>,
  tell: Tell,
): void {
  for (const row of database.each(sql, ...values)) {
    const part = toPartRow(row);
    if (!part) tell([damaged(door, asText(row['id']))]);
    else tell(takePart(part, noteOf(database, part.message, notes), door, next));
  }
}

function takePart(row: PartRow, note: MessageNote, door: Door, next: Progress): readonly AgentEvent[] {
  const { id, session, part, text, createdAt, updatedAt } = row;
  if (next.openParts.get(id) === text) return [];
  if (isOpenCall(part)) next.openParts.set(id, text);
  else next.openParts.delete(id);
  next.modifiedAt = Math.max(next.modifiedAt, updatedAt ?? 0);
  const key = {
    id,
    session,
    isTold: note.isTold,
    ...(note.createdAt !== undefined && { createdAt: note.createdAt }),
    ...(createdAt !== undefined && { from: createdAt }),
    ...(updatedAt !== undefined && { until: updatedAt }),
  };
  return partFacts(key, part, door);
}

function noteOf(database: ReadOnlyDatabase, message: string, notes: Map<string, MessageNote>): MessageNote {
  const known = notes.get(message);
  if (known) return known;
  const [row] = database.all(`select ${MESSAGE_COLUMNS} from message where id = ?`, message);
  const info = row && toMessageRow(row)?.info;
  const note = { createdAt: createdAtOf(info), isTold: info?.['role'] === 'user', isOver: true };
  notes.set(message, note);
  return note;
}

/** Those of a session's last message stay, over or not: more may come. */
function forgetClosed(next: Progress): void {
  const last = new Set(next.last.values());
  for (const [id, note] of next.open) if (note.isOver && !last.has(id)) next.open.delete(id);
}

function damaged({ session, source }: Door, id: string | undefined): AgentEvent {
  const origin = { source, offset: 0, length: 0 };
  const diagnostic = { code: 'invalid-json', detail: `the row ${id ?? '?'}` } as const;
  return { kind: 'problem-found', session, origin, diagnostic };
}
