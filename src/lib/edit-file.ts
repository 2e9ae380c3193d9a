// Changes of somebody else's text file: whole or not at all, and never over what was written in between.

import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, type Stats } from 'node:fs';
import { link, lstat, mkdir, readlink, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFileSync, isWrongFile, openNew, readRegular, readRegularSync, syncFolder } from './regular-file.ts';
import { codeOf, messageOf, UserError } from './user-error.ts';

/** Nothing where there is no such file. Throws a `UserError` where it cannot be read as text. */
export async function readText(file: string): Promise<string | undefined> {
  const bytes = await readBytes(file);
  return bytes && decode(file, bytes);
}

export interface Edit {
  /** Undefined: there was none, or there shall be none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface EditOptions {
  /** What is to stand there, by what stands there now; the same where nothing is to do. Asked again if that changed. */
  readonly change: (text: string | undefined) => string | undefined;
  /** Before anything is written. Gives what forgets it again where nothing came of it. */
  readonly keep?: (edit: Edit) => Promise<() => Promise<void>>;
}

/**
 * A link stays a link: what it points to is changed. Mode and owner stay. Of an edit that somebody makes meanwhile nothing
 * is lost, but for one that falls into the moment between the last look and the renaming.
 */
export async function editText(link: string, { change, keep }: EditOptions): Promise<Edit> {
  const file = await followLinks(link);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const bytes = await readBytes(file);
    const before = bytes && decode(file, bytes);
    const after = change(before);
    if (after === before) return { before, after };
    const stats = bytes && (await stat(file));
    if (stats && (stats.mode & 0o222) === 0) throw readOnly(file);
    const forget = await keep?.({ before, after });
    let isPut = false;
    try {
      isPut = await putIfSame(file, bytes, after, stats);
    } catch (error) {
      throw ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error))) ? readOnly(file, error) : error;
    } finally {
      if (!isPut) await forget?.();
    }
    if (isPut) return { before, after };
  }
  throw new UserError(
    'settings-busy',
    `${file} is being changed all the time, and was left as it is.`,
    'Try again when the other program is done.',
  );
}

const ATTEMPTS = 20;

/** False where somebody was faster. */
async function putIfSame(
  file: string,
  bytes: Buffer | undefined,
  after: string | undefined,
  stats: Stats | undefined,
): Promise<boolean> {
  if (after === undefined) {
    if (!isSame(file, bytes)) return false;
    rmSync(file, { force: true });
    return true;
  }
  await mkdir(path.dirname(file), { recursive: true });
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.troupe-${randomBytes(6).toString('hex')}`);
  try {
    await writeDraft(draft, after, stats);
    // Nothing of ours happens between the two.
    if (!isSame(file, bytes)) return false;
    renameSync(draft, file);
    await syncFolder(path.dirname(file));
    return true;
  } finally {
    await rm(draft, { force: true });
  }
}

function isSame(file: string, bytes: Buffer | undefined): boolean {
  try {
    const now = readRegularSync(file);
    return bytes !== undefined && now.equals(bytes);
  } catch (error) {
    if (isWrongFile(error)) return false;
    if (codeOf(error) !== 'ENOENT') throw error;
    return bytes === undefined;
  }
}

async function writeDraft(draft: string, text: string, stats: Stats | undefined): Promise<void> {
  const handle = await openNew(draft);
  try {
    await handle.writeFile(text);
    await handle.chmod(stats ? stats.mode & 0o7777 : 0o666 & ~process.umask());
    // If we may not give it away, it would become ours: then it is better not written at all.
    const own = await handle.stat();
    if (stats && (own.uid !== stats.uid || own.gid !== stats.gid)) await handle.chown(stats.uid, stats.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Also to a place where nothing is yet. */
async function followLinks(link: string): Promise<string> {
  let file = path.resolve(link);
  for (let step = 0; step < MAX_LINKS; step++) {
    const stats = await lstat(file).catch((error) => (codeOf(error) === 'ENOENT' ? undefined : Promise.reject(error)));
    if (!stats?.isSymbolicLink()) return file;
    file = path.resolve(path.dirname(file), await readlink(file));
  }
  throw new UserError('settings-unreadable', `${link} is a link that leads nowhere.`, 'Mend it, or remove it.');
}

const MAX_LINKS = 40;

async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readRegular(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    const what = `troupe cannot read ${file}: ${messageOf(error)}`;
    throw new UserError('settings-unreadable', what, 'Mend it, and try again.', { cause: error });
  }
}

/** What is no text would not survive the way through one. */
function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UserError(
      'settings-unreadable',
      `${file} is not UTF-8 text, and was left as it is.`,
      'Save it as UTF-8, and try again.',
      { cause: error },
    );
  }
}

function readOnly(file: string, cause?: unknown): UserError {
  return new UserError(
    'settings-read-only',
    `${file} may not be written, and was left as it is.`,
    'Allow it (chmod u+w), or choose another place with --scope.',
    { cause },
  );
}

/** Puts a text in the place of a file, for its owner only: whole or not at all, wherever this process is killed. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.draft`;
  try {
    createFileSync(draft, text, mode);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Gives the draft a second name; false where that name is taken. Of any number that try at once, one succeeds. */
export async function linkNew(draft: string, place: string): Promise<boolean> {
  try {
    await link(draft, place);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!WITHOUT_LINKS.has(codeOf(error))) throw error;
    throw new UserError(
      'state-folder',
      `The file system of ${path.dirname(place)} has no hard links, which troupe needs there.`,
      'Name a folder on another one with TROUPE_HOME.',
      { cause: error },
    );
  }
}

const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
