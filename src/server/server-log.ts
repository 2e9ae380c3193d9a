import { chmod, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { openRegular } from '../lib/regular-file.ts';
import { inStateFolder } from '../lib/state-folder.ts';

const MAX_BYTES = 1024 * 1024;
const LAST_LINES = 15;
const LAST_BYTES = 16 * 1024;

export interface ServerLog {
  readonly path: string;
  readonly descriptor: number;
  /** What was said since it was opened: the last lines of it. */
  lastWords(): Promise<string>;
  close(): Promise<void>;
}

/** What a server in the background says. The one before is kept once, where it has become long. */
export function openServerLog(folder: string): Promise<ServerLog> {
  return inStateFolder(folder, () => openIn(folder));
}

async function openIn(folder: string): Promise<ServerLog> {
  const place = path.join(folder, 'server.log');
  const size = (await stat(place).catch(() => undefined))?.size ?? 0;
  if (size > MAX_BYTES) await rename(place, `${place}.1`);
  const handle = await openRegular(place, 'append');
  if (process.platform !== 'win32') await chmod(place, 0o600);
  const begin = (await handle.stat()).size;
  return {
    path: place,
    descriptor: handle.fd,
    async lastWords() {
      const from = Math.max(begin, (await handle.stat()).size - LAST_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LAST_BYTES), 0, LAST_BYTES, from);
      return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    },
    close: () => handle.close(),
  };
}
