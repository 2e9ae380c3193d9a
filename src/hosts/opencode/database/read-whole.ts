// Reads sessions for the first time (all messages, and the parts with facts), and keeps track of the rows that may still change.

import type { AgentEvent } from '../../../core/index.ts';
import { asAmount, asText, type JsonObject } from '../../../lib/json.ts';
import type { ReadOnlyDatabase, SqlRow, SqlValue } from '../../../lib/sqlite.ts';
import { createdAtOf, isOver, messageFacts } from '../parse-messages.ts';
import { isOpenCall, type PartKey, partFacts } from '../parse-parts.ts';
import type { RecordContext } from '../record.ts';
import {
  type Batch,
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
  toPromptParts,
  WHOLE_COLUMNS,
  WITH_FACTS,
} from './rows.ts';

/** One look at a database. */
export interface Look {
  readonly database: ReadOnlyDatabase;
  readonly context: RecordContext;
  readonly next: Progress;
  emit(facts: readonly AgentEvent[]): void;
}

type Notes = Map<string, MessageNote>;

/** `all`: all their rows, if already read. */
export async function readWhole(look: Look, sessions: readonly string[], all?: BatchText): Promise<void> {
  const notes: Notes = new Map();
  /** Prompts whose parts were read. */
  const known = new Set<string>();
  const take = (text: BatchText): void => {
    look.next.messages += asAmount(text.row['messages']) ?? 0;
    readMessages(look, text, notes);
    readPromptParts(look, text, notes, known);
    readParts(look, text, notes);
  };
  if (all) take(all);
  else for await (const text of readBatches(look.database, sessions)) take(text);
  const told: string[] = [];
  for (const [id, { isPrompt }] of notes) if (isPrompt && !known.has(id)) told.push(id);
  if (told.length > 0)
    takeParts(look, notes, `select ${PROMPT_COLUMNS} from part where message_id in ${LIST}`, JSON.stringify(told));
}

/** If a batch is not JSON, its rows are read one by one. */
function readMessages(look: Look, text: BatchText, notes: Notes): void {
  const { sessions, before } = text;
  const batch = toMessages(text);
  if (!batch) {
    const where = `session_id in ${LIST} order by session_id, time_created, id limit ${ROWS} offset ?`;
    return void takeMessages(look, notes, where, JSON.stringify(sessions), before[0]);
  }
  for (const message of batch.rows) look.emit(takeMessage(message, look.context, look.next, notes));
  if (batch.apart.length > 0) takeMessages(look, notes, `id in ${LIST}`, JSON.stringify(batch.apart));
}

function readParts(look: Look, text: BatchText, notes: Notes): void {
  const { sessions, before } = text;
  const batch = toParts(text);
  if (batch) {
    takeBatch(look, notes, batch);
    return;
  }
  const where = `session_id in ${LIST} and rowid > ? and ${WITH_FACTS} order by session_id, rowid limit ${ROWS}`;
  takeParts(look, notes, `select ${PART_COLUMNS} from part where ${where}`, JSON.stringify(sessions), before[1]);
}

/** Prompts that are not added to `known` are read separately. */
function readPromptParts(look: Look, text: BatchText, notes: Notes, known: Set<string>): void {
  const batch = toPromptParts(text);
  if (!batch || batch.apart.length > 0) return;
  for (const part of batch.rows) {
    const note = notes.get(part.message);
    if (!note?.isPrompt) continue;
    look.emit(takePart(part, note, look.context, look.next));
    known.add(part.message);
  }
}

function takeBatch(look: Look, notes: Notes, { rows, apart, whole }: Batch<PartRow>): void {
  for (const part of rows)
    look.emit(takePart(part, noteOf(look.database, part.message, notes), look.context, look.next));
  if (whole.length > 0)
    takeParts(look, notes, `select ${WHOLE_COLUMNS} from part where id in ${LIST}`, JSON.stringify(whole));
  if (apart.length > 0)
    takeParts(look, notes, `select ${PART_COLUMNS} from part where id in ${LIST}`, JSON.stringify(apart));
}

