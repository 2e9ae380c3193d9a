import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codex } from '../adapters/codex/index.ts';
import { dumpTree } from '../adapters/testing/dump.ts';
import { MUCH_LATER } from '../adapters/testing/feed.ts';
import { buildTree } from '../model/build-tree.ts';
import type { LiveTrees } from '../model/ports.ts';
import type { SessionTree } from '../model/tree.ts';
import { claim, findSessions } from './find-sessions.ts';
import { readSession } from './read-session.ts';
import { createRandom, operate } from './testing/random-operations.ts';
import { startTracker } from './tracker.ts';

const fixtures = fileURLToPath(new URL('../adapters/codex/fixtures/', import.meta.url));

/** Who holds a lock, only Linux tells; `flock` holds one for us. */
const canHoldLocks = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0;

let root = '';
let tracker: LiveTrees | undefined;
let errors: unknown[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-rollouts-'));
  errors = [];
});
afterEach(() => {
  tracker?.close();
  rmSync(root, { recursive: true, force: true });
  expect(errors).toEqual([]);
});

const placeAt = (at: string) => ({ adapter: codex, root: at, forced: false });

async function start(roots = [root], clock = () => MUCH_LATER): Promise<LiveTrees> {
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 1000 };
  const onError = (error: unknown) => void errors.push(error);
  const live = startTracker(roots.map(placeAt), { clock, window, onError, sweepEveryMs: 3_600_000 });
  tracker = live;
  await until(() => live.listing().isComplete, 'the first reading');
  return live;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (holds()) return;
    await pause(25);
  }
  throw new Error(`waited in vain for ${what}`);
}

const dumps = (trees: readonly SessionTree[]): readonly string[] =>
  trees.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(dumpTree);

async function freshTrees(roots: readonly string[]): Promise<readonly SessionTree[]> {
  const trees: SessionTree[] = [];
  for (const session of (await findSessions(roots.map(placeAt))).sessions) {
    const ours = await claim(session, new Set());
    if (ours) trees.push(buildTree(await readSession(ours.adapter, ours.located), { now: MUCH_LATER }));
  }
  return trees;
}

async function settles(live: LiveTrees, roots = [root]): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    const [seen, fresh] = [dumps(live.current()), dumps(await freshTrees(roots))];
    if (JSON.stringify(seen) === JSON.stringify(fresh)) return;
    await pause(50);
  }
  expect(dumps(live.current())).toEqual(dumps(await freshTrees(roots)));
}

function rolloutsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith('rollout-'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}

