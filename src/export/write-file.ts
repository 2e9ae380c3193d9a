import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, writeSync } from 'node:fs';
import path from 'node:path';
import { openNewSync } from '../lib/regular-file.ts';
import { borrowBuffer, returnBuffer } from '../lib/spare-buffers.ts';
import { type Chunks, inBatches } from './in-batches.ts';
import type { ManifestFile } from './manifest.ts';

/**
 * Writes a file that must not be there yet, piece by piece: a page may be larger than what we want to hold. Without leaving the
 * thread: it has nothing else to do, and of a small page more time went into handing it over than into writing it.
 */
export async function writeFile(folder: string, name: string, chunks: Chunks): Promise<ManifestFile> {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const handle = openNewSync(file, 0o666);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const batch of inBatches(chunks)) {
      // No character of a text takes more than three bytes for each of its units.
      const buffer = borrowBuffer(batch.length * 3);
      const data = buffer.subarray(0, buffer.write(batch));
      hash.update(data);
      bytes += data.length;
      writeAll(handle, data);
      returnBuffer(buffer);
    }
  } finally {
    closeSync(handle);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** The system may take less than it is given. */
function writeAll(handle: number, data: Uint8Array): void {
  for (let written = 0; written < data.length; ) written += writeSync(handle, data, written);
}
