import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copilot } from '../adapters/copilot/index.ts';
import { dumpTree } from '../adapters/testing/dump.ts';
import { MUCH_LATER } from '../adapters/testing/feed.ts';
import { buildTree } from '../model/build-tree.ts';
import type { LiveTrees } from '../model/ports.ts';
import type { SessionTree } from '../model/tree.ts';
import { claim, findSessions } from './find-sessions.ts';
import { readSession } from './read-session.ts';
import { createRandom, operate } from './testing/random-operations.ts';
import { startTracker } from './tracker.ts';

// Following a host whose agents all write into one file, with locks and names beside it: Copilot CLI.

const fixtures = fileURLToPath(new URL('../adapters/copilot/fixtures/', import.meta.url));

let root = '';
let tracker: LiveTrees | undefined;
let errors: unknown[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-shared-file-'));
  errors = [];
});
afterEach(() => {
  tracker?.close();
  rmSync(root, { recursive: true, force: true });
  expect(errors).toEqual([]);
});

const placeAt = (at: string) => ({ adapter: copilot, root: at, forced: false });

async function start(roots = [root]): Promise<LiveTrees> {
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 1000 };
  const onError = (error: unknown) => void errors.push(error);
  const clock = () => MUCH_LATER;
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

/** The session's folder in a recording, and where it would lie below the root. */
function recorded(name: string): { readonly from: string; readonly to: string } {
  const states = path.join(fixtures, name, 'session-state');
  const session = readdirSync(states)[0] ?? '';
  return { from: path.join(states, session), to: path.join(root, 'session-state', session) };
}

const linesOf = (folder: string): readonly string[] =>
  readFileSync(path.join(folder, 'events.jsonl'), 'utf8').split(/(?<=\n)/);

describe('following a session whose agents share a file', () => {
  it('line by line, from before there is a data folder', async () => {
    rmSync(root, { recursive: true });
    const live = await start();
    const { from, to } = recorded('1.0.102-nested');
    mkdirSync(to, { recursive: true });
    for (const line of linesOf(from)) {
      const half = Math.floor(line.length / 2);
      appendFileSync(path.join(to, 'events.jsonl'), line.slice(0, half));
      if (Math.random() < 0.1) await pause(5);
      appendFileSync(path.join(to, 'events.jsonl'), line.slice(half));
    }
    await settles(live);
    expect(live.current()[0]?.agents).toHaveLength(4);
    expect(live.current()[0]?.titleKind).toBe('prompt');
  });

  it('a process that has the session open, who waits for what meanwhile, and its end', async () => {
    const { from, to } = recorded('1.0.102-terminal');
    const lines = linesOf(from);
    const asked = lines.findIndex((line) => line.startsWith('{"type":"permission.requested"'));
    const answered = lines.findIndex((line) => line.startsWith('{"type":"permission.completed"'));
    mkdirSync(to, { recursive: true });
    const events = path.join(to, 'events.jsonl');
    writeFileSync(events, lines.slice(0, asked + 1).join(''));
    const live = await start();
    const states = () =>
      live.current()[0]?.agents.map(({ status, waitingOn }) => [status, waitingOn ?? ''].join(' ').trim());
    expect(states()).toEqual(['unknown', 'unknown']);

    const host = spawn('sleep', ['60'], { stdio: 'ignore' });
    await until(() => host.pid !== undefined, 'a process');
    const lock = path.join(to, `inuse.${host.pid}.lock`);
    writeFileSync(lock, String(host.pid));
    // The recording is older than the process: what it asked, this one did not ask.
    await until(() => states()?.[0] === 'running', 'the process to be seen');
    expect(states()).toEqual(['running', 'unknown']);
    const now = Date.now() + 1_000;
    const moved = (line: string): string =>
      line.replace(/"timestamp":"[^"]+"/, `"timestamp":"${new Date(now).toISOString()}"`);
    writeFileSync(
      events,
      lines
        .slice(0, asked + 1)
        .map(moved)
        .join(''),
    );
    await until(() => states()?.[1] === 'waiting permission', 'the question');
    expect(states()).toEqual(['waiting child', 'waiting permission']);
    appendFileSync(
      events,
      lines
        .slice(asked + 1, answered + 1)
        .map(moved)
        .join(''),
    );
    await until(() => states()?.[1] === 'running', 'the answer');

    host.kill('SIGKILL');
    await until(() => states()?.[0] === 'unknown', 'its end');
    expect(states()).toEqual(['unknown', 'unknown']);
    rmSync(lock);
    await settles(live);
  });

  it('a name that the person gives it', async () => {
    const { from, to } = recorded('1.0.102-terminal');
    mkdirSync(to, { recursive: true });
    cpSync(path.join(from, 'events.jsonl'), path.join(to, 'events.jsonl'));
    const live = await start();
    expect(live.current()[0]?.titleKind).toBe('prompt');
    cpSync(path.join(from, 'workspace.yaml'), path.join(to, 'workspace.yaml'));
    await until(() => live.current()[0]?.title === 'Cleaning "up": a test', 'its name');
  });

  // One recording at a time: all sessions have files of the same name, and one that is pieced together of two of them may
  // be written anew between two looks, with the same inode, and have the same bytes where we stopped. No host does that.
  for (const name of ['1.0.102-nested', '1.0.102-talk', '1.0.24-background', '1.0.92-resumed']) {
    it(`${name}: random operations end in the same trees as a fresh read`, { timeout: 240_000 }, async () => {
      const other = mkdtempSync(path.join(tmpdir(), 'troupe-shared-file-other-'));
      const roots = [root, other];
      const { from, to } = recorded(name);
      const originals = roots.map((at) => ({
        file: path.join(at, path.relative(root, to), 'events.jsonl'),
        bytes: readFileSync(path.join(from, 'events.jsonl')),
      }));
      cpSync(from, to, { recursive: true });
      const live = await start(roots);
      const random = createRandom(Number(process.env['TROUPE_SEED'] ?? 20261115));
      for (let done = 0; done < 1_000; done++) {
        operate(random, originals, roots);
        if (random() < 0.02) await pause(1 + random() * 10);
        if ((done + 1) % 100 === 0) await settles(live, roots);
      }
      rmSync(other, { recursive: true });
    });
  }
});
