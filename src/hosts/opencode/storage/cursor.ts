import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, nativeId } from '../../../core/index.ts';
import { isClosedFolder, isMissing } from '../../../lib/folders.ts';
import { known } from '../../../lib/json.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../../index.ts';
import { createdAtOf, isOver, messageFacts } from '../facts/message-facts.ts';
import { isOpenCall, partFacts } from '../facts/part-facts.ts';
import { sessionFacts } from '../facts/session-facts.ts';
import type { Door } from '../record.ts';
import { BROKEN, jsonFilesIn, listStored, messageFolder, partFolder, REFUSED, readRecord } from './storage-files.ts';

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
