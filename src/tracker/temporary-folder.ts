import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  /** May be called twice. */
  remove(): Promise<void>;
}

/** A new folder that others on this machine cannot look into (mode 0700). It goes with the process at the latest. */
export async function createTemporaryFolder(prefix: string): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
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

/** These end a process without `exit`, unless somebody listens to them. */
const DEADLY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
