// What the hooks of a recorded session would have left behind, had nobody taken it yet.

import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { queueEvent } from '../queue.ts';

const adapter = fileURLToPath(new URL('../../hosts/claude-code/', import.meta.url));

export interface RecordedHook {
  readonly at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The data folder of the same session. */
export const recordedRoot = (name: string): string => path.join(adapter, 'fixtures', name);

export function recordedHooks(name: string): readonly RecordedHook[] {
  return readFileSync(path.join(adapter, 'hooks/fixtures', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Puts them into the spool below a state folder, as of when they were called. */
export function fillSpool(folder: string, hooks: readonly RecordedHook[], extra: object = { ppid: 1 }): void {
  const spool = path.join(folder, 'spool');
  for (const { at, payload } of hooks) {
    const before = new Set(existsSync(spool) ? readdirSync(spool) : []);
    queueEvent(folder, 'claude-code', Buffer.from(JSON.stringify(payload)), extra);
    for (const file of readdirSync(spool))
      if (!before.has(file)) utimesSync(path.join(spool, file), secondsOf(at), secondsOf(at));
  }
}

/** In the middle of its millisecond: as a fraction of a second it would else be a hair before it. */
function secondsOf(at: string): number {
  return (Date.parse(at) + 0.5) / 1000;
}
