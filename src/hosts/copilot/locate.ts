// Which sessions are in a data folder of Copilot (a folder for each, with one file for all its agents), which of them a running process has
// open, and which a change is about.

import path from 'node:path';
import { nativeId, type ProcessSeen, type SessionId, toSessionId } from '../../core/index.ts';
import { type FolderEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import { argumentsOf, isStillRunning } from '../../lib/processes.ts';
import type { FollowCapability, Located, LocatedSession, LocatedSource } from '../index.ts';
import { sourceIdOf } from '../shared/index.ts';
import { EVENTS, mayBeSession, processInName, SESSIONS, sessionFolders, WORKSPACE } from './data-folder.ts';
import { HOST } from './line-context.ts';

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
      sessions.push({ ...session, facts: toFacts(session, await locksIn(place, files)) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, locateNext));
  return { sessions, ignoredFiles: await ignoredIn(path.join(root, SESSIONS)) };
}

/** Without facts. The folder is named by the session's id. */
async function sessionIn(root: string, place: string, files: readonly FolderEntry[]): Promise<LocatedSession> {
  const has = (name: string): boolean => files.some((file) => file.name === name);
  const [events, workspace] = [path.join(place, EVENTS), path.join(place, WORKSPACE)];
  const sources: readonly LocatedSource[] = [
    { id: sourceIdOf(root, events), path: events, shape: 'lines', role: 'events' },
    { id: sourceIdOf(root, workspace), path: workspace, shape: 'document', role: 'workspace', companion: true },
  ];
  return {
    id: toSessionId(HOST, path.basename(place)),
    root,
    folder: place,
    sources: has(EVENTS) ? sources.filter((source) => has(path.basename(source.path))) : [],
    facts: [],
    modifiedAt: await modifiedAt(events),
  };
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
    (await sessionFolders(root)).map(async (folder) =>
      locks.set(folder, await locksIn(folder, await listFolder(folder))),
    ),
  );
  return (session) => toFacts(session, locks.get(session.folder ?? root) ?? []);
}

interface Lock {
  readonly file: string;
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
    const file = path.join(folder, name);
    const at = await modifiedAt(file);
    if (at > 0) locks.push({ file, pid, at, alive: await isStillRunning(pid, at) });
  }
  return locks;
}

function toFacts({ id, root }: LocatedSession, locks: readonly Lock[]): readonly ProcessSeen[] {
  return locks.map(({ file, pid, alive, at }) => {
    const origin = { source: sourceIdOf(root, file), offset: 0, length: 0 };
    // The time of a copied file, or of an ended process, means nothing.
    const ofLiving = alive && { startedAt: Math.floor(at), ...(isHeadless(pid) && { endsWithTurn: true as const }) };
    return { kind: 'process-seen', session: id, origin, pid, alive, ...ofLiving };
  });
}

/** `copilot -p TEXT` (1.0.102): one prompt, one turn. */
function isHeadless(pid: number): boolean {
  return argumentsOf(pid).some((word) => word === '-p' || word === '--prompt' || word.startsWith('--prompt='));
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
