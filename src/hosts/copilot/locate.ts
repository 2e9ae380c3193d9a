// Which sessions are in a data folder of Copilot (a folder for each, with one file for all its agents), which of them a running process has
// open, and which a change is about.

import path from 'node:path';
import { nativeId, type ProcessSeen, type SessionId, toSessionId, toSourceId } from '../../core/index.ts';
import { type FolderEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import { isStillRunning } from '../../lib/processes.ts';
import type { FollowCapability, Located, LocatedSession, LocatedSource } from '../index.ts';
import { EVENTS, mayBeSession, processInName, SESSIONS, sessionFolders, WORKSPACE } from './data-folder.ts';
import { HOST } from './line-context.ts';

type Role = 'events' | 'workspace';

/** Folders that are read in parallel. */
const CONCURRENCY = 16;

export async function locate(root: string): Promise<Located> {
  const sessions: LocatedSession[] = [];
  const queue = (await sessionFolders(root)).values();
  const locateNext = async (): Promise<void> => {
    for (const place of queue) {
      const files = await listFolder(place);
      if (!files.some(({ name }) => name === EVENTS)) continue;
      const session = await sessionIn(root, place, files);
      sessions.push({ ...session, facts: await processesIn(session, files) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, locateNext));
  return { sessions, ignoredFiles: await ignoredIn(path.join(root, SESSIONS)) };
}

/** Without facts. The folder is named by the session's id. */
async function sessionIn(root: string, place: string, files: readonly FolderEntry[]): Promise<LocatedSession> {
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

/** Up to about 0.0.37x a session was one file. */
async function ignoredIn(folder: string): Promise<readonly string[]> {
  return (await listFolder(folder))
    .filter(({ name, kind }) => kind === 'file' && name.endsWith('.jsonl'))
    .map(({ name }) => path.join(folder, name));
}

async function readProcesses(root: string): Promise<(session: LocatedSession) => readonly ProcessSeen[]> {
  const locks = new Map<string, readonly Lock[]>();
  await Promise.all(
    (await sessionFolders(root)).map(async (place) => {
      const held = await locksIn(place, await listFolder(place));
      if (held.length > 0) locks.set(place, held);
    }),
  );
  return (session) => (locks.get(session.folder ?? root) ?? []).map((lock) => toFact(session, lock));
}

async function processesIn(session: LocatedSession, files: readonly FolderEntry[]): Promise<readonly ProcessSeen[]> {
  return (await locksIn(session.folder ?? session.root, files)).map((lock) => toFact(session, lock));
}

interface Lock {
  readonly name: string;
  readonly pid: number;
  readonly alive: boolean;
  readonly at: number;
}

/** A killed process leaves its lock behind. The lock is created when the process opens the session. */
async function locksIn(folder: string, files: readonly FolderEntry[]): Promise<readonly Lock[]> {
  const locks: Lock[] = [];
  for (const { name } of files) {
    const pid = processInName(name);
    if (pid === undefined) continue;
    const at = await modifiedAt(path.join(folder, name));
    if (at > 0) locks.push({ name, pid, at, alive: await isStillRunning(pid, at) });
  }
  return locks;
}

function toFact({ id, root, folder = root }: LocatedSession, { name, pid, alive, at }: Lock): ProcessSeen {
  const source = toSourceId(path.relative(root, path.join(folder, name)).split(path.sep).join('/'));
  const origin = { source, offset: 0, length: 0 };
  // The time of a copied file, or of an ended process, means nothing.
  return { kind: 'process-seen', session: id, origin, pid, alive, ...(alive && { startedAt: Math.floor(at) }) };
}

const OF_SESSION = new Set([EVENTS, WORKSPACE]);

export const follow: FollowCapability = {
  // Deeper folders are copies of files for undoing.
  watched: async (root) => (folder) => folder === path.join(root, SESSIONS) || mayBeSession(root, folder),
  async subjectOf(root, place) {
    const folder = path.dirname(place);
    const isFolderOfLocks = mayBeSession(root, place) || place === path.join(root, SESSIONS);
    if (!mayBeSession(root, folder)) return { kind: 'nothing', mayHoldFacts: isFolderOfLocks };
    if (processInName(place) !== undefined) return { kind: 'facts' };
    if (!OF_SESSION.has(path.basename(place))) return { kind: 'nothing', mayHoldFacts: isFolderOfLocks };
    return { kind: 'part', part: { id: toSessionId(HOST, path.basename(folder)), folder } };
  },
  locateParts: (root, folder, ids) => Promise.all(ids.map((id) => partIn(root, folder, id))),
  readFacts: readProcesses,
};

async function partIn(root: string, folder: string, id: SessionId): Promise<LocatedSession> {
  const isOwn = path.basename(folder) === nativeId(id);
  return sessionIn(root, folder, isOwn ? await listFolder(folder) : []);
}
