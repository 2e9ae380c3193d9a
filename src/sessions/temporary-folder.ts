import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { known } from '../lib/json.ts';
import { isProcessAlive, linuxStart } from '../lib/processes.ts';

export interface TemporaryFolder {
  readonly path: string;
  /** May be called twice. */
  remove(): Promise<void>;
}

/**
 * A new folder that others on this machine cannot look into (mode 0700). It goes with the process at the latest; where
 * that was killed, with the next one that makes one of this prefix.
 */
export async function createTemporaryFolder(prefix: string): Promise<TemporaryFolder> {
  // What somebody else may have put there is no reason not to go on.
  await removeLeftovers(prefix).catch(() => {});
  // Whose it is stands in its name: a number alone may be another process's by the next time.
  const owner = `${process.pid}-${(await linuxStart(process.pid)) ?? 0}-`;
  const folder = await mkdtemp(path.join(tmpdir(), prefix + owner));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  const onSignal = (signal: NodeJS.Signals): void => {
    // Somebody else decides what the signal means; if it is the end, `exit` comes.
    if (process.listenerCount(signal) > 1) return;
    removeNow();
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  };
  process.once('exit', removeNow);
  for (const signal of DEADLY) process.on(signal, onSignal);
  return {
    path: folder,
    async remove() {
      process.off('exit', removeNow);
      for (const signal of DEADLY) process.off(signal, onSignal);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function removeLeftovers(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, start] = (name.startsWith(prefix) && /^(\d+)-(\d+)-\w{6}$/.exec(name.slice(prefix.length))) || [];
    if (pid === undefined) continue;
    const procStart = start === '0' ? undefined : start;
    if (await isProcessAlive({ pid: Number(pid), ...known({ procStart }) })) continue;
    const place = path.join(tmpdir(), name);
    const stats = await lstat(place);
    if (stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid))
      await rm(place, { recursive: true, force: true });
  }
}

/** These end a process without `exit`, unless somebody listens to them. */
const DEADLY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
