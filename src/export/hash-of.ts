import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isMissing } from '../io/folders.ts';

/** SHA-256 of a file; nothing where there is none. */
export async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return hash.digest('hex');
}
