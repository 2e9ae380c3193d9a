import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { toSessionId } from '../core/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { prune } from './drain.ts';

const DAY = 86_400_000;
const FIRST = Date.parse('2026-11-01T00:00:00Z');
const NOW = FIRST + 10 * DAY;

let folder: string;
let hooks: string;
beforeEach(() => {
  folder = makeTemporaryFolder('prune');
  hooks = path.join(folder, 'hooks', 'test');
  mkdirSync(hooks, { recursive: true });
});

function tell(session: string, at: number): void {
  const file = path.join(hooks, `${session}.jsonl`);
  writeFileSync(file, '{}\n');
  utimesSync(file, at / 1000, at / 1000);
}

describe('pruning the hook lines of a session', () => {
  it('removes them when the files of the session are gone, or as old', async () => {
    for (const session of ['gone', 'old', 'resumed']) tell(session, FIRST);
    tell('young', NOW - DAY);
    const modified = new Map([
      [toSessionId('test', 'old'), FIRST + DAY],
      [toSessionId('test', 'resumed'), NOW],
    ]);
    await prune(
      folder,
      5,
      () => NOW,
      async () => modified,
    );
    expect(readdirSync(hooks).sort()).toEqual(['resumed.jsonl', 'young.jsonl']);
  });

  it('keeps them when the list of sessions is missing or unreadable', async () => {
    tell('gone', FIRST);
    await prune(folder, 5, () => NOW);
    const blind = () => Promise.reject(new Error('not now'));
    await expect(prune(folder, 5, () => NOW, blind)).rejects.toThrow('not now');
    expect(readdirSync(hooks)).toEqual(['gone.jsonl']);
  });
});
