// The only place that opens files by path (scripts/check-imports.mjs enforces it). Agents can write most of the files that troupe
// reads, and could put a FIFO or a device in their place: a plain open() of a FIFO waits for a writer, possibly forever.
// The hook starts with this file, so it imports nothing but `node:fs`.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  promises,
  readSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { codeOf } from './user-error.ts';

type FileHandle = promises.FileHandle;

/** Sidecars, settings and state files: all of them are a few kilobytes in practice. */
export const MAX_SMALL_BYTES = 16 * 1024 * 1024;
/** Sidecars that a hook reads while its host waits. */
export const MAX_SIDECAR_BYTES = 1024 * 1024;
/** Transcripts that a host keeps as one JSON document. V8 cannot parse a longer text. */
export const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024;
/** Files of lines, read piece by piece. No host comes near it; a sparse file without end would be read for hours. */
const MAX_LINES_BYTES = 8 * 1024 * 1024 * 1024;

// Windows has none of these, and no FIFOs in its file system.
const GUARDED = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * `read` and `update` need an existing file, `append` creates it. Links are followed for reading (people link their dotfiles), but
 * not for writing: what troupe appends to are its own files.
 */
const FLAGS = {
  read: constants.O_RDONLY,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_LINK,
  'append-existing': constants.O_WRONLY | constants.O_APPEND | NO_LINK,
  update: constants.O_RDWR | NO_LINK,
} as const;

export type OpenMode = keyof typeof FLAGS;

/** Throws a system error (`EFTYPE`, or `EISDIR` for a folder) where the path is not a regular file. Never waits. */
export function openRegularSync(file: string, how: OpenMode = 'read'): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, FLAGS[how] | GUARDED, 0o600);
  } catch (error) {
    throw explain(file, how, error);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw notRegular(file, stats);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** As `openRegularSync`; throws `EFBIG` if it is longer than `maxBytes`. */
export async function openRegular(file: string, how: OpenMode = 'read', maxBytes?: number): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await promises.open(file, FLAGS[how] | GUARDED, 0o600);
  } catch (error) {
    throw explain(file, how, error);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(file, stats);
    if (maxBytes !== undefined) assertSize(file, stats.size, maxBytes);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A file of lines, to be read piece by piece. As `openRegular`; throws `EFBIG` where it is longer than any transcript. */
export async function openLines(file: string): Promise<FileHandle> {
  return openRegular(file, 'read', MAX_LINES_BYTES);
}

/** All of a file, unless it is longer than `maxBytes`: then throws `EFBIG`. */
export function readRegularSync(file: string, maxBytes = MAX_SMALL_BYTES): Buffer {
  return closing(openRegularSync(file), (descriptor) => readDescriptorSync(file, descriptor, maxBytes));
}

/** Closes the descriptor after use, whatever happens. */
export function closing<T>(descriptor: number, use: (descriptor: number) => T): T {
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** As `readRegularSync`. */
export async function readRegular(file: string, maxBytes = MAX_SMALL_BYTES): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const room = createRoom(file, (await handle.stat()).size, maxBytes);
    for (;;) {
      const { bytesRead } = await handle.read(room.buffer(), room.length(), room.free(), null);
      if (bytesRead === 0) return room.bytes();
      room.add(bytesRead);
    }
  } finally {
    await handle.close();
  }
}

export function readTextSync(file: string, maxBytes?: number): string {
  return readRegularSync(file, maxBytes).toString('utf8');
}

export async function readText(file: string, maxBytes?: number): Promise<string> {
  return (await readRegular(file, maxBytes)).toString('utf8');
}

/**
 * A file that the person named on the command line. `/dev/stdin` and `<(…)` are fine there: such a pipe is open already, and is waited
 * for. A FIFO of the file system is not: an agent may have put it in place of the file.
 */
export function readNamedSync(file: string, maxBytes = MAX_SMALL_BYTES): Buffer {
  if (!OPEN_ALREADY.test(file)) return readRegularSync(file, maxBytes);
  const opened = openSync(file, constants.O_RDONLY | (constants.O_NOCTTY ?? 0));
  return closing(opened, (descriptor) => readDescriptorSync(file, descriptor, maxBytes));
}

const OPEN_ALREADY = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Makes a file, for its owner only. Throws `EEXIST` where anything has that name, a dangling link included. */
export function createFileSync(file: string, content: string | Uint8Array, mode = 0o600): void {
  writeFileSync(file, content, { mode, flag: 'wx' });
}

