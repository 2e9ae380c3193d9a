// Brings the text index up to date with the files of sessions: what is new is added, what is gone is removed.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { type AgentNode, type SessionTree, subjectOf, type TranscriptMessage } from '../core/index.ts';
import type { LocatedSource, MessageLines, OpenTranscript } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { readRange } from '../lib/read-lines.ts';
import { isSystemError } from '../lib/user-error.ts';
import { type FoundSession, openAnew, sourcesOf } from '../sessions/index.ts';
import { textsOf, usedIn } from './message-text.ts';
import type { KnownPart, MessageRow, NewMessage, TextRows } from './text-rows.ts';

/** Messages are read and written in steps, so that a stop in between loses little, and memory stays small. */
const STEP_BYTES = 4 * 1024 * 1024;
const STEP_MESSAGES = 500;
/** Bytes before its end by which a file that has grown is told from one that was written anew. */
const TAIL_BYTES = 512;
/** Two writes within one tick of the disk's clock look the same. */
const QUIET_MS = 3_000;
/** A database does not say of a session when it was last written to while the session is young. */
const YOUNG_MS = 6 * 3_600_000;

/** One file, as of the moment before it was read. */
interface SourceState {
  readonly id: string;
  /** Ends with a question mark if it was young. */
  readonly stamp: string;
  readonly inode: number;
  readonly size: number;
  /** Of the bytes before `size`. */
  readonly tail: string;
}

/** The state of something on the disk. While it is young, another write may leave the same stamp. */
interface Stamp {
  readonly stamp: string;
  readonly isYoung: boolean;
}

/** Of its files and of what is known beside them. */
export function textStamp({ adapter, located }: FoundSession, now: number): Stamp {
  const hash = createHash('sha256').update(JSON.stringify([adapter.host, located.facts, located.modifiedAt]));
  const states = located.sources.map((source) => sourceStamp(source, located.modifiedAt, now));
  for (const [index, { id, agent }] of located.sources.entries())
    hash.update(`${id} ${agent ?? ''} ${states[index]?.stamp}\n`);
  return { stamp: hash.digest('base64url'), isYoung: states.some(({ isYoung }) => isYoung) };
}

/** As it is kept. */
function keptStamp({ stamp, isYoung }: Stamp): string {
  return isYoung ? `${stamp}?` : stamp;
}

/** Whether what was kept still holds, as far as can be seen now. */
export function isUpToDate(kept: string | undefined, now: Stamp): boolean {
  return kept === now.stamp || (now.isYoung && kept === keptStamp(now));
}

function sourceStamp({ path, shape }: LocatedSource, modifiedAt: number, now: number): Stamp {
  if (shape !== 'table') return fileState(path, now);
  if (now - modifiedAt > YOUNG_MS) return { stamp: `table ${modifiedAt}`, isYoung: false };
  const states = [path, `${path}-wal`].map((file) => fileState(file, now));
  return { stamp: states.map(({ stamp }) => stamp).join(' '), isYoung: states.some(({ isYoung }) => isYoung) };
}

function fileState(file: string, now: number): Stamp & Pick<SourceState, 'inode' | 'size'> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    return { stamp, isYoung: Math.abs(now - ctimeMs) < QUIET_MS, inode: ino, size };
  } catch {
    return { stamp: '-', isYoung: false, inode: 0, size: 0 };
  }
}

