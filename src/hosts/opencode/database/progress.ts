// How far one tree of sessions was read, and what of it may still change: rows that are over are not written again.

import type { AgentEvent } from '../../../core/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { createdAtOf, isOver, messageFacts } from '../facts/message-facts.ts';
import { isOpenCall, type PartKey, partFacts } from '../facts/part-facts.ts';
import type { Door } from '../record.ts';
import type { MessageRow, PartRow } from './rows.ts';

/** What is to be known of a message when its parts come. */
export interface MessageNote {
  readonly createdAt: number | undefined;
  readonly isTold: boolean;
}

interface OpenMessage extends MessageNote {
  readonly isOver: boolean;
  /** As it was, to see whether it is another now. */
  readonly info: JsonObject;
}

export interface Progress {
  messageRow: number;
  partRow: number;
  messages: number;
  modifiedAt: number;
  /** What was last said of each session. */
  readonly sessions: Map<string, string>;
  /** Messages that are not over, and the last of each session, over or not: the next parts are theirs. */
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

export function takeMessage(
  { id, session, info }: MessageRow,
  door: Door,
  next: Progress,
  notes: Map<string, MessageNote>,
): readonly AgentEvent[] {
  const before = next.open.get(id);
  if (before && isSame(before.info, info)) return [];
  const createdAt = createdAtOf(info);
  const message: OpenMessage = { createdAt, isTold: info['role'] === 'user', isOver: isOver(info), info };
  notes.set(id, { createdAt, isTold: message.isTold });
  keepOpen(id, session, message, next);
  if (createdAt !== undefined && createdAt > next.modifiedAt) next.modifiedAt = createdAt;
  return messageFacts({ id, session }, info, door);
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

export function takePart(row: PartRow, note: MessageNote, door: Door, next: Progress): readonly AgentEvent[] {
  const { id, session, part, createdAt: from, updatedAt: until } = row;
  if (isOpenCall(part)) {
    const text = JSON.stringify(part);
    if (next.openParts.get(id) === text) return [];
    next.openParts.set(id, text);
  } else next.openParts.delete(id);
  if (until !== undefined && until > next.modifiedAt) next.modifiedAt = until;
  const { isTold, createdAt } = note;
  return partFacts({ id, session, isTold, createdAt, from, until } satisfies PartKey, part, door);
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
