// `storage/`: one JSON file for each session, message and part, rewritten in place (versions before 1.2). Versions before 0.6 have one for
// each project: `project/<project>/storage/session/{info,message,part}`.

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type AgentEvent, nativeId } from '../../core/index.ts';
import { isClosedFolder, isMissing, isRefusal, isThere, listFolder, modifiedAt } from '../../lib/folders.ts';
import { type JsonObject, parseObject } from '../../lib/json.ts';
import { isWrongFile, readText } from '../../lib/regular-file.ts';
import type { LocatedSession, LocatedSource, TableCursor } from '../index.ts';
import { OLD_PROJECTS, STORAGE } from './host.ts';
import { isOver, type MessageNote, messageFacts, noteOf, sessionFacts } from './parse-messages.ts';
import { isOpenCall, partFacts } from './parse-parts.ts';
import { problemFact, type RecordContext, type SessionInfo, selectTree, toSessionInfo } from './record.ts';

export function openStorage(session: LocatedSession, source: LocatedSource): TableCursor {
  return new StorageCursor(session, source);
}

/** One tree of sessions in the JSON files. Unchanged files are not read again. */
class StorageCursor implements TableCursor {
  modifiedAt = 0;
  readonly #context: RecordContext;
  readonly #storage: string;
  /** What was last read: a session, or the fingerprint of a file. */
  readonly #seen = new Map<string, string>();
  readonly #messages = new Map<string, MessageNote>();
  /** Messages of which nothing can change any more. */
  readonly #closed = new Set<string>();
  readonly #broken = new Set<string>();
  #onFacts: (facts: readonly AgentEvent[]) => void = () => undefined;
  #hasChanges = false;
  #isRepaired = false;

  constructor({ id }: LocatedSession, source: LocatedSource) {
    this.#context = { session: id, source: source.id, begun: {} };
    this.#storage = source.path;
  }

  async look(onFacts: (facts: readonly AgentEvent[]) => void): ReturnType<TableCursor['look']> {
    this.#onFacts = onFacts;
    this.#hasChanges = false;
    this.#isRepaired = false;
    const stored = (await listStored(this.#storage)).map(({ info }) => info);
    for (const session of selectTree(nativeId(this.#context.session), stored)) {
      const text = JSON.stringify(session);
      if (this.#seen.get(session.id) !== text) this.#emit(sessionFacts(session, this.#context));
      this.#seen.set(session.id, text);
      for (const file of await this.#listFiles(messageFolder(this.#storage, session.id)))
        await this.#readMessage(file, session.id);
    }
    if (this.#isRepaired) return 'replaced';
    return this.#hasChanges ? 'news' : 'nothing';
  }

  #emit(facts: readonly AgentEvent[]): void {
    if (facts.length === 0) return;
    this.#hasChanges = true;
    this.#onFacts(facts);
  }

  async #readMessage(file: string, session: string): Promise<void> {
    const message = path.basename(file, '.json');
    const info = await this.#readChanged(file);
    if (info) {
      this.#messages.set(message, noteOf(info));
      this.#closed.delete(message);
      this.#emit(messageFacts({ id: message, session }, info, this.#context));
    }
    const note = this.#messages.get(message);
    if (!note || this.#closed.has(message)) return;
    let isClosed = true;
    for (const part of await this.#listFiles(partFolder(this.#storage, session, message)))
      isClosed = (await this.#readPart(part, session, note)) && isClosed;
    // The parts of a prompt are written right after it, but not at the same moment: it stays open.
    if (isClosed && info && !note.isPrompt && isOver(info)) this.#closed.add(message);
  }

  /** Whether it can no longer change. */
  async #readPart(file: string, session: string, note: MessageNote): Promise<boolean> {
    const part = await this.#readChanged(file);
    if (!part) return !this.#broken.has(file);
    this.#emit(partFacts({ ...note, id: path.basename(file, '.json'), session }, part, this.#context));
    return !isOpenCall(part);
  }

  /** Undefined if it is the same as before. */
  async #readChanged(file: string): Promise<JsonObject | undefined> {
    const stats = await stat(file).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    const fingerprint = stats && [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
    if (!stats || !fingerprint || this.#seen.get(file) === fingerprint) return undefined;
    const read = await readRecord(file);
    if (!read) return undefined;
    this.#seen.set(file, fingerprint);
    this.modifiedAt = Math.max(this.modifiedAt, stats.mtimeMs);
    if (read.record) this.#noteReadable(file);
    else this.#reportBroken(file, read.why ?? BROKEN);
    return read.record;
  }

  async #listFiles(folder: string): Promise<readonly string[]> {
    const files = await jsonFilesIn(folder);
    if (files.length === 0 && (await isClosedFolder(folder))) this.#reportBroken(folder, REFUSED);
    else this.#noteReadable(folder);
    return files;
  }

  #noteReadable(place: string): void {
    this.#isRepaired = this.#broken.delete(place) || this.#isRepaired;
  }

  #reportBroken(place: string, why: string): void {
    if (this.#broken.has(place)) return;
    this.#broken.add(place);
    const code = why === BROKEN ? 'invalid-json' : 'unreadable-file';
    const origin = { offset: this.#broken.size, length: 0 };
    this.#emit([problemFact(this.#context, code, `${path.basename(place)}: ${why}`, origin)]);
  }
}

/** With those of before 0.6, until a later version migrates them: it writes `migration` and leaves them there. */
export async function storagesIn(root: string): Promise<readonly string[]> {
  const storage = path.join(root, STORAGE);
  if (await isThere(path.join(storage, 'migration'))) return [storage];
  const projects = await listFolder(path.join(root, OLD_PROJECTS));
  return [storage, ...projects.map(({ name }) => path.join(root, OLD_PROJECTS, name, STORAGE))];
}

function isOld(storage: string): boolean {
  return path.basename(path.resolve(storage, '..', '..')) === OLD_PROJECTS;
}

/** `session/<project>/<session>.json`, before 0.6 `session/info/<session>.json`. */
export async function listStored(storage: string, problems: string[] = []) {
  const sessions: { readonly info: SessionInfo; readonly modifiedAt: number; readonly isEmpty: boolean }[] = [];
  const withMessages = new Set((await listFolder(path.dirname(messageFolder(storage, '_')))).map(({ name }) => name));
  const folder = path.join(storage, 'session');
  if (await isClosedFolder(folder)) problems.push(`${folder}: ${REFUSED}.`);
  for (const project of await listFolder(folder)) {
    if (project.kind !== 'folder') continue;
    for (const file of await jsonFilesIn(path.join(folder, project.name))) {
      const read = await readRecord(file);
      const info = toSessionInfo(read?.record);
      if (!info) problems.push(`${file}: ${read?.why ?? BROKEN}.`);
      else
        sessions.push({
          info,
          modifiedAt: info.updatedAt ?? (await modifiedAt(file)),
          isEmpty: !withMessages.has(info.id),
        });
    }
  }
  return sessions;
}

/** The last migration of this layout (1.1.65): later versions use a database. */
const NEWEST_KNOWN = 2;

/** The migration of these files, if newer than troupe knows. */
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

/** A part may hold an image, or all output of a command. */
const MAX_RECORD_BYTES = 128 * 1024 * 1024;

const BROKEN = 'it is no JSON, or not all of it is there yet';
export const REFUSED = 'you may not read it';

/** Undefined if it is gone. `why` is for people. */
export async function readRecord(
  file: string,
): Promise<{ readonly record?: JsonObject; readonly why?: string } | undefined> {
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
