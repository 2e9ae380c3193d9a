import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { asObject, known } from '../lib/json.ts';
import { createFile, isWrongFile, readText } from '../lib/regular-file.ts';
import type { ChainLink } from './chain.ts';
import { auditFolder } from './log-files.ts';

/** How far the log had come when a batch was done: lines that are missing at its end show by it. */
export interface Head extends ChainLink {
  /** The last line that was removed because of its age: the log begins behind it. */
  readonly pruned?: ChainLink;
  /** There was no head, or a broken one, when the log had come to this line: of what stood behind it, nobody knows. */
  readonly lost?: ChainLink;
}

/** `broken`: there is one, and it says nothing. */
export async function readHead(folder: string): Promise<Head | 'broken' | undefined> {
  try {
    return parseHead(await readText(headPath(folder))) ?? 'broken';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    if (isWrongFile(error)) return 'broken';
    throw error;
  }
}

/** Under the lock only. Not flushed: one that is lost or behind after a power cut is made again from the log itself. */
export async function writeHead(folder: string, { n, hash, pruned, lost }: Head): Promise<void> {
  const draft = `${headPath(folder)}.new`;
  try {
    // Of one that was killed.
    await rm(draft, { recursive: true, force: true });
    await createFile(draft, `${JSON.stringify({ n, hash, ...known({ pruned, lost }) })}\n`);
    await rename(draft, headPath(folder));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function headPath(folder: string): string {
  return path.join(auditFolder(folder), 'head.json');
}

function parseHead(text: string): Head | undefined {
  try {
    const raw = asObject(JSON.parse(text));
    const link = toLink(raw);
    return link && { ...link, ...known({ pruned: toLink(raw?.['pruned']), lost: toLink(raw?.['lost']) }) };
  } catch {
    return undefined;
  }
}

function toLink(value: unknown): ChainLink | undefined {
  const { n, hash } = asObject(value) ?? {};
  return Number.isSafeInteger(n) && typeof hash === 'string' ? { n: n as number, hash } : undefined;
}
