// The data folder of Codex, and somebody who points at a part of it.

import path from 'node:path';
import { isFileEntry, listFilesBelow, listFolder } from '../../lib/folders.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import { readHead } from '../../lib/read-lines.ts';
import { parseLine, recordsIn } from './record.ts';

/** `sessions/YYYY/MM/DD/` by the day a thread began; `archived_sessions/` holds all that were put away, in one heap. */
const HOMES = new Set(['sessions', 'archived_sessions']);
const DATE = /^\d{2,4}$/;
const YEAR_MONTH_DAY = 3;

/** Files that may be rollouts. Somebody may point at `sessions` itself, at a day of it, or at a folder with a few of them. */
export async function rolloutFiles(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await listFolder(folder)) {
      const { name } = entry;
      const place = path.join(folder, name);
      if (isFileEntry(entry)) files.push(place);
      else if (depth === 0 && HOMES.has(name)) files.push(...(await listFilesBelow(place)));
      else if (DATE.test(name) && depth < YEAR_MONTH_DAY) await walk(place, depth + 1);
    }
  };
  await walk(root, 0);
  return files.filter((file) => path.basename(file).startsWith('rollout-'));
}

/** Whether a folder below the root may hold rollouts. */
export function mayHoldRollouts(root: string, folder: string): boolean {
  const [first = '', ...others] = path.relative(root, folder).split(path.sep);
  if (HOMES.has(first)) return true;
  return [first, ...others].every((name) => DATE.test(name)) && others.length < YEAR_MONTH_DAY;
}

/** One lock for each thread that a process works on (0.15x and later). */
export const LOCKS_FOLDER = 'thread-writer-locks';

/** Threads that a person gave a name (about 0.11x and later). */
export const NAMES_FILE = 'session_index.jsonl';

// Files that hold what `codex exec --json` printed: they are where somebody put them, not in the host's own folders.

const FIRST_LINE = /^\s*\{"type":"thread\.started","thread_id":"([\w-]+)"/;
const HEAD_BYTES = 512;

function threadOfStream(head: Uint8Array): string | undefined {
  return FIRST_LINE.exec(Buffer.from(head.subarray(0, HEAD_BYTES)).toString('utf8'))?.[1];
}

/** Those that lie in this very folder. */
export async function streamsIn(folder: string) {
  const found: { readonly file: string; readonly thread: string }[] = [];
  for (const { name, kind } of await listFolder(folder)) {
    const file = path.join(folder, name);
    const thread = kind === 'file' && name.endsWith('.jsonl') ? await threadOfFile(file) : undefined;
    if (thread !== undefined) found.push({ file, thread });
  }
  return found;
}

export async function threadOfFile(file: string): Promise<string | undefined> {
  const head = await readHead(file, HEAD_BYTES).catch(() => undefined);
  return head && threadOfStream(head);
}

// Whether a file is Codex's, by its first lines: a rollout of any version, or what `codex exec --json` printed.

/** Kinds of lines that no other host wraps in a `payload`. */
const OWN_TYPES = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'world_state',
  'compacted',
  'token_usage_record',
]);

/** The header may be longer than the head that is looked at: it shows by its beginning. */
const LONG_HEADER =
  /^\{"timestamp":"[^"]+",(?:"ordinal":\d+,)?"type":"session_meta","payload":\{|^\{"id":"[0-9a-f-]{36}","timestamp":"[^"]+","instructions":/;

export function sniffRollout(head: Uint8Array): boolean {
  if (threadOfStream(head) !== undefined) return true;
  const splitter = createLineSplitter();
  for (const line of splitter.push(head)) {
    const [record] = recordsIn(line, parseLine).records;
    // Bare items look like those of other hosts; the bare header does not.
    if (record && OWN_TYPES.has(record.type) && (!record.isBare || record.type === 'session_meta')) return true;
  }
  const rest = splitter.rest();
  return rest !== undefined && LONG_HEADER.test(Buffer.from(rest.bytes.subarray(0, 512)).toString('utf8'));
}
