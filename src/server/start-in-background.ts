import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRegular } from '../lib/regular-file.ts';
import { assertWritable, ensureStateFolder, inStateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { findDaemon } from './control.ts';
import type { Daemon } from './daemon-file.ts';

interface BackgroundStart {
  readonly folder: string;
  /** What serves in the foreground and claims `folder`, e.g. node with our own script. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;
const MAKE_WAY_MS = 5_000;

/**
 * Starts a server that outlives us, and waits until it answers. It may be another one that does: one that was there, or
 * somebody else's start in the same moment. Throws a `UserError` with its last words where none does.
 */
export async function startInBackground(start: BackgroundStart): Promise<Daemon> {
  await ensureStateFolder(start.folder);
  const running = await findDaemon(start.folder);
  if (running) return running;
  await assertWritable(start.folder);
  const log = await inStateFolder(start.folder, () => openServerLog(start.folder));
  try {
    return await startAndWait(start, log);
  } finally {
    await log.close();
  }
}

async function startAndWait({ folder, command, args, env }: BackgroundStart, log: ServerLog): Promise<Daemon> {
  const stdio = ['ignore', log.descriptor, log.descriptor] as const;
  const child = spawn(command, args, { detached: true, windowsHide: true, env, stdio: [...stdio] });
  child.unref();
  let end: string | undefined;
  const ended = once(child, 'exit').then(
    ([code, signal]) => {
      end = signal ? `was ended by ${signal}` : `ended with code ${code}`;
    },
    (error: Error) => {
      end = `could not be started: ${error.message}`;
    },
  );
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
    const endBefore = end;
    const daemon = await findDaemon(folder);
    if (daemon) {
      // Ours is about to find that one, too. If it were left on its way, it would serve as soon as that one stops.
      child.ref();
      if (daemon.pid !== child.pid) await Promise.race([ended, sleep(MAKE_WAY_MS, undefined, { ref: false })]);
      child.unref();
      return daemon;
    }
    // Seen to end before we looked for a server: there was none that it could have made way for.
    if (endBefore) throw await startError(`The server ${endBefore}.`, log);
  }
  child.kill();
  throw await startError('The server has not answered for 20 seconds.', log);
}

async function startError(what: string, log: ServerLog): Promise<UserError> {
  const words = await log.lastWords();
  return new UserError(
    'server-not-started',
    words ? `${what} Its last words:\n${words}` : `${what} It said nothing.`,
    `All it said is in ${log.path}`,
  );
}

const MAX_BYTES = 1024 * 1024;
const LAST_LINES = 15;
const LAST_BYTES = 16 * 1024;

type ServerLog = Awaited<ReturnType<typeof openServerLog>>;

/** What a server in the background says. The one before is kept once, where it has become long. */
async function openServerLog(folder: string) {
  const place = path.join(folder, 'server.log');
  const size = (await stat(place).catch(() => undefined))?.size ?? 0;
  if (size > MAX_BYTES) await rename(place, `${place}.1`);
  const handle = await openRegular(place, 'append');
  if (process.platform !== 'win32') await chmod(place, 0o600);
  const begin = (await handle.stat()).size;
  return {
    path: place,
    descriptor: handle.fd,
    /** What was said since it was opened: the last lines of it. */
    async lastWords() {
      const from = Math.max(begin, (await handle.stat()).size - LAST_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LAST_BYTES), 0, LAST_BYTES, from);
      return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    },
    close: () => handle.close(),
  };
}
