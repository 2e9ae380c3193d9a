// `/clear` goes on in a new session, which begins with the command. `history.jsonl` has the same command, at the same moment,
// with the session in which it was typed (2.0.76 and later; people may switch it off).

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { nativeId, type SessionId, toSessionId } from '../../core/index.ts';
import { isThere, listFolder, modifiedAt } from '../../lib/folders.ts';
import { asAmount, asInstant, asObject, asText } from '../../lib/json.ts';
import { createLineSplitter, type Line } from '../../lib/lines.ts';
import { readHead, readLines } from '../../lib/read-lines.ts';
import type { LocatedSession } from '../index.ts';
import { besideProjects, nativeAgentOf, projectFolders, rootOf } from './data-folder.ts';
import { CLEARED } from './host-text.ts';
import { HOST } from './line-context.ts';
import { parseLine, parseWhole, textOf } from './record.ts';

const TYPED = /^\/(?:clear|new|reset)\b/;
const TYPED_BYTES = ['/clear', '/new', '/reset'].map((command) => `"display":"${command}`);

export interface Clear {
  /** In which it was typed. */
  readonly session: SessionId;
  readonly project: string | undefined;
  readonly at: number;
}

interface History {
  readonly ino: number;
  /** Up to where it was read. */
  readonly next: number;
  readonly clears: readonly Clear[];
}

/** By file: each is read on from where it ended, for a line is added with every prompt, and it holds what was pasted. */
const histories = new Map<string, History>();

/** All that were typed, oldest first. */
export async function readClears(root: string): Promise<readonly Clear[]> {
  const history = await besideProjects(root, 'history.jsonl');
  const { ino, size } = (await stat(history).catch(() => undefined)) ?? {};
  if (ino === undefined || size === undefined) return [];
  const before = histories.get(history);
  const known = before?.ino === ino && before.next <= size ? before : { ino, next: 0, clears: [] };
  if (known.next === size) return known.clears;
  const clears = [...known.clears];
  const onLine = ({ bytes, torn }: Line): void => {
    if (torn) return;
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!TYPED_BYTES.some((typed) => line.includes(typed))) return;
    const record = asObject(parseWhole(bytes));
    const [native, at] = [asText(record?.['sessionId']), asAmount(record?.['timestamp'])];
    if (native === undefined || at === undefined || !TYPED.test(asText(record?.['display']) ?? '')) return;
    clears.push({ session: toSessionId(HOST, native), project: asText(record?.['project']), at });
  };
  const read = await readLines(history, onLine, known.next).catch(() => undefined);
  if (read) histories.set(history, { ino, next: read.next, clears });
  return clears;
}

/** The command is noted when it was typed, and written into the new session a little later. */
const LATER_MS = 2_000;
const EARLIER_MS = 100;

function isSame({ project, at }: Clear, beginning: Beginning): boolean {
  const isTogether = at >= beginning.at - LATER_MS && at <= beginning.at + EARLIER_MS;
  return isTogether && (project === undefined || beginning.cwd === undefined || project === beginning.cwd);
}

/** The session in which the `/clear` was typed that opened this one. Two of one moment in one folder cannot be told apart. */
export async function findCleared({ id, sources }: LocatedSession): Promise<SessionId | undefined> {
  const own = sources.find(({ role }) => role === 'session');
  const beginning = own && (await beginningOf(own.path));
  if (!own || !beginning) return undefined;
  const clears = (await readClears(rootOf(own))).filter((clear) => isSame(clear, beginning));
  const [from, ...others] = new Set(clears.map(({ session }) => session));
  return others.length === 0 && from !== id ? from : undefined;
}

/** The session that a `/clear` opened. */
export async function findOpened(root: string, clear: Clear): Promise<SessionId | undefined> {
  for (const folder of await projectFolders(root)) {
    if (!(await isThere(path.join(folder, `${nativeId(clear.session)}.jsonl`)))) continue;
    const found: SessionId[] = [];
    for (const { name, kind } of await listFolder(folder)) {
      const file = path.join(folder, name);
      if (kind !== 'file' || !name.endsWith('.jsonl') || nativeAgentOf(name) !== undefined) continue;
      if ((await modifiedAt(file)) < clear.at) continue;
      const beginning = await beginningOf(file);
      if (beginning && isSame(clear, beginning)) found.push(toSessionId(HOST, path.basename(name, '.jsonl')));
    }
    const [opened, ...others] = found;
    if (others.length === 0) return opened;
  }
  return undefined;
}

/** Whether another session begins with the very same command: one of them is a copy. */
export async function isCopiedClear(own: string): Promise<boolean> {
  const beginning = await beginningOf(own);
  const folder = path.dirname(own);
  for (const { name, kind } of await listFolder(folder)) {
    const file = path.join(folder, name);
    if (kind !== 'file' || !name.endsWith('.jsonl') || nativeAgentOf(name) !== undefined || file === own) continue;
    if (beginning?.line !== undefined && (await beginningOf(file))?.line === beginning.line) return true;
  }
  return false;
}

interface Beginning {
  readonly line: string | undefined;
  readonly at: number;
  readonly cwd: string | undefined;
}

const HEAD_BYTES = 64 * 1024;

/** The `/clear` that a session began with, by file; none where it began otherwise. */
const beginnings = new Map<string, Beginning | undefined>();

async function beginningOf(file: string): Promise<Beginning | undefined> {
  if (beginnings.has(file)) return beginnings.get(file);
  const head = await readHead(file, HEAD_BYTES).catch(() => new Uint8Array());
  for (const { bytes } of createLineSplitter().push(head)) {
    const record = asObject(parseLine(bytes));
    // A caveat for the model stands before it.
    if (record?.['type'] !== 'user' || record['isMeta'] === true) continue;
    const at = asInstant(record['timestamp']);
    const isCleared = at !== undefined && CLEARED.test(textOf(asObject(record['message'])?.['content']));
    const beginning = isCleared ? { line: asText(record['uuid']), at, cwd: asText(record['cwd']) } : undefined;
    beginnings.set(file, beginning);
    return beginning;
  }
  return undefined;
}
