import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, nativeId } from '../../core/index.ts';
import { isClosedFolder, isMissing, isRefusal, isThere, listFolder, modifiedAt } from '../../lib/folders.ts';
import { asText, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { isWrongFile, readText } from '../../lib/regular-file.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../index.ts';
import { OLD_PROJECTS, STORAGE } from './data-folder.ts';
import { createdAtOf, isOver, messageFacts, sessionFacts } from './parse-messages.ts';
import { isOpenCall, partFacts } from './parse-parts.ts';
import { type Door, type SessionInfo, toSessionInfo } from './record.ts';

interface MessageNote {
  readonly createdAt: number | undefined;
  readonly isTold: boolean;
  /** Nothing of it can change any more. */
  isClosed: boolean;
}

/** One tree of sessions in the JSON files. Files that did not change since the last look are not read. */
export function openStorage({ id }: LocatedSession, source: LocatedSource): TableCursor {
  const door: Door = { session: id, source: source.id };
  const native = nativeId(id);
  const seen = new Map<string, string>();
  const messages = new Map<string, MessageNote>();
  const broken = new Set<string>();
  let lastAt = 0;

  const look: TableCursor['look'] = async (onFacts) => {
    let hasNews = false;
    let isHealed = false;
    const tell = (facts: readonly AgentEvent[]): void => {
      if (facts.length === 0) return;
      hasNews = true;
      onFacts(facts);
    };
    /** The record, where it is another than at the last look. */
    const newIn = async (file: string) => {
      const mark = await markOf(file);
      if (mark === undefined || seen.get(file) === mark.text) return undefined;
      const read = await readRecord(file);
      if (!read) return undefined;
      seen.set(file, mark.text);
      lastAt = Math.max(lastAt, mark.at);
      if (read.record) isHealed = broken.delete(file) || isHealed;
      else tellBroken(file, read.why);
      return read.record;
    };
    const tellBroken = (place: string, why: string): void => {
      if (broken.has(place)) return;
      broken.add(place);
      tell([damaged(door, path.basename(place), why, broken.size)]);
    };
    const filesIn = async (folder: string): Promise<readonly string[]> => {
      const files = await jsonFilesIn(folder);
      if (files.length === 0 && (await isClosedFolder(folder))) tellBroken(folder, REFUSED);
      else isHealed = broken.delete(folder) || isHealed;
      return files;
    };
    const readPart = async (file: string, session: string, note: MessageNote): Promise<boolean> => {
      const part = await newIn(file);
      if (!part) return !broken.has(file);
      const key = { id: path.basename(file, '.json'), session, isTold: note.isTold };
      tell(partFacts({ ...key, ...known({ createdAt: note.createdAt }) }, part, door));
      return !isOpenCall(part);
    };
    const readMessage = async (file: string, session: string): Promise<void> => {
      const message = path.basename(file, '.json');
      const info = await newIn(file);
      if (info) {
        messages.set(message, { createdAt: createdAtOf(info), isTold: info['role'] === 'user', isClosed: false });
        tell(messageFacts({ id: message, session }, info, door));
      }
      const note = messages.get(message);
      if (!note || note.isClosed) return;
      let isClosed = true;
      for (const part of await filesIn(partFolder(source.path, session, message)))
        isClosed = (await readPart(part, session, note)) && isClosed;
      // What the person said is written in one go with its parts, but not in the same moment: it stays open.
      note.isClosed = isClosed && info !== undefined && !note.isTold && isOver(info);
    };
    for (const session of await treeOf(source.path, native)) {
      const said = JSON.stringify(session);
      if (seen.get(session.id) !== said) tell(sessionFacts(session, door));
      seen.set(session.id, said);
      for (const file of await filesIn(messageFolder(source.path, session.id))) await readMessage(file, session.id);
    }
    if (isHealed) return 'replaced';
    return hasNews ? 'news' : 'nothing';
  };
  return {
    get modifiedAt() {
      return lastAt;
    },
    look,
  };
}

async function treeOf(storage: string, native: string) {
  const all = (await listStored(storage)).sessions.map(({ info }) => info);
  const tree = new Set([native]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { id, parent } of all) if (parent !== undefined && tree.has(parent)) tree.add(id);
  }
  return all.filter(({ id }) => tree.has(id));
}

