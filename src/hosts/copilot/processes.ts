// Which sessions a running process has open, by the locks that it leaves beside them and takes away when it ends.

import path from 'node:path';
import { type ProcessSeen, toSourceId } from '../../core/index.ts';
import { type FolderEntry, listFolder, modifiedAt } from '../../lib/folders.ts';
import { isStillRunning } from '../../lib/processes.ts';
import type { LocatedSession } from '../index.ts';
import { processInName, sessionFolders } from './data-folder.ts';

/** For `follow`: a process came or went somewhere. */
export async function readProcesses(root: string): Promise<(session: LocatedSession) => readonly ProcessSeen[]> {
  const locks = new Map<string, readonly Lock[]>();
  await Promise.all(
    (await sessionFolders(root)).map(async (place) => {
      const held = await locksIn(place, await listFolder(place));
      if (held.length > 0) locks.set(place, held);
    }),
  );
  return (session) => (locks.get(session.folder ?? root) ?? []).map((lock) => toFact(session, lock));
}

export async function processesIn(
  session: LocatedSession,
  files: readonly FolderEntry[],
): Promise<readonly ProcessSeen[]> {
  return (await locksIn(session.folder ?? session.root, files)).map((lock) => toFact(session, lock));
}

interface Lock {
  readonly name: string;
  readonly pid: number;
  readonly alive: boolean;
  readonly at: number;
}

/** A kill leaves the lock behind. Its time is that of the process's first look at the session. */
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
  // The time of a file that somebody copied says nothing, and neither does that of a process which is gone.
  return { kind: 'process-seen', session: id, origin, pid, alive, ...(alive && { startedAt: Math.floor(at) }) };
}
