import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { createFileSync } from './regular-file.ts';

/** Puts a text in the place of a file, for its owner only: whole or not at all, wherever this process is killed. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.draft`;
  try {
    createFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
