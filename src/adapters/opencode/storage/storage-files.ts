// `storage/`: one JSON file for each session, message and part, written anew in place (versions before 1.2).
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { asText, type JsonObject } from '../../../base/json.ts';
import { parseObject } from '../../../base/parse-json.ts';
import { isClosedFolder, isMissing, isRefusal, listFolder, modifiedAt } from '../../../io/folders.ts';
import { STORAGE } from '../data-folder.ts';
import { type SessionInfo, toSessionInfo } from '../record.ts';

export interface StoredSession {
  readonly file: string;
  readonly info: SessionInfo;
  readonly modifiedAt: number;
}

/** `session/<project>/<session>.json`. `problems` are those that cannot be understood, as a half-written one is. */
export async function listStored(
  root: string,
): Promise<{ readonly sessions: readonly StoredSession[]; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const sessions: StoredSession[] = [];
  const folder = path.join(root, STORAGE, 'session');
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
export async function unknownStepOf(root: string): Promise<string | undefined> {
  const said = await readFile(path.join(root, STORAGE, 'migration'), 'utf8').catch(() => '');
  return Number(said) > NEWEST_KNOWN ? said.trim() : undefined;
}

export function messageFolder(root: string, session: string): string {
  return path.join(root, STORAGE, 'message', session);
}

export function partFolder(root: string, message: string): string {
  return path.join(root, STORAGE, 'part', message);
}

export async function jsonFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await listFolder(folder);
  return entries
    .filter(({ name, kind }) => kind === 'file' && name.endsWith('.json'))
    .map(({ name }) => path.join(folder, name));
}

const BROKEN = 'it is no JSON, or not all of it is there yet';
export const REFUSED = 'you may not read it';

/** Undefined: it is gone. Without a record: why, in words for people; half a file is no JSON. */
export async function readRecord(
  file: string,
): Promise<
  { readonly record: JsonObject; readonly why?: never } | { readonly record?: never; readonly why: string } | undefined
> {
  try {
    const record = parseObject(await readFile(file, 'utf8'));
    return record ? { record } : { why: BROKEN };
  } catch (error) {
    if (isRefusal(error)) return { why: REFUSED };
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The session that a part's file names: its folder names the message only. */
export async function sessionOfPart(file: string): Promise<string | undefined> {
  return asText((await readRecord(file))?.record?.['sessionID']);
}
