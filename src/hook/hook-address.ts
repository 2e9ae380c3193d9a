// hook-address: where hooks reach the server, in one line that a shell reads without help: pid, port, key, proof.

import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createFile, readText } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';

/** Of one run of the server, and for hooks only: the token of the page stays good from start to start. */
export interface HookKeys {
  /** What a hook brings. */
  readonly key: string;
  /** What our answer brings, and nobody else's. */
  readonly proof: string;
}

export function createHookKeys(): HookKeys {
  return { key: randomBytes(18).toString('base64url'), proof: randomBytes(18).toString('base64url') };
}

export interface HookAddressOptions extends HookKeys {
  readonly port: number;
  readonly onError?: (error: unknown) => void;
  readonly recheckMs?: number;
}

/** As long as we serve, the file says so: a hook that had to wait empties it. Gives what ends that, and takes it away. */
export async function keepHookAddress(folder: string, options: HookAddressOptions): Promise<() => Promise<void>> {
  const { port, key, proof, onError, recheckMs = RECHECK_MS } = options;
  const file = path.join(folder, 'hook-address');
  const line = `${process.pid} ${port} ${key} ${proof}\n`;
  const isOwn = async (): Promise<boolean> => (await readText(file).catch(() => '')) === line;
  let last: Promise<void> = Promise.resolve();

  // Without it hooks decide by themselves: no reason not to serve.
  await writeAtOnce(file, line).catch((error) => onError?.(error));
  const timer = setInterval(() => {
    last = last
      .then(async () => ((await isOwn()) ? undefined : writeAtOnce(file, line)))
      .catch((error) => onError?.(error));
  }, recheckMs);
  timer.unref();

  return async () => {
    clearInterval(timer);
    await last;
    if (await isOwn()) await rm(file, { force: true });
  };
}

const RECHECK_MS = 3_000;

async function writeAtOnce(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await createFile(draft, text);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const why = `${file} cannot be replaced (${codeOf(error) ?? error})`;
    throw new UserError('state-folder', `Hooks do not reach this server: ${why}.`, 'Remove it.', { cause: error });
  }
}