export function takeMessages(look: Look, notes: Notes, where: string, ...values: readonly SqlValue[]): void {
  for (const row of look.database.each(`select ${MESSAGE_COLUMNS} from message where ${where}`, ...values)) {
    const message = toMessageRow(row);
    look.emit(
      message ? takeMessage(message, look.context, look.next, notes) : [damaged(look.context, asText(row['id']))],
    );
  }
}

export function takeParts(look: Look, notes: Notes, sql: string, ...values: readonly SqlValue[]): void {
  for (const row of look.database.each(sql, ...values)) {
    const part = wholeWhereNeeded(look.database, row, toPartRow(row));
    look.emit(
      part
        ? takePart(part, noteOf(look.database, part.message, notes), look.context, look.next)
        : [damaged(look.context, asText(row['id']))],
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
  const note = { createdAt: createdAtOf(info), isPrompt: info?.['role'] === 'user' };
  notes.set(message, note);
  return note;
}

function damaged({ session, source }: RecordContext, id: string | undefined): AgentEvent {
  const origin = { source, offset: 0, length: 0 };
  const diagnostic = { code: 'invalid-json', detail: `the row ${id ?? '?'}` } as const;
  return { kind: 'problem-found', session, origin, diagnostic };
}

/** What parts need of their message. */
export interface MessageNote {
  readonly createdAt: number | undefined;
  readonly isPrompt: boolean;
}

interface OpenMessage extends MessageNote {
  readonly isOver: boolean;
  /** To see whether it has changed. */
  readonly info: JsonObject;
}

export interface Progress {
  messageRow: number;
  partRow: number;
  messages: number;
  modifiedAt: number;
  /** The last record of each session. */
  readonly sessions: Map<string, string>;
  /** Unfinished messages, and the last of each session: new parts belong to them. */
  readonly open: Map<string, OpenMessage>;
  readonly last: Map<string, string>;
  readonly openParts: Map<string, string>;
}

export function createProgress(): Progress {
  const maps = { sessions: new Map(), open: new Map(), last: new Map(), openParts: new Map() };
  return { messageRow: 0, partRow: 0, messages: 0, modifiedAt: 0, ...maps };
}

export function copyProgress(before: Progress): Progress {
  return {
    ...before,
    sessions: new Map(before.sessions),
    open: new Map(before.open),
    last: new Map(before.last),
    openParts: new Map(before.openParts),
  };
}

function takeMessage(
  { id, session, info }: MessageRow,
  context: RecordContext,
  next: Progress,
  notes: Map<string, MessageNote>,
): readonly AgentEvent[] {
  const before = next.open.get(id);
  if (before && isSame(before.info, info)) return [];
  const createdAt = createdAtOf(info);
  const message: OpenMessage = { createdAt, isPrompt: info['role'] === 'user', isOver: isOver(info), info };
  notes.set(id, { createdAt, isPrompt: message.isPrompt });
  keepOpen(id, session, message, next);
  if (createdAt !== undefined && createdAt > next.modifiedAt) next.modifiedAt = createdAt;
  return messageFacts({ id, session }, info, context);
}

function keepOpen(id: string, session: string, message: OpenMessage, { open, last }: Progress): void {
  const lastId = last.get(session);
  const former = lastId === undefined ? undefined : open.get(lastId);
  const isLast = lastId === undefined || lastId === id || (former?.createdAt ?? 0) <= (message.createdAt ?? 0);
  if (isLast) last.set(session, id);
  if (isLast && lastId !== undefined && lastId !== id && former?.isOver) open.delete(lastId);
  if (isLast || !message.isOver) open.set(id, message);
  else open.delete(id);
}

function takePart(row: PartRow, note: MessageNote, context: RecordContext, next: Progress): readonly AgentEvent[] {
  const { id, session, part, createdAt: from, updatedAt: until } = row;
  if (isOpenCall(part)) {
    const text = JSON.stringify(part);
    if (next.openParts.get(id) === text) return [];
    next.openParts.set(id, text);
  } else next.openParts.delete(id);
  if (until !== undefined && until > next.modifiedAt) next.modifiedAt = until;
  const { isPrompt, createdAt } = note;
  return partFacts({ id, session, isPrompt, createdAt, from, until } satisfies PartKey, part, context);
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