async function markOf(file: string): Promise<{ readonly text: string; readonly at: number } | undefined> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return { text: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, at: mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function damaged({ session, source }: Door, name: string, why: string, offset: number): AgentEvent {
  const origin = { source, offset, length: 0 };
  const code = why === BROKEN ? 'invalid-json' : 'unreadable-file';
  return { kind: 'problem-found', session, origin, diagnostic: { code, detail: `${name}: ${why}`, origin } };
}

interface StoredSession {
  readonly file: string;
  readonly info: SessionInfo;
  readonly modifiedAt: number;
}

/** Those of before 0.6 as well, until a later version takes them over: it writes down that it did, and leaves them where they are. */
export async function storagesIn(root: string): Promise<readonly string[]> {
  const storage = path.join(root, STORAGE);
  if (await isThere(path.join(storage, 'migration'))) return [storage];
  const projects = await listFolder(path.join(root, OLD_PROJECTS));
  return [storage, ...projects.map(({ name }) => path.join(root, OLD_PROJECTS, name, STORAGE))];
}

function isOld(storage: string): boolean {
  return path.basename(path.resolve(storage, '..', '..')) === OLD_PROJECTS;
}

/** `session/<project>/<session>.json`, before 0.6 `session/info/<session>.json`. `problems` are those that cannot be understood, as a half-written one is. */
export async function listStored(
  storage: string,
): Promise<{ readonly sessions: readonly StoredSession[]; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const sessions: StoredSession[] = [];
  const folder = path.join(storage, 'session');
  if (await isClosedFolder(folder)) problems.push(`${folder}: ${REFUSED}.`);
  for (const project of await listFolder(folder)) {
    if (project.kind !== 'folder') continue;
    for (const file of await jsonFilesIn(path.join(folder, project.name))) {
      const read = await readRecord(file);
      const info = toSessionInfo(read?.record);
      if (!info) problems.push(`${file}: ${read?.why ?? BROKEN}.`);
      else sessions.push({ file, info, modifiedAt: Math.max(info.updatedAt ?? 0, await modifiedAt(file)) });
    }
  }
  return { sessions, problems };
}

/** The last step of the program to this layout (1.1.65): later ones took everything into a database. */
const NEWEST_KNOWN = 2;

/** The step that these files say they are at, where troupe does not know it. */
export async function unknownStepOf(storage: string): Promise<string | undefined> {
  if (isOld(storage)) return undefined;
  const said = await readText(path.join(storage, 'migration')).catch(() => '');
  return Number(said) > NEWEST_KNOWN ? said.trim() : undefined;
}

export function messageFolder(storage: string, session: string): string {
  return isOld(storage) ? path.join(storage, 'session', 'message', session) : path.join(storage, 'message', session);
}

export function partFolder(storage: string, session: string, message: string): string {
  return isOld(storage) ? path.join(storage, 'session', 'part', session, message) : path.join(storage, 'part', message);
}

export async function jsonFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await listFolder(folder);
  return entries.filter(({ name }) => name.endsWith('.json')).map(({ name }) => path.join(folder, name));
}

/** A part may hold a picture, or all that a command printed. */
const MAX_RECORD_BYTES = 128 * 1024 * 1024;

const BROKEN = 'it is no JSON, or not all of it is there yet';
export const REFUSED = 'you may not read it';

/** Undefined: it is gone. Without a record: why, in words for people; half a file is no JSON. */
export async function readRecord(
  file: string,
): Promise<
  { readonly record: JsonObject; readonly why?: never } | { readonly record?: never; readonly why: string } | undefined
> {
  try {
    const record = parseObject(await readText(file, MAX_RECORD_BYTES));
    return record ? { record } : { why: BROKEN };
  } catch (error) {
    if (isRefusal(error)) return { why: REFUSED };
    if (isWrongFile(error)) return { why: `it ${error.why}` };
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The session that a part's file names: its folder names the message only. */
export async function sessionOfPart(file: string): Promise<string | undefined> {
  return asText((await readRecord(file))?.record?.['sessionID']);
}
