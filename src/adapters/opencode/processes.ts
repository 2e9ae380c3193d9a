// OpenCode keeps no record of its processes. But whoever works has its database open: where nobody has, nothing runs.
import { readdir, readlink, realpath } from 'node:fs/promises';
import type { AgentEvent } from '../../model/event.ts';
import { toSourceId } from '../../model/ids.ts';
import type { LocatedSession } from '../adapter.ts';

/** Known on Linux only; elsewhere a session counts as alive for some minutes after its last line. */
export async function factsOfProcesses(
  databases: readonly string[],
): Promise<(session: Pick<LocatedSession, 'id' | 'sources'>) => readonly AgentEvent[]> {
  const open = databases.length === 0 ? undefined : await openFiles(databases);
  return ({ id, sources }) => {
    const own = sources.filter(({ role }) => role === 'database');
    if (!open || own.length === 0 || own.length < sources.length || own.some(({ path: file }) => open.has(file)))
      return [];
    const origin = { source: toSourceId('processes'), offset: 0, length: 0 };
    return [{ kind: 'session-seen', session: id, origin, keepsProcessRecords: true }];
  };
}

/** Which of these files some process has open, as far as we may see; undefined where it cannot be told. */
async function openFiles(files: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  if (process.platform !== 'linux') return undefined;
  const wanted = new Map<string, string>();
  for (const file of files) wanted.set(await realpath(file).catch(() => file), file);
  const open = new Set<string>();
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  // Somebody else's process does not show its files: then nothing can be said.
  if (pids.length === 0) return undefined;
  for (const pid of pids) {
    if (Number(pid) === process.pid) continue;
    const folder = `/proc/${pid}/fd`;
    for (const descriptor of await readdir(folder).catch(() => [])) {
      const target = await readlink(`${folder}/${descriptor}`).catch(() => '');
      const file = wanted.get(target);
      if (file !== undefined) open.add(file);
    }
  }
  return open;
}
