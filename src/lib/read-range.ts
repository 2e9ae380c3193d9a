import { closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openRegular, openRegularSync } from './regular-file.ts';

/** The first bytes of a file: enough to tell what it is. */
export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  return readRange(path, 0, bytes);
}

/** The last bytes of a file, and where they begin. */
export async function readTail(
  path: string,
  bytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly offset: number }> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    const offset = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - offset);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    return { bytes: buffer.subarray(0, bytesRead), offset };
  } finally {
    await file.close();
  }
}

export async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  // Others have their turn, however many files are looked into one after the other.
  await setImmediate();
  const handle = openRegularSync(path);
  try {
    const buffer = Buffer.alloc(Math.min(length, Math.max(0, fstatSync(handle).size - offset)));
    return buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, offset));
  } finally {
    closeSync(handle);
  }
}