/** As `createFileSync`. */
export async function createFile(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await promises.writeFile(file, content, { mode, flag: 'wx' });
}

/** An empty one, to be written by its descriptor. As `createFileSync`. */
export function openNewSync(file: string, mode = 0o600): number {
  return openSync(file, 'wx+', mode);
}

/** As `openNewSync`. */
export async function openNew(file: string): Promise<FileHandle> {
  return promises.open(file, 'wx+', 0o600);
}

export function appendSync(file: string, text: string, how: OpenMode = 'append'): void {
  closing(openRegularSync(file, how), (descriptor) => writeFileSync(descriptor, text));
}

export async function append(file: string, text: string): Promise<void> {
  const handle = await openRegular(file, 'append');
  try {
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

/** To a new file. */
export function copyRegularSync(from: string, to: string, mode?: number): void {
  const copy = (source: number, target: number): void => {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0, length = -1; length !== 0; at += length) {
      length = readSync(source, chunk, 0, chunk.length, at);
      for (let from = 0; from < length; ) from += writeSync(target, chunk, from, length - from);
    }
  };
  closing(openRegularSync(from), (source) => closing(openNewSync(to, mode), (target) => copy(source, target)));
}

/** The names in a folder are on the disk, too. Not every system can do that; those that cannot do not need it. */
export async function syncFolder(folder: string): Promise<void> {
  const flags = constants.O_RDONLY | GUARDED | (constants.O_DIRECTORY ?? 0);
  const handle = await promises.open(folder, flags).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

type FileKind = Pick<Stats, 'isFile' | 'isDirectory' | 'isFIFO' | 'isSocket' | 'isSymbolicLink'>;

/** What stands in place of a regular file, as in "is a FIFO". */
export function kindOfFile(stats: FileKind): string {
  if (stats.isFile()) return 'a regular file';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return stats.isSymbolicLink() ? 'a symbolic link' : 'a device';
}

/** Not a regular file, or too large to be the one that is looked for. */
export function isWrongFile(error: unknown): error is Error & { readonly why: string } {
  return error instanceof Error && 'why' in error && WRONG.has(codeOf(error));
}

const WRONG: ReadonlySet<unknown> = new Set(['EFTYPE', 'EISDIR', 'EFBIG']);

const CHUNK_BYTES = 1024 * 1024;

/** From its beginning to its end, unless it is longer than `maxBytes`: then throws `EFBIG`. `file` is for the message. */
export function readDescriptorSync(file: string, descriptor: number, maxBytes: number): Buffer {
  const room = createRoom(file, fstatSync(descriptor).size, maxBytes);
  for (;;) {
    const bytesRead = readSync(descriptor, room.buffer(), room.length(), room.free(), null);
    if (bytesRead === 0) return room.bytes();
    room.add(bytesRead);
  }
}

/** A buffer that grows with what is read. Sizes are hints: files grow, and those in /proc say 0. */
function createRoom(file: string, size: number, maxBytes: number) {
  assertSize(file, size, maxBytes);
  // One more than expected: the end shows without growing.
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  return {
    buffer: () => buffer,
    length: () => length,
    free: () => buffer.length - length,
    bytes: () => buffer.subarray(0, length),
    add(bytes: number): void {
      length += bytes;
      assertSize(file, length, maxBytes);
      if (length === buffer.length) buffer = Buffer.concat([buffer], Math.max(4096, 2 * length));
    },
  };
}

/** `syscall` makes it a system error (`isSystemError` in user-error.ts), which is reported to the user as something to fix. */
function notRegular(file: string, stats: Stats): Error {
  const code = stats.isDirectory() ? 'EISDIR' : 'EFTYPE';
  const why = `is ${kindOfFile(stats)}, not a regular file`;
  return Object.assign(new Error(`${file} ${why}`), { code, syscall: 'open', path: file, why });
}

/** Throws `EFBIG`. */
export function assertSize(file: string, size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  const why = `is too large: more than ${maxBytes} bytes`;
  throw Object.assign(new Error(`${file} ${why}`), { code: 'EFBIG', syscall: 'read', path: file, why });
}

/** The system says of a socket, or a FIFO without a reader, that there is "no such device or address". */
function explain(file: string, how: OpenMode, error: unknown): unknown {
  // Usual for many files, and a hook is in a hurry.
  if (codeOf(error) === 'ENOENT') return error;
  try {
    const stats = how === 'read' ? statSync(file) : lstatSync(file);
    return stats.isFile() ? error : notRegular(file, stats);
  } catch {
    return error;
  }
}
