import { createHash } from 'node:crypto';
import { isMissing } from '../lib/folders.ts';
import { isWrongFile, openRegular } from '../lib/regular-file.ts';

/** SHA-256 of a file, '' for what is not a regular file; undefined where there is none. */
export async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const handle = await openRegular(file);
    for await (const chunk of handle.createReadStream()) hash.update(chunk as Buffer);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isWrongFile(error)) return '';
    throw error;
  }
  return hash.digest('hex');
}
