// Sessions that were not read before: all of their messages, and the parts with facts in them.
import { asAmount, asText } from '../../../base/json.ts';
import type { ReadOnlyDatabase, SqlValue } from '../../../io/sqlite.ts';
import type { AgentEvent } from '../../../model/event.ts';
import { createdAtOf } from '../facts/message-facts.ts';
import type { Door } from '../record.ts';
import { type MessageNote, type Progress, takeMessage, takePart } from './progress.ts';
import { type BatchText, ROWS, readBatches, toMessages, toParts } from './row-batches.ts';
import { MESSAGE_COLUMNS, PART_COLUMNS, TOLD_COLUMNS, toMessageRow, toPartRow, WITH_FACTS } from './rows.ts';

/** One look at a database. */
export interface Looking {
  readonly database: ReadOnlyDatabase;
  readonly door: Door;
  readonly next: Progress;
  tell(facts: readonly AgentEvent[]): void;
}

export type Notes = Map<string, MessageNote>;

export const LIST = '(select value from json_each(?))';

export async function readWhole(look: Looking, sessions: readonly string[]): Promise<void> {
  const notes: Notes = new Map();
  for await (const text of readBatches(look.database, sessions)) {
    look.next.messages += asAmount(text.row['messages']) ?? 0;
    readMessages(look, text, notes);
    readParts(look, text, notes);
  }
  const told = [...notes].filter(([, { isTold }]) => isTold).map(([id]) => id);
  takeParts(look, notes, `select ${TOLD_COLUMNS} from part where message_id in ${LIST}`, JSON.stringify(told));
}

/** Where a batch is not to be understood, its rows are read one by one. */
function readMessages(look: Looking, text: BatchText, notes: Notes): void {
  const batch = toMessages(text);
  if (!batch) {
    const where = `session_id = ? order by time_created, id limit ${ROWS} offset ?`;
    return void takeMessages(look, notes, where, text.session, text.before[0]);
  }
  for (const message of batch.rows) look.tell(takeMessage(message, look.door, look.next, notes));
  if (batch.apart.length > 0) takeMessages(look, notes, `id in ${LIST}`, JSON.stringify(batch.apart));
}

function readParts(look: Looking, text: BatchText, notes: Notes): void {
  const parts = `select ${PART_COLUMNS} from part where`;
  const batch = toParts(text);
  if (!batch) {
    const where = `session_id = ? and rowid > ? and ${WITH_FACTS} order by rowid limit ${ROWS}`;
    return void takeParts(look, notes, `${parts} ${where}`, text.session, text.before[1]);
  }
  for (const part of batch.rows)
    look.tell(takePart(part, noteOf(look.database, part.message, notes), look.door, look.next));
  if (batch.apart.length > 0) takeParts(look, notes, `${parts} id in ${LIST}`, JSON.stringify(batch.apart));
}

/** Row by row. */
export function takeMessages(look: Looking, notes: Notes, where: string, ...values: readonly SqlValue[]): void {
  for (const row of look.database.each(`select ${MESSAGE_COLUMNS} from message where ${where}`, ...values)) {
    const message = toMessageRow(row);
    look.tell(message ? takeMessage(message, look.door, look.next, notes) : [damaged(look.door, asText(row['id']))]);
  }
}

/** Row by row. */
export function takeParts(look: Looking, notes: Notes, sql: string, ...values: readonly SqlValue[]): void {
  for (const row of look.database.each(sql, ...values)) {
    const part = toPartRow(row);
    look.tell(
      part
        ? takePart(part, noteOf(look.database, part.message, notes), look.door, look.next)
        : [damaged(look.door, asText(row['id']))],
    );
  }
}

function noteOf(database: ReadOnlyDatabase, message: string, notes: Notes): MessageNote {
  const known = notes.get(message);
  if (known) return known;
  const [row] = database.all(`select ${MESSAGE_COLUMNS} from message where id = ?`, message);
  const info = row && toMessageRow(row)?.info;
  const note = { createdAt: createdAtOf(info), isTold: info?.['role'] === 'user' };
  notes.set(message, note);
  return note;
}

function damaged({ session, source }: Door, id: string | undefined): AgentEvent {
  const origin = { source, offset: 0, length: 0 };
  const diagnostic = { code: 'invalid-json', detail: `the row ${id ?? '?'}` } as const;
  return { kind: 'problem-found', session, origin, diagnostic };
}
