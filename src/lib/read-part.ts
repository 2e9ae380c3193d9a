import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularSync } from './regular-file.ts';

/** The beginning or the end of a file, at once: for hooks, whose host waits. Undefined where it cannot be read. */
export function readPart(file: string, end: 'head' | 'tail', bytes: number): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openRegularSync(file);
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(bytes, size));
    const length = readSync(descriptor, buffer, 0, buffer.length, end === 'head' ? 0 : size - buffer.length);
    return buffer.toString('utf8', 0, length);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
