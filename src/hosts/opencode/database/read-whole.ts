// Sessions that were not read before: all of their messages, and the parts with facts in them.

import type { AgentEvent } from '../../../core/index.ts';
import { asAmount, asText } from '../../../lib/json.ts';
import type { ReadOnlyDatabase, SqlRow, SqlValue } from '../../../lib/sqlite.ts';
import { createdAtOf } from '../facts/message-facts.ts';
import type { Door } from '../record.ts';
import { type MessageNote, type Progress, takeMessage, takePart } from './progress.ts';
import { type Batch, type BatchText, LIST, ROWS, readBatches, toMessages, toParts, toTold } from './row-batches.ts';
import {
  isNeededWhole,
  MESSAGE_COLUMNS,
  PART_COLUMNS,
  type PartRow,
  TOLD_COLUMNS,
  toMessageRow,
  toPartRow,
  WHOLE_COLUMNS,
  WITH_FACTS,
} from './rows.ts';

/** One look at a database. */
export interface Looking {
  readonly database: ReadOnlyDatabase;
  readonly door: Door;
  readonly next: Progress;
  tell(facts: readonly AgentEvent[]): void;
}

export type Notes = Map<string, MessageNote>;

/** `all`: everything there is of them, where it was read already. */
export async function readWhole(look: Looking, sessions: readonly string[], all?: BatchText): Promise<void> {
  const notes: Notes = new Map();
  /** Messages of which it was read what the agent was told. */
  const known = new Set<string>();
  const take = (text: BatchText): void => {
    look.next.messages += asAmount(text.row['messages']) ?? 0;
    readMessages(look, text, notes);
    readTold(look, text, notes, known);
    readParts(look, text, notes);
  };
  if (all) take(all);
  else for await (const text of readBatches(look.database, sessions)) take(text);
  const told: string[] = [];
  for (const [id, { isTold }] of notes) if (isTold && !known.has(id)) told.push(id);
  if (told.length > 0)
    takeParts(look, notes, `select ${TOLD_COLUMNS} from part where message_id in ${LIST}`, JSON.stringify(told));
}

/** Where a batch is not to be understood, its rows are read one by one. */
function readMessages(look: Looking, text: BatchText, notes: Notes): void {
  const { sessions, before } = text;
  const batch = toMessages(text);
  if (!batch) {
    const where = `session_id in ${LIST} order by session_id, time_created, id limit ${ROWS} offset ?`;
    return void takeMessages(look, notes, where, JSON.stringify(sessions), before[0]);
  }
  for (const message of batch.rows) look.tell(takeMessage(message, look.door, look.next, notes));
  if (batch.apart.length > 0) takeMessages(look, notes, `id in ${LIST}`, JSON.stringify(batch.apart));
}

function readParts(look: Looking, text: BatchText, notes: Notes): void {
  const { sessions, before } = text;
  const batch = toParts(text);
  if (batch) {
    takeBatch(look, notes, batch);
    return;
  }
  const where = `session_id in ${LIST} and rowid > ? and ${WITH_FACTS} order by session_id, rowid limit ${ROWS}`;
  takeParts(look, notes, `select ${PART_COLUMNS} from part where ${where}`, JSON.stringify(sessions), before[1]);
}

/** Messages that do not get `known` are read by themselves. */
function readTold(look: Looking, text: BatchText, notes: Notes, known: Set<string>): void {
  const batch = toTold(text);
  if (!batch || batch.apart.length > 0) return;
  for (const part of batch.rows) {
    const note = notes.get(part.message);
    if (!note?.isTold) continue;
    look.tell(takePart(part, note, look.door, look.next));
    known.add(part.message);
  }
}

function takeBatch(look: Looking, notes: Notes, { rows, apart, whole }: Batch<PartRow>): void {
  for (const part of rows) look.tell(takePart(part, noteOf(look.database, part.message, notes), look.door, look.next));
  if (whole.length > 0)
    takeParts(look, notes, `select ${WHOLE_COLUMNS} from part where id in ${LIST}`, JSON.stringify(whole));
  if (apart.length > 0)
    takeParts(look, notes, `select ${PART_COLUMNS} from part where id in ${LIST}`, JSON.stringify(apart));
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
    const part = wholeWhereNeeded(look.database, row, toPartRow(row));
    look.tell(
      part
        ? takePart(part, noteOf(look.database, part.message, notes), look.door, look.next)
        : [damaged(look.door, asText(row['id']))],
    );
  }
}

function wholeWhereNeeded(database: ReadOnlyDatabase, row: SqlRow, part: PartRow | undefined): PartRow | undefined {
  if (!part || row['is_long'] !== 1 || !isNeededWhole(part.part)) return part;
  const [whole] = database.all(`select ${WHOLE_COLUMNS} from part where id = ?`, part.id);
  return whole && toPartRow(whole);
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
