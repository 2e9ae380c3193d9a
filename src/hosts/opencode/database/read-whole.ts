// Reads sessions for the first time (all messages, and the parts with facts), and keeps track of the rows that may still change.

import type { AgentEvent } from '../../../core/index.ts';
import { asAmount, asText, isEqual, type JsonObject } from '../../../lib/json.ts';
import type { ReadOnlyDatabase, SqlRow, SqlValue } from '../../../lib/sqlite.ts';
import { createdAtOf, isOver, type MessageNote, messageFacts, noteOf } from '../parse-messages.ts';
import { isOpenCall, partFacts } from '../parse-parts.ts';
import type { RecordContext } from '../record.ts';
import {
  type BatchText,
  isNeededWhole,
  LIST,
  MESSAGE_COLUMNS,
  type MessageRow,
  PART_COLUMNS,
  type PartRow,
  PROMPT_COLUMNS,
  ROWS,
  readBatches,
  toMessageRow,
  toMessages,
  toPartRow,
  toParts,
  WHOLE_COLUMNS,
  WITH_FACTS,
} from './rows.ts';

/** One look at a database. */
export interface Look {
  readonly database: ReadOnlyDatabase;
  readonly context: RecordContext;
  readonly next: Progress;
  /** By id of the message. */
  readonly notes: Map<string, MessageNote>;
  emit(facts: readonly AgentEvent[]): void;
}

/** `all`: all their rows, if already read. */
export async function readWhole(look: Look, sessions: readonly string[], all?: BatchText): Promise<void> {
  /** Prompts whose parts were read. */
  const known = new Set<string>();
  const take = (text: BatchText): void => {
    look.next.messages += asAmount(text.row['messages']) ?? 0;
    readMessages(look, text);
    readPromptParts(look, text, known);
    readParts(look, text);
  };
  if (all) take(all);
  else for await (const text of readBatches(look.database, sessions)) take(text);
  const told: string[] = [];
  for (const [id, { isPrompt }] of look.notes) if (isPrompt && !known.has(id)) told.push(id);
  takeListedParts(look, 'message_id', told, PROMPT_COLUMNS);
}

/** If a batch is not JSON, its rows are read one by one. */
function readMessages(look: Look, text: BatchText): void {
  const batch = toMessages(text);
  if (batch) {
    for (const message of batch.rows) takeMessage(look, message);
    if (batch.apart.length > 0) takeMessages(look, `id in ${LIST}`, JSON.stringify(batch.apart));
  } else {
    const where = `session_id in ${LIST} order by session_id, time_created, id limit ${ROWS} offset ?`;
    takeMessages(look, where, JSON.stringify(text.sessions), text.before[0]);
  }
}

function readParts(look: Look, text: BatchText): void {
  const batch = toParts(text);
  if (batch) {
    for (const part of batch.rows) takePart(look, part);
    takeListedParts(look, 'id', batch.whole, WHOLE_COLUMNS);
    takeListedParts(look, 'id', batch.apart, PART_COLUMNS);
  } else {
    const where = `session_id in ${LIST} and rowid > ? and ${WITH_FACTS} order by session_id, rowid limit ${ROWS}`;
    takeParts(look, PART_COLUMNS, where, JSON.stringify(text.sessions), text.before[1]);
  }
}

/** Prompts that are not added to `known` are read separately. */
function readPromptParts(look: Look, text: BatchText, known: Set<string>): void {
  const batch = toParts(text, 'prompts');
  if (!batch || batch.apart.length > 0) return;
  for (const part of batch.rows) {
    if (!look.notes.get(part.message)?.isPrompt) continue;
    takePart(look, part);
    known.add(part.message);
  }
}

function takeListedParts(look: Look, column: string, ids: readonly string[], columns: string): void {
  if (ids.length > 0) takeParts(look, columns, `${column} in ${LIST}`, JSON.stringify(ids));
}