export interface TextUpdate {
  readonly rows: TextRows;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** Reads what is new of one session. `tree`: of the session alone. Files that cannot be read are left as they are in the index. */
export async function updateSessionText(
  found: FoundSession,
  tree: SessionTree,
  { rows, clock, signal }: TextUpdate,
): Promise<void> {
  const { id, root } = found.located;
  // Before anything is read: what is written meanwhile is seen the next time.
  const stamp = keptStamp(textStamp(found, clock()));
  const subject = subjectOf(tree);
  const session = rows.inOneStep(() => rows.putSession(id, root, '', subject));
  const known = new Map(rows.parts(session).map((part) => [part.agent, part]));
  for (const node of tree.agents) {
    if (node.session !== undefined) continue;
    if (signal?.aborted) return;
    await updatePart(found, node, session, known.get(node.id), { rows, clock, ...(signal && { signal }) });
    known.delete(node.id);
  }
  if (signal?.aborted) return;
  rows.inOneStep(() => {
    for (const { key } of known.values()) rows.removePart(key);
    rows.putSession(id, root, stamp, subject);
  });
}

interface OpenedSource {
  /** Of all sources of the agent. */
  readonly index: number;
  readonly state: SourceState;
  readonly bodies: OpenTranscript;
  readonly source: LocatedSource;
  places: readonly MessageLines[];
  /** What is known of its messages still holds. */
  readonly isSame: boolean;
}

async function updatePart(
  { adapter, located }: FoundSession,
  node: AgentNode,
  session: number,
  known: KnownPart | undefined,
  { rows, clock, signal }: TextUpdate,
): Promise<void> {
  const sources = await sourcesOf(adapter, located, node);
  const before = new Map((known ? (JSON.parse(known.sources) as SourceState[]) : []).map((one) => [one.id, one]));
  const states = await Promise.all(sources.map((source) => stateOf(source, located.modifiedAt, clock())));
  const isUnchanged = (state: SourceState): boolean =>
    !state.stamp.endsWith('?') && before.get(state.id)?.stamp === state.stamp;
  if (known && before.size === states.length && states.every(isUnchanged)) return;
  const opened: OpenedSource[] = [];
  for (const [index, source] of sources.entries()) {
    const state = states[index];
    const bodies = openAnew(adapter, located, source, node.id);
    if (!bodies || !state) continue;
    const places = await unlessUnreadable(bodies.places());
    const isSame = isUnchanged(state) || (await hasGrown(source.path, before.get(state.id), state));
    if (places) opened.push({ index, state, bodies, source, places, isSame });
  }
  const part = rows.inOneStep(() => rows.putPart(session, node.id, known?.sources ?? '[]'));
  await updateMessages(part, opened, rows, signal);
  if (signal?.aborted) return;
  rows.inOneStep(() => rows.putPart(session, node.id, JSON.stringify(states)));
}

async function stateOf(source: LocatedSource, modifiedAt: number, now: number): Promise<SourceState> {
  const stamp = keptStamp(sourceStamp(source, modifiedAt, now));
  const { inode = 0, size = 0 } = source.shape === 'table' ? {} : fileState(source.path, now);
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = size === 0 ? '' : await digestOf(source.path, from, size - from);
  return { id: source.id, stamp, inode, size, tail };
}

async function digestOf(file: string, from: number, length: number): Promise<string> {
  const bytes = await unlessUnreadable(readRange(file, from, length));
  return bytes ? createHash('sha256').update(bytes).digest('base64url').slice(0, 16) : '';
}

/** It is the same file with more behind its old end. */
async function hasGrown(file: string, before: SourceState | undefined, now: SourceState): Promise<boolean> {
  if (!before || before.size === 0 || before.inode !== now.inode || now.size <= before.size) return false;
  const from = Math.max(0, before.size - TAIL_BYTES);
  return (await digestOf(file, from, before.size - from)) === before.tail;
}

interface Wanted {
  readonly place: MessageLines;
  readonly from: OpenedSource;
  readonly row: MessageRow;
}

async function updateMessages(
  part: number,
  opened: readonly OpenedSource[],
  rows: TextRows,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = new Map<string, Wanted>();
  const begins = ({ places }: OpenedSource): string => places[0]?.timestamp ?? '';
  for (const from of opened.toSorted((a, b) => (begins(a) < begins(b) ? -1 : 1))) {
    for (const place of from.places) {
      const at = place.timestamp === null ? null : Date.parse(place.timestamp);
      const ranges = place.lines.map(({ offset, length }) => `${offset},${length}`).join(' ');
      const pos = wanted.get(place.id)?.row.pos ?? wanted.size;
      const row = {
        id: place.id,
        pos,
        at: at !== null && Number.isNaN(at) ? null : at,
        place: `${from.index} ${ranges}`,
      };
      wanted.set(place.id, { place, from, row });
    }
  }
  let version = rows.version();
  let { missing, there } = reconcile(part, wanted, rows);
  while (missing.length > 0 && !signal?.aborted) {
    const step = takeStep(missing);
    const messages = await readMessages(step);
    rows.inOneStep(() => {
      // Another process may have been at the same conversation.
      if (rows.version() !== version) there = new Map(rows.messages(part).map((row) => [row.id, row]));
      version = rows.version();
      for (const { row } of step) {
        const message = messages.get(row.id);
        const old = there.get(row.id);
        const fresh = message && toNewMessage(row, message);
        if (old && fresh?.place === old.place) continue;
        if (old) rows.removeMessage(old.doc);
        if (fresh) rows.addMessage(part, fresh);
      }
    });
    missing = missing.slice(step.length);
  }
}

/** Removes what is gone, and says what is new. */
function reconcile(part: number, wanted: ReadonlyMap<string, Wanted>, rows: TextRows) {
  return rows.inOneStep(() => {
    const missing = new Map(wanted);
    const there = new Map<string, MessageRow & { readonly doc: number }>();
    const seen = new Set<string>();
    for (const row of rows.messages(part)) {
      const { doc, id, pos, place } = row;
      const now = wanted.get(id);
      const isKept = now?.from.isSame && now.row.place === place && now.place.lines.length > 0;
      // One without byte ranges is compared once it is read.
      const mayBeSame = now && now.place.lines.length === 0;
      if (seen.has(id) || !(isKept || mayBeSame)) rows.removeMessage(doc);
      else {
        there.set(id, row);
        if (now && now.row.pos !== pos) rows.moveMessage(doc, now.row.pos);
      }
      if (isKept && !seen.has(id)) missing.delete(id);
      seen.add(id);
    }
    return { missing: [...missing.values()] as readonly Wanted[], there };
  });
}

function takeStep(missing: readonly Wanted[]): readonly Wanted[] {
  let bytes = 0;
  let count = 0;
  for (const { place } of missing) {
    bytes += place.lines.reduce((sum, { length }) => sum + length, 0);
    count++;
    if (bytes >= STEP_BYTES || count >= STEP_MESSAGES) break;
  }
  return missing.slice(0, count);
}

async function readMessages(step: readonly Wanted[]): Promise<ReadonlyMap<string, TranscriptMessage>> {
  const messages = new Map<string, TranscriptMessage>();
  for (const from of new Set(step.map((one) => one.from))) {
    const places = step.filter((one) => one.from === from).map(({ place }) => place);
    for (const message of (await unlessUnreadable(from.bodies.read(places))) ?? []) messages.set(message.id, message);
  }
  return messages;
}

function toNewMessage(row: MessageRow, message: TranscriptMessage): NewMessage {
  const text = textsOf(message)
    .map((one) => one.text)
    .join('\n');
  const place = row.place.endsWith(' ') ? `${row.place}#${digest(text)}` : row.place;
  return { ...row, place, text, ...usedIn(message) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}
