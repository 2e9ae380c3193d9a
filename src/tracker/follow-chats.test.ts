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
import type { SourceAdapter } from '../adapters/adapter.ts';
import { gemini } from '../adapters/gemini/index.ts';
import { qwen } from '../adapters/qwen/index.ts';
import { dumpTree } from '../adapters/testing/dump.ts';
import { MUCH_LATER } from '../adapters/testing/feed.ts';
import { buildTree } from '../model/build-tree.ts';
import type { LiveTrees } from '../model/ports.ts';
import type { SessionTree } from '../model/tree.ts';
import { claim, findSessions } from './find-sessions.ts';
import { readSession } from './read-session.ts';
import { createRandom, operate } from './testing/random-operations.ts';
import { startTracker } from './tracker.ts';

const fixtureOf = (host: string, name: string): string =>
  fileURLToPath(new URL(`../adapters/${host}/fixtures/${name}`, import.meta.url));

let root = '';
let tracker: LiveTrees | undefined;
let errors: unknown[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-chats-'));
  errors = [];
});
afterEach(() => {
  tracker?.close();
  rmSync(root, { recursive: true, force: true });
  expect(errors).toEqual([]);
});

async function start(adapter: SourceAdapter, roots = [root], clock = () => MUCH_LATER): Promise<LiveTrees> {
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 1000 };
  const places = roots.map((at) => ({ adapter, root: at, forced: false }));
  const onError = (error: unknown) => void errors.push(error);
  const live = startTracker(places, { clock, window, onError, sweepEveryMs: 3_600_000 });
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

async function freshTrees(
  adapter: SourceAdapter,
  roots: readonly string[],
  now: number,
): Promise<readonly SessionTree[]> {
  const trees: SessionTree[] = [];
  const found = await findSessions(roots.map((at) => ({ adapter, root: at, forced: false })));
  for (const session of found.sessions) {
    const ours = await claim(session, new Set());
    if (ours) trees.push(buildTree(await readSession(ours.adapter, ours.located), { now }));
  }
  return trees;
}

async function settles(live: LiveTrees, adapter: SourceAdapter, roots = [root], now = MUCH_LATER): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    const [seen, fresh] = [dumps(live.current()), dumps(await freshTrees(adapter, roots, now))];
    if (JSON.stringify(seen) === JSON.stringify(fresh)) return;
    await pause(50);
  }
  expect(dumps(live.current())).toEqual(dumps(await freshTrees(adapter, roots, now)));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /^session-|\.jsonl?$/.test(entry.name) && !/^(?:truth|projects)\.json$/.test(entry.name),
    )
    .map((entry) => path.join(entry.parentPath, entry.name));
}

const statuses = (live: LiveTrees) =>
  live.current()[0]?.agents.map(({ kind, status, waitingOn }) => [kind, status, waitingOn]);

