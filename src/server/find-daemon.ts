import { askStatus } from './ask-status.ts';
import { type Daemon, daemonPath, readDaemonFile } from './daemon-file.ts';

/** The server that runs for this person and answers. */
export async function findDaemon(folder: string): Promise<Daemon | undefined> {
  const daemon = (await readDaemonFile(daemonPath(folder)))?.daemon;
  return daemon && (await askStatus(daemon)) ? daemon : undefined;
}
