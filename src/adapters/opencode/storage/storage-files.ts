// `storage/`: one JSON file for each session, message and part, written anew in place (versions before 1.2).
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { asText, type JsonObject } from '../../../base/json.ts';
import { parseObject } from '../../../base/parse-json.ts';
import { isMissing, listFolder, modifiedAt } from '../../../io/folders.ts';
import { STORAGE } from '../data-folder.ts';
import { type SessionInfo, toSessionInfo } from '../record.ts';

export interface StoredSession {
  readonly file: string;
  readonly info: SessionInfo;
  readonly modifiedAt: number;
}

/** `session/<project>/<session>.json`. `broken` are those that cannot be understood, as a half-written one is. */
export async function listStored(
  root: string,
): Promise<{ readonly sessions: readonly StoredSession[]; readonly broken: readonly string[] }> {
  const broken: string[] = [];
  const sessions: StoredSession[] = [];
  const folder = path.join(root, STORAGE, 'session');
  for (const project of await listFolder(folder)) {
    if (project.kind !== 'folder') continue;
    for (const file of await jsonFilesIn(path.join(folder, project.name))) {
      const info = toSessionInfo((await readRecord(file))?.record);
      if (!info) broken.push(file);
      else sessions.push({ file, info, modifiedAt: Math.max(info.updatedAt ?? 0, await modifiedAt(file)) });
    }
  }
  return { sessions, broken };
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

/** Undefined: it is gone. Without a record: it is no JSON, as half a file is. */
export async function readRecord(file: string): Promise<{ readonly record?: JsonObject } | undefined> {
  try {
    const record = parseObject(await readFile(file, 'utf8'));
    return record ? { record } : {};
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The session that a part's file names: its folder names the message only. */
export async function sessionOfPart(file: string): Promise<string | undefined> {
  return asText((await readRecord(file))?.record?.['sessionID']);
}
