// `storage/`: one JSON file for each session, message and part, written anew in place (versions before 1.2). Versions before 0.6 had one
// for each project, and in it another order of folders: `project/<project>/storage/session/{info,message,part}`.

import path from 'node:path';
import { isClosedFolder, isMissing, isRefusal, isThere, listFolder, modifiedAt } from '../../../lib/folders.ts';
import { asText, type JsonObject, parseObject } from '../../../lib/json.ts';
import { isWrongFile, readText } from '../../../lib/regular-file.ts';
import { OLD_PROJECTS, STORAGE } from '../data-folder.ts';
import { type SessionInfo, toSessionInfo } from '../record.ts';

export interface StoredSession {
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

export const BROKEN = 'it is no JSON, or not all of it is there yet';
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
