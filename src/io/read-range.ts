import { open } from 'node:fs/promises';

/** The first bytes of a file: enough to tell what it is. */
export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  return readRange(path, 0, bytes);
}

/** The last bytes of a file, and where they begin. */
export async function readTail(
  path: string,
  bytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly offset: number }> {
  const file = await open(path, 'r');
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
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
