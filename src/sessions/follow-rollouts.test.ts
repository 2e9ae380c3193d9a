import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codex } from '../hosts/codex/index.ts';
import { until } from '../lib/testing/waiting.ts';
import { filesBelow } from './testing/files-below.ts';
import { createFollowedFolder } from './testing/followed-folder.ts';
import { writeInHalves } from './testing/write-in-halves.ts';

const fixtures = fileURLToPath(new URL('../hosts/codex/fixtures/', import.meta.url));
const folder = createFollowedFolder(codex);

/** Only Linux says who holds a lock; `flock` holds one for us. */
const canHoldLocks = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0;

const isRollout = (file: string): boolean => path.basename(file).startsWith('rollout-');
const rolloutsBelow = (at: string): readonly string[] => filesBelow(at).filter(isRollout);

/** Holds the lock before its file appears: a file that is locked after it was created is found only by the next sweep. */
async function holdLock(lock: string): Promise<ChildProcess> {
  const draft = `${folder.root}-lock`;
  const holder = spawn('flock', ['--no-fork', draft, 'sleep', '600'], { stdio: 'ignore' });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const isHeld = () => existsSync(draft) && spawnSync('flock', ['--nonblock', draft, 'true']).status === 1;
  await until(isHeld, 'the lock to be held');
  renameSync(draft, lock);
  return holder;
}

/** What was recorded comes to lie in the folder. */
const put = (name: string, part = ''): void =>
  cpSync(path.join(fixtures, name, part), path.join(folder.root, part), { recursive: true });

describe('following rollouts', () => {
  it('reads line by line when files and the folder of a new day appear at once', async () => {
    const live = await folder.start();
    const from = path.join(fixtures, '0.166.0-nested');
    for (const file of rolloutsBelow(from)) {
      const day = file.includes('01a1de45-db5d') ? '15' : '16';
      const target = path.join(folder.root, 'sessions', '2026', '11', day, path.basename(file));
      await writeInHalves(file, target);
    }
    await folder.settles();
    expect(live.current()).toHaveLength(1);
    expect(live.current()[0]?.agents).toHaveLength(4);
  });

  it('puts an agent of a version that names only its parent into the top session', async () => {
    const live = await folder.start();
    for (const file of rolloutsBelow(path.join(fixtures, '0.118.0-nested'))) {
      const target = path.join(folder.root, 'sessions', '2026', '11', '15', path.basename(file));
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(file, target);
      await folder.settles();
    }
    await until(() => live.current()[0]?.agents.length === 4, 'all agents');
    expect(live.current()).toHaveLength(1);
  });

  it('keeps an archived thread as the same session, with its name from the index beside the sessions', async () => {
    const live = await folder.start();
    put('0.118.0-terminal', 'sessions');
    await until(() => live.current()[0]?.agents.length === 2, 'the session');
    expect(live.current()[0]?.titleKind).toBe('prompt');
    put('0.118.0-terminal', 'session_index.jsonl');
    await until(() => live.current()[0]?.title === 'My fine thread', 'its name');
    mkdirSync(path.join(folder.root, 'archived_sessions'));
    for (const file of rolloutsBelow(path.join(folder.root, 'sessions')))
      renameSync(file, path.join(folder.root, 'archived_sessions', path.basename(file)));
    await folder.settles();
    expect(live.current().map(({ agents, title }) => [agents.length, title])).toEqual([[2, 'My fine thread']]);
  });

  it('shows which agent waits for which while they run', async () => {
    put('0.118.0-asks', 'sessions');
    const live = await folder.start({ clock: () => Date.parse('2026-11-15T18:22:05Z') });
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

  it.runIf(canHoldLocks)('knows from its lock that a process runs, and when it is gone', async () => {
    put('0.166.0-hang-sigkill', 'sessions');
    const live = await folder.start();
    const statuses = () => live.current()[0]?.agents.map(({ status }) => status);
    expect(statuses()).toEqual(['unknown', 'unknown']);
    const lock = path.join(folder.root, 'thread-writer-locks', '01a1de46-0499-7b73-a008-382ab7bc9a77.lock');
    mkdirSync(path.dirname(lock));
    const holder = await holdLock(lock);
    await until(() => JSON.stringify(statuses()) === '["waiting","running"]', 'the process to be seen');
    holder.kill('SIGKILL');
    await until(() => JSON.stringify(statuses()) === '["unknown","unknown"]', 'its end to be seen');
    expect(live.current()[0]?.agents[0]?.runs[0]?.reason).toBe('its process is gone, and no end was seen');
  });

  it.runIf(canHoldLocks)('forgets a process when the folder of locks is removed', async () => {
    put('0.166.0-hang-sigkill', 'sessions');
    const locks = path.join(folder.root, 'thread-writer-locks');
    const lock = path.join(locks, '01a1de46-0499-7b73-a008-382ab7bc9a77.lock');
    mkdirSync(locks);
    const live = await folder.start();
    const statuses = () => JSON.stringify(live.current()[0]?.agents.map(({ status }) => status));
    const holder = await holdLock(lock);
    await until(() => statuses() === '["waiting","running"]', 'the process to be seen');
    renameSync(locks, `${folder.root}-away`);
    await until(() => statuses() === '["unknown","unknown"]', 'the locks to be gone');
    holder.kill('SIGKILL');
    rmSync(`${folder.root}-away`, { recursive: true });
  });

  it('uses what `exec --json` printed when there is no rollout', async () => {
    const live = await folder.start();
    const stream = path.join(folder.root, 'run.jsonl');
    cpSync(path.join(fixtures, '0.166.0-stream', 'stream.jsonl'), stream);
    await until(() => live.current()[0]?.agents.length === 3, 'the print');
    put('0.166.0-failing', 'sessions');
    await until(
      () => live.current()[0]?.agents[0]?.toolCallCount === 6 && live.current()[0]?.agents[1]?.usage !== undefined,
      'the rollouts',
    );
    writeFileSync(stream, readFileSync(stream));
    await folder.settles();
    expect(live.current()[0]?.agents[0]?.sources).toEqual(
      expect.not.arrayContaining([expect.stringContaining('run.jsonl')]),
    );
  });

  it('ends in the same trees as a fresh read after random operations', { timeout: 240_000 }, async () => {
    for (const name of [
      '0.166.0-nested',
      '0.166.0-v2-failing',
      '0.118.0-fork',
      '0.166.0-review-fork-archive',
      '0.45.0-single',
    ])
      put(name);
    await folder.survives(3_000, isRollout);
  });
});
