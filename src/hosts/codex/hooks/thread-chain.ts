// Who a rollout belongs to and who is above it, by the first lines of rollouts: for the guard, whose host waits. A hook names
// the rollout of the very thread that calls.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { readPart } from '../../../lib/read-lines.ts';
import { headOf, type ThreadHead } from '../thread-head.ts';

export interface Thread extends ThreadHead {
  /** Where it began. */
  readonly cwd?: string;
}

/** The host's instructions stand in the same line. */
const HEAD_BYTES = [64 * 1024, 4 * 1024 * 1024];

export function threadIn(rollout: string | undefined): Thread | undefined {
  if (rollout === undefined) return undefined;
  for (const bytes of HEAD_BYTES) {
    const head = readPart(rollout, 'head', bytes);
    const end = head?.indexOf('\n') ?? -1;
    if (head === undefined || (end === -1 && head.length < bytes)) return undefined;
    const meta = end === -1 ? undefined : metaIn(head.slice(0, end));
    const thread = meta && headOf(meta);
    const cwd = asText(meta?.['cwd']);
    if (thread) return cwd === undefined ? thread : { ...thread, cwd };
  }
  return undefined;
}

function metaIn(line: string): JsonObject | undefined {
  try {
    const record = asObject(JSON.parse(line));
    return record?.['type'] === 'session_meta' ? asObject(record['payload']) : undefined;
  } catch {
    return undefined;
  }
}

/** Deeper than any configuration lets agents nest. */
const MAX_DEPTH = 50;

export interface Line {
  /** The thread first, main last, where all are known. */
  readonly threads: readonly Thread[];
  readonly isWhole: boolean;
}

export function lineOf(thread: Thread, rollout: string): Line {
  const threads = [thread];
  let last = thread;
  while (last.isSubAgent && last.parent !== undefined && threads.length < MAX_DEPTH) {
    const { parent } = last;
    const above = threads.some(({ id }) => id === parent) ? undefined : threadIn(rolloutOf(parent, rollout));
    if (above?.id !== parent) break;
    threads.push(above);
    last = above;
  }
  return { threads, isWhole: !last.isSubAgent };
}

/** Of another thread: in the same folder, or in that of the day on which it began. */
export function rolloutOf(thread: string, beside: string): string | undefined {
  const own = path.dirname(beside);
  for (const folder of [own, ...daysAround(thread, path.resolve(own, '..', '..', '..'))])
    for (const name of namesIn(folder)) if (name.endsWith(`-${thread}.jsonl`)) return path.join(folder, name);
  return undefined;
}

const DAY_MS = 86_400_000;

/** Ids of threads are UUIDs of version 7, which begin with their time. Folders go by the day of the place where the host is. */
function daysAround(thread: string, sessions: string): readonly string[] {
  const at = Number.parseInt(thread.replaceAll('-', '').slice(0, 12), 16);
  if (!Number.isFinite(at)) return [];
  return [0, -DAY_MS, DAY_MS].map((shift) =>
    path.join(sessions, ...new Date(at + shift).toISOString().slice(0, 10).split('-')),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
