import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFile } from './regular-file.ts';
import { isSystemError, messageOf, UserError } from './user-error.ts';

export interface Home {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Where troupe keeps what it needs between two starts. */
export function stateFolder({ env, home }: Home): string {
  if (env['TROUPE_HOME']) return path.resolve(env['TROUPE_HOME']);
  const xdg = env['XDG_STATE_HOME'];
  // A relative one is to be ignored, says the XDG specification.
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'state'), 'troupe');
}

/**
 * Makes the folder, for nobody but its owner. One that is there already stays as it is: the files in it are for their
 * owner only, too. Throws a `UserError` where it cannot be.
 */
export async function ensureStateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await stat(folder)).isDirectory()) throw new Error('it is no folder');
  } catch (error) {
    throw folderError(folder, error);
  }
}

/** What the system refuses us in that folder is a matter for the person: throws a `UserError`. */
export async function inStateFolder<T>(folder: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw isSystemError(error) ? folderError(folder, error) : error;
  }
}

/** A server in the background could not say that its disk is full: its words go there. Throws a `UserError`. */
export async function assertWritable(folder: string): Promise<void> {
  const probe = path.join(folder, `probe.${randomBytes(6).toString('hex')}`);
  await inStateFolder(folder, async () => {
    try {
      await createFile(probe, 'Can be written.\n');
    } finally {
      await rm(probe, { force: true });
    }
  });
}

function folderError(folder: string, error: unknown): UserError {
  const isFull = isSystemError(error) && FULL.has(error.code);
  return new UserError(
    'state-folder',
    `troupe cannot use its folder ${folder}: ${messageOf(error)}`,
    `${isFull ? 'Make room on its disk' : 'Make it a folder of your own'}, or name another with TROUPE_HOME.`,
    { cause: error },
  );
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** `TROUPE_HOME`, else where the system keeps settings. */
export function configFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return env['TROUPE_HOME'] || path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'troupe');
}