describe('Gemini CLI, followed', () => {
  const chats = 'tmp/project/chats';

  it('a parent waits for its agents although the call is not written down yet', async () => {
    const from = fixtureOf('gemini', '0.61.0-single');
    const session = 'e8965e98-524c-47ee-8354-6e33eb52558d';
    const main = path.join(chats, 'session-2026-11-15T08-10-e8965e98.jsonl');
    const lines = readFileSync(path.join(from, main), 'utf8').split('\n');
    const asking = lines.findIndex((line) => line.includes('"type":"gemini"'));
    mkdirSync(path.join(root, chats), { recursive: true });
    writeFileSync(path.join(root, main), `${lines.slice(0, asking + 1).join('\n')}\n`);
    const at = Date.parse(JSON.parse(lines[asking] ?? '').timestamp);
    const live = await start(gemini, [root], () => at + 1_000);
    await until(() => live.current().length === 1, 'the session');
    // Words and no call: for all that anybody can tell, the turn is over.
    expect(statuses(live)).toEqual([['main', 'waiting', 'input']]);
    const agents = path.join(root, chats, session);
    const [name = ''] = readdirSync(path.join(from, chats, session));
    const own = readFileSync(path.join(from, chats, session, name), 'utf8').split('\n');
    mkdirSync(agents);
    writeFileSync(path.join(agents, name), `${own.slice(0, 4).join('\n')}\n`);
    await until(() => statuses(live)?.length === 2, 'the agent');
    expect(statuses(live)).toEqual([
      ['main', 'waiting', 'child'],
      ['task', 'running', undefined],
    ]);
    appendFileSync(path.join(agents, name), own.slice(4).join('\n'));
    await until(() => statuses(live)?.[1]?.[1] === 'completed', 'the end of the agent');
    appendFileSync(path.join(root, main), lines.slice(asking + 1).join('\n'));
    await settles(live, gemini, [root], at + 1_000);
    expect(live.current()[0]?.agents[1]?.type).toBe('generalist');
  });

  it('a document that is written anew again and again, at times caught half written', async () => {
    const from = fixtureOf('gemini', '0.35.3-failing');
    const [file = ''] = filesBelow(from).filter((name) => name.includes('session-'));
    const document = JSON.parse(readFileSync(file, 'utf8'));
    const target = path.join(root, path.relative(from, file));
    mkdirSync(path.dirname(target), { recursive: true });
    const live = await start(gemini);
    for (let count = 1; count <= document.messages.length; count++) {
      const text = JSON.stringify({ ...document, messages: document.messages.slice(0, count) }, null, 2);
      writeFileSync(target, text.slice(0, Math.floor(text.length / 2)));
      await pause(10);
      expect(live.current()[0]?.agents.length ?? 1).toBeGreaterThanOrEqual(1);
      writeFileSync(target, text);
      await until(() => live.current()[0]?.agents[0]?.messageCount === count, `message ${count}`);
      expect(live.current()[0]?.diagnostics.map(({ code }) => code)).not.toContain('invalid-json');
    }
    await settles(live, gemini);
    expect(live.current()[0]?.agents.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
  });

  it('learns where a project is when the program writes it down', async () => {
    cpSync(path.join(fixtureOf('gemini', '0.8.2-plain'), 'tmp'), path.join(root, 'tmp'), { recursive: true });
    const live = await start(gemini);
    expect(live.current()[0]?.cwd).toBeUndefined();
    const projects = { '/home/dev/0.8.2/plain/project': 'plain' };
    writeFileSync(path.join(root, 'projects.json'), JSON.stringify({ projects }));
    await until(() => live.current()[0]?.cwd === '/home/dev/0.8.2/plain/project', 'the folder');
  });
});

describe('Qwen Code, followed', () => {
  it('says who waits for whom, and when an agent in the background is done', async () => {
    const now = Date.parse('2026-11-15T08:11:46Z');
    const from = fixtureOf('qwen', '0.24.4-background');
    const live = await start(qwen, [root], () => now);
    for (const file of filesBelow(from).toSorted()) {
      const target = path.join(root, path.relative(from, file));
      mkdirSync(path.dirname(target), { recursive: true });
      const bytes = readFileSync(file, 'utf8');
      // As of a second into it: what came later is not there yet.
      const lines = bytes.split('\n').filter((line) => !/"timestamp":"2026-11-15T08:11:4[67]/.test(line));
      writeFileSync(
        target,
        file.endsWith('.json') ? bytes.replace('"completed"', '"running"') : `${lines.join('\n').trimEnd()}\n`,
      );
    }
    await until(() => statuses(live)?.length === 2, 'the agent');
    expect(statuses(live)).toEqual([
      ['main', 'waiting', 'input'],
      ['task', 'running', undefined],
    ]);
    for (const file of filesBelow(from)) cpSync(file, path.join(root, path.relative(from, file)));
    await until(() => statuses(live)?.[1]?.[1] === 'completed', 'its end');
    await settles(live, qwen, [root], now);
  });
});

describe.each([
  {
    adapter: gemini,
    names: ['0.61.0-parallel', '0.61.0-failing', '0.40.1-parallel', '0.35.3-failing', '0.20.2-single'],
  },
  { adapter: qwen, names: ['0.24.4-nested', '0.24.4-resume', '0.24.4-background', '0.15.10-failing'] },
])('$adapter.title: thousands of random operations', ({ adapter, names }) => {
  it('end in the same trees as a fresh read', { timeout: 240_000 }, async () => {
    const other = mkdtempSync(path.join(tmpdir(), 'troupe-chats-other-'));
    const roots = [root, other];
    for (const name of names) cpSync(fixtureOf(adapter.host, name), root, { recursive: true });
    rmSync(path.join(root, 'truth.json'), { force: true });
    const originals = roots.flatMap((at) =>
      filesBelow(root).map((file) => ({
        file: path.join(at, path.relative(root, file)),
        bytes: readFileSync(file),
      })),
    );
    const live = await start(adapter, roots);
    const random = createRandom(Number(process.env['TROUPE_SEED'] ?? 20261115));
    for (let done = 0; done < 2_000; done++) {
      operate(random, originals, roots);
      if (random() < 0.02) await pause(1 + random() * 10);
      if ((done + 1) % 200 === 0) await settles(live, adapter, roots);
    }
    rmSync(other, { recursive: true });
  });
});
