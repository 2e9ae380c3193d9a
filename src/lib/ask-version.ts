import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PATIENCE_MS = 10_000;

/** What a program on the PATH says when it is asked for its version; nothing where it is not there or does not answer. */
export async function askVersion(program: string): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(program, ['--version'], { timeout: PATIENCE_MS })).stdout;
  } catch {
    return undefined;
  }
}
