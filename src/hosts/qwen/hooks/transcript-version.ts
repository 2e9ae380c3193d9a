// Which version writes a session, by the first lines of its transcript: whether a hook that names nobody is the main agent's.

import { readPart } from '../../../lib/read-lines.ts';
import { isAtLeast } from '../../../lib/version-number.ts';

/** From here on a hook inside a sub-agent has its id. */
const NAMES_CALLERS = '0.23.4';

export function namesCallers(version: string | undefined): boolean {
  return version !== undefined && isAtLeast(version, NAMES_CALLERS);
}

const HEAD_BYTES = 64 * 1024;

export function versionIn(transcript: string | undefined): string | undefined {
  const head = transcript === undefined ? undefined : readPart(transcript, 'head', HEAD_BYTES);
  return /"version":"([^"\\]+)"/.exec(head ?? '')?.[1];
}
