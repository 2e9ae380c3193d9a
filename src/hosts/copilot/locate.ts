// What lies below a data folder of Copilot: one folder a session, with one file for all its agents.

import path from 'node:path';
import { toSessionId, toSourceId } from '../../core/index.ts';
import { type FolderEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import type { Located, LocatedSession, LocatedSource } from '../index.ts';
import { EVENTS, SESSIONS, sessionFolders, WORKSPACE } from './data-folder.ts';
import { HOST } from './line-context.ts';
import { processesIn } from './processes.ts';

export type Role = 'events' | 'workspace';

/** Folders that are looked into at the same time. */
const SIDE_BY_SIDE = 16;

export async function locate(root: string): Promise<Located> {
  const sessions: LocatedSession[] = [];
  const queue = (await sessionFolders(root)).values();
  const lookOn = async (): Promise<void> => {
    for (const place of queue) {
      const files = await listFolder(place);
      if (!hasEvents(files)) continue;
      const session = await sessionIn(root, place, files);
      sessions.push({ ...session, facts: await processesIn(session, files) });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lookOn));
  return { sessions, ignoredFiles: await ignoredIn(path.join(root, SESSIONS)) };
}

function hasEvents(files: readonly FolderEntry[]): boolean {
  return files.some(({ name }) => name === EVENTS);
}

/** Without facts. The folder has the session's id for a name. */
export async function sessionIn(root: string, place: string, files: readonly FolderEntry[]): Promise<LocatedSession> {
  const has = (name: string): boolean => files.some((file) => file.name === name);
  const events = path.join(place, EVENTS);
  return {
    id: toSessionId(HOST, path.basename(place)),
    root,
    folder: place,
    sources: [
      ...(has(EVENTS) ? [toSource(root, events, 'events')] : []),
      ...(has(EVENTS) && has(WORKSPACE) ? [toSource(root, path.join(place, WORKSPACE), 'workspace')] : []),
    ],
    facts: [],
    modifiedAt: await modifiedAt(events),
  };
}

function toSource(root: string, file: string, role: Role): LocatedSource {
  const id = toSourceId(path.relative(root, file).split(path.sep).join('/'));
  if (role === 'workspace') return { id, path: file, shape: 'document', role, companion: true };
  return { id, path: file, shape: 'lines', role };
}

/** Sessions of the time before they had folders: one file each (up to about 0.0.37x). */
async function ignoredIn(folder: string): Promise<readonly string[]> {
  return (await listFolder(folder))
    .filter(({ name, kind }) => kind === 'file' && name.endsWith('.jsonl'))
    .map(({ name }) => path.join(folder, name));
}
