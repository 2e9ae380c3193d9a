import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { borrowBuffer, returnBuffer } from '../io/spare-buffers.ts';
import { type Chunks, inBatches } from './in-batches.ts';
import type { ManifestFile } from './manifest.ts';

/** Writes a file that must not be there yet, piece by piece: a page may be larger than what we want to hold. */
export async function writeFile(folder: string, name: string, chunks: Chunks): Promise<ManifestFile> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  const handle = await open(file, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const batch of inBatches(chunks)) {
      // No character of a text takes more than three bytes for each of its units.
      const buffer = borrowBuffer(batch.length * 3);
      const data = buffer.subarray(0, buffer.write(batch));
      hash.update(data);
      bytes += data.length;
      await handle.writeFile(data);
      returnBuffer(buffer);
    }
  } finally {
    await handle.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}
