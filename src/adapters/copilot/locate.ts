// What lies below a data folder of Copilot: one folder a session, with one file for all its agents.
import path from 'node:path';
import { type FolderEntry, listFolder, modifiedAt } from '../../io/folders.ts';
import { toSessionId, toSourceId } from '../../model/ids.ts';
import type { Located, LocatedSession, LocatedSource } from '../adapter.ts';
import { EVENTS, sessionsFolder, WORKSPACE } from './data-folder.ts';
import { HOST } from './line-context.ts';
import { processesIn } from './processes.ts';

export type Role = 'events' | 'workspace';

export async function locate(root: string): Promise<Located> {
  const folder = await sessionsFolder(root);
  const entries = await listFolder(folder);
  const look = async (place: string, files: readonly FolderEntry[]): Promise<LocatedSession> => {
    const session = await sessionIn(root, place, files);
    return { ...session, facts: await processesIn(session, files) };
  };
  const own = hasEvents(entries) ? [await look(folder, entries)] : [];
  const sessions = [...own, ...(await eachSessionIn(folder, entries, look))];
  return { sessions, ignoredFiles: folder === root ? [] : ignoredIn(folder, entries) };
}

/** Folders that are looked into at the same time. */
const SIDE_BY_SIDE = 16;

async function eachSessionIn(
  folder: string,
  entries: readonly FolderEntry[],
  look: (place: string, files: readonly FolderEntry[]) => Promise<LocatedSession>,
): Promise<readonly LocatedSession[]> {
  const found: LocatedSession[] = [];
  const queue = entries.filter(({ kind }) => kind === 'folder').values();
  const lookOn = async (): Promise<void> => {
    for (const { name } of queue) {
      const place = path.join(folder, name);
      const files = await listFolder(place);
      if (hasEvents(files)) found.push(await look(place, files));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lookOn));
  return found;
}

function hasEvents(files: readonly FolderEntry[]): boolean {
  return files.some(({ name, kind }) => kind === 'file' && name === EVENTS);
}

/** Without facts. The folder has the session's id for a name. */
export async function sessionIn(root: string, place: string, files: readonly FolderEntry[]): Promise<LocatedSession> {
  const has = (name: string): boolean => files.some((file) => file.kind === 'file' && file.name === name);
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
function ignoredIn(folder: string, entries: readonly FolderEntry[]): readonly string[] {
  return entries
    .filter(({ name, kind }) => kind === 'file' && name.endsWith('.jsonl'))
    .map(({ name }) => path.join(folder, name));
}
