import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import type { ManifestFile } from './manifest.ts';

/** What a page is made of. */
export type Chunks = Iterable<string> | AsyncIterable<string>;

const BATCH = 128 * 1024;

/** Writes a file that must not be there yet, piece by piece: a page may be larger than what we want to hold. */
export async function writeFile(folder: string, name: string, chunks: Chunks): Promise<ManifestFile> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  const handle = await open(file, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  const put = async (text: string): Promise<void> => {
    const data = Buffer.from(text);
    hash.update(data);
    bytes += data.length;
    await handle.writeFile(data);
  };
  try {
    let batch = '';
    for await (const chunk of chunks) {
      batch += chunk;
      if (batch.length < BATCH) continue;
      // Half of a surrogate pair would be written as a replacement character.
      const end = isHighSurrogate(batch.charCodeAt(batch.length - 1)) ? batch.length - 1 : batch.length;
      await put(batch.slice(0, end));
      batch = batch.slice(end);
    }
    if (batch !== '') await put(batch);
  } finally {
    await handle.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
