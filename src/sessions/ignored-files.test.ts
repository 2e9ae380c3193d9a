import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LiveTrees } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { findSessions } from './find-sessions.ts';
import { createSessions } from './sessions.ts';
import { startTracker } from './tracker.ts';

const fixture = fileURLToPath(new URL('../hosts/claude-code/fixtures/2.1.325-nested', import.meta.url));

let root = '';
let tracker: LiveTrees;
beforeEach(async () => {
  root = makeTemporaryFolder('ignored');
  cpSync(fixture, root, { recursive: true });
  tracker = startTracker([{ adapter: claudeCode, root, forced: false }], { clock: Date.now, sweepEveryMs: 100 });
  await expect.poll(() => tracker.listing().isComplete, { timeout: 30_000 }).toBe(true);
});
afterEach(() => {
  tracker.close();
});

it('counts as many as a fresh read, whatever was added and removed', async () => {
  const places = [{ adapter: claudeCode, root, forced: false }];
  const fresh = async (): Promise<number> =>
    (await createSessions(places, { clock: Date.now }).list({ limit: 100 })).ignoredFiles;
  const before = (await findSessions(places)).ignoredFiles.size;
  const project = path.join(root, 'projects/-home-dev-nested');
  const strangers = [
    path.join(project, 'notes.txt'),
    // A transcript by its name, of another program by its lines; and one more beside the agents.
    path.join(project, '11111111-2222-3333-4444-555555555555.jsonl'),
    path.join(project, 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd/subagents/stray.txt'),
  ];
  const settled = async (count: number): Promise<void> => {
    await expect.poll(() => tracker.listing().ignoredFiles, { timeout: 30_000 }).toBe(count);
    expect(await fresh()).toBe(count);
  };
  for (let round = 0; round < 2; round++) {
    for (const [index, file] of strangers.entries()) {
      writeFileSync(file, '{"some":"thing else"}\n');
      await settled(before + index + 1);
    }
    for (const [index, file] of strangers.entries()) {
      rmSync(file);
      await settled(before + strangers.length - index - 1);
    }
  }
});