describe('following rollouts', () => {
  it('line by line, files and the folder of a new day appearing at once', async () => {
    const live = await start();
    const from = path.join(fixtures, '0.166.0-nested');
    for (const file of rolloutsBelow(from)) {
      const day = file.includes('01a1de45-db5d') ? '15' : '16';
      const target = path.join(root, 'sessions', '2026', '11', day, path.basename(file));
      mkdirSync(path.dirname(target), { recursive: true });
      for (const line of readFileSync(file, 'utf8').split(/(?<=\n)/)) {
        const half = Math.floor(line.length / 2);
        appendFileSync(target, line.slice(0, half));
        if (Math.random() < 0.1) await pause(5);
        appendFileSync(target, line.slice(half));
      }
    }
    await settles(live);
    expect(live.current()).toHaveLength(1);
    expect(live.current()[0]?.agents).toHaveLength(4);
  });

  it('an agent of a version that names only its parent comes to the session at the top', async () => {
    const live = await start();
    for (const file of rolloutsBelow(path.join(fixtures, '0.118.0-nested'))) {
      const target = path.join(root, 'sessions', '2026', '11', '15', path.basename(file));
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(file, target);
      await pause(50);
    }
    await until(() => live.current()[0]?.agents.length === 4, 'all agents');
    expect(live.current()).toHaveLength(1);
  });

  it('a thread that is put away is the same session; its name comes from beside the sessions', async () => {
    const live = await start();
    cpSync(path.join(fixtures, '0.118.0-terminal', 'sessions'), path.join(root, 'sessions'), { recursive: true });
    await until(() => live.current()[0]?.agents.length === 2, 'the session');
    expect(live.current()[0]?.titleKind).toBe('prompt');
    cpSync(path.join(fixtures, '0.118.0-terminal', 'session_index.jsonl'), path.join(root, 'session_index.jsonl'));
    await until(() => live.current()[0]?.title === 'My fine thread', 'its name');
    mkdirSync(path.join(root, 'archived_sessions'));
    for (const file of rolloutsBelow(path.join(root, 'sessions')))
      renameSync(file, path.join(root, 'archived_sessions', path.basename(file)));
    await settles(live);
    expect(live.current().map(({ agents, title }) => [agents.length, title])).toEqual([[2, 'My fine thread']]);
  });

  it('says who waits for whom while they are at work', async () => {
    const from = path.join(fixtures, '0.118.0-asks');
    cpSync(path.join(from, 'sessions'), path.join(root, 'sessions'), { recursive: true });
    const live = await start([root], () => Date.parse('2026-11-15T18:22:05Z'));
    await until(() => live.current().length === 1, 'the session');
    expect(
      live
        .current()[0]
        ?.agents.map(({ kind, status, waitingOn, currentTool }) => [kind, status, waitingOn, currentTool?.summary]),
    ).toEqual([
      ['main', 'waiting', 'child', undefined],
      ['task', 'running', undefined, 'rm -rf build'],
    ]);
  });

  it.runIf(canHoldLocks)('knows by its lock that a process is at work, and when it is gone', async () => {
    cpSync(path.join(fixtures, '0.166.0-hang-sigkill', 'sessions'), path.join(root, 'sessions'), { recursive: true });
    const live = await start();
    const statuses = () => live.current()[0]?.agents.map(({ status }) => status);
    expect(statuses()).toEqual(['unknown', 'unknown']);
    const lock = path.join(root, 'thread-writer-locks', '01a1de46-0499-7b73-a008-382ab7bc9a77.lock');
    mkdirSync(path.dirname(lock));
    const holder = spawn('flock', ['--no-fork', lock, 'sleep', '60'], { stdio: 'ignore' });
    await until(() => JSON.stringify(statuses()) === '["waiting","running"]', 'the process to be seen');
    holder.kill('SIGKILL');
    await until(() => JSON.stringify(statuses()) === '["unknown","unknown"]', 'its end to be seen');
    expect(live.current()[0]?.agents[0]?.runs[0]?.reason).toBe('its process is gone without a word');
  });

  it('what `exec --json` printed stands in where there is no rollout', async () => {
    const live = await start();
    const stream = path.join(root, 'run.jsonl');
    cpSync(path.join(fixtures, '0.166.0-stream', 'stream.jsonl'), stream);
    await until(() => live.current()[0]?.agents.length === 3, 'the print');
    cpSync(path.join(fixtures, '0.166.0-failing', 'sessions'), path.join(root, 'sessions'), { recursive: true });
    await until(
      () => live.current()[0]?.agents[0]?.toolCallCount === 6 && live.current()[0]?.agents[1]?.usage !== undefined,
      'the rollouts',
    );
    writeFileSync(stream, readFileSync(stream));
    await settles(live);
    expect(live.current()[0]?.agents[0]?.sources).toEqual(
      expect.not.arrayContaining([expect.stringContaining('run.jsonl')]),
    );
  });

  it('thousands of random operations end in the same trees as a fresh read', { timeout: 240_000 }, async () => {
    const other = mkdtempSync(path.join(tmpdir(), 'troupe-rollouts-other-'));
    const roots = [root, other];
    for (const name of [
      '0.166.0-nested',
      '0.166.0-v2-failing',
      '0.118.0-fork',
      '0.166.0-review-fork-archive',
      '0.45.0-single',
    ])
      cpSync(path.join(fixtures, name), root, { recursive: true });
    const originals = roots.flatMap((at) =>
      rolloutsBelow(root).map((file) => ({
        file: path.join(at, path.relative(root, file)),
        bytes: readFileSync(file),
      })),
    );
    const live = await start(roots);
    const random = createRandom(Number(process.env['TROUPE_SEED'] ?? 20261115));
    for (let done = 0; done < 3_000; done++) {
      operate(random, originals, roots);
      if (random() < 0.02) await pause(1 + random() * 10);
      if ((done + 1) % 300 === 0) await settles(live, roots);
    }
    rmSync(other, { recursive: true });
  });
});