export function takeMessages(look: Look, where: string, ...values: readonly SqlValue[]): void {
  for (const row of look.database.each(`select ${MESSAGE_COLUMNS} from message where ${where}`, ...values)) {
    const message = toMessageRow(row);
    if (message) takeMessage(look, message);
    else reportDamage(look, row);
  }
}

export function takeParts(look: Look, columns: string, where: string, ...values: readonly SqlValue[]): void {
  for (const row of look.database.each(`select ${columns} from part where ${where}`, ...values)) {
    const part = wholeWhereNeeded(look.database, row, toPartRow(row));
    if (part) takePart(look, part);
    else reportDamage(look, row);
  }
}

function wholeWhereNeeded(database: ReadOnlyDatabase, row: SqlRow, part: PartRow | undefined): PartRow | undefined {
  if (!part || row['is_long'] !== 1 || !isNeededWhole(part.part)) return part;
  const [whole] = database.all(`select ${WHOLE_COLUMNS} from part where id = ?`, part.id);
  return whole && toPartRow(whole);
}

function reportDamage({ context: { session, source }, emit }: Look, row: SqlRow): void {
  const origin = { source, offset: 0, length: 0 };
  const diagnostic = { code: 'invalid-json', detail: `the row ${asText(row['id']) ?? '?'}` } as const;
  emit([{ kind: 'problem-found', session, origin, diagnostic }]);
}

export interface Progress {
  messageRow: number;
  partRow: number;
  messages: number;
  modifiedAt: number;
  /** The last record of each session. */
  readonly sessions: Map<string, string>;
  /** Unfinished messages, and the last of each session: new parts belong to them. */
  readonly open: Map<string, JsonObject>;
  readonly last: Map<string, string>;
  readonly openParts: Map<string, string>;
}

export function createProgress(): Progress {
  const maps = { sessions: new Map(), open: new Map(), last: new Map(), openParts: new Map() };
  return { messageRow: 0, partRow: 0, messages: 0, modifiedAt: 0, ...maps };
}

function takeMessage({ context, next, notes, emit }: Look, { id, session, info }: MessageRow): void {
  const before = next.open.get(id);
  if (before && isEqual(before, info)) return;
  const note = noteOf(info);
  notes.set(id, note);
  keepOpen(id, session, info, next);
  next.modifiedAt = Math.max(next.modifiedAt, note.createdAt ?? 0);
  emit(messageFacts({ id, session }, info, context));
}

function keepOpen(id: string, session: string, info: JsonObject, { open, last }: Progress): void {
  const lastId = last.get(session);
  const former = lastId === undefined ? undefined : open.get(lastId);
  const isLast = lastId === undefined || lastId === id || (createdAtOf(former) ?? 0) <= (createdAtOf(info) ?? 0);
  if (isLast) last.set(session, id);
  if (isLast && lastId !== undefined && lastId !== id && former && isOver(former)) open.delete(lastId);
  if (isLast || !isOver(info)) open.set(id, info);
  else open.delete(id);
}

function takePart(look: Look, { id, session, message, from, until, part }: PartRow): void {
  const { context, next, emit } = look;
  if (isOpenCall(part)) {
    const text = JSON.stringify(part);
    if (next.openParts.get(id) === text) return;
    next.openParts.set(id, text);
  } else next.openParts.delete(id);
  next.modifiedAt = Math.max(next.modifiedAt, until ?? 0);
  const { isPrompt, createdAt } = noteFor(look, message);
  emit(partFacts({ id, session, isPrompt, createdAt, from, until }, part, context));
}

function noteFor({ database, notes }: Look, message: string): MessageNote {
  const known = notes.get(message);
  if (known) return known;
  const [row] = database.all(`select ${MESSAGE_COLUMNS} from message where id = ?`, message);
  const note = noteOf(row && toMessageRow(row)?.info);
  notes.set(message, note);
  return note;
}
