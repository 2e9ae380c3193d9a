import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { nativeId } from '../core/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { driver } from '../lib/sqlite-driver.ts';
import { createRandom } from '../lib/testing/seed.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import {
  createSessions,
  createTranscripts,
  type DataFolder,
  dataFoldersFor,
  type SessionCache,
} from '../sessions/index.ts';
import { createHistoryControl } from './control.ts';
import { historyFile, openHistory } from './history.ts';

const HOSTS = fileURLToPath(new URL('../hosts', import.meta.url));
const RECORDING = path.join(HOSTS, 'claude-code/fixtures/2.1.325-nested');
const NOW = Date.parse('2027-01-01');

let work: string;
let state: string;
let root: string;
beforeEach(() => {
  work = makeTemporaryFolder('history');
  state = path.join(work, 'state');
  root = path.join(work, 'data');
  cpSync(RECORDING, root, { recursive: true });
});

const placesOf = (folder: string): readonly DataFolder[] => dataFoldersFor({ roots: [folder] });

/** Files that were written just now are not kept, but here they have been there for long. */
const LATER = () => Date.now() + 60_000;

async function watched(build = 'one', problems: string[] = [], clock = LATER) {
  const onProblem = (text: string) => problems.push(text);
  const history = await openHistory({ folder: state, build, clock, onProblem, worthGrowing: 0 });
  const counts = { found: 0, read: 0 };
  let grown = 0;
  const cache: SessionCache | undefined = history && {
    find(...args) {
      const found = history.find(...args);
      counts[found ? 'found' : 'read']++;
      return found;
    },
    findBefore(...args) {
      const before = history.findBefore(...args);
      if (before) grown++;
      return before;
    },
    knows: (...args) => history.knows(...args),
    findPlaces: (...args) => history.findPlaces(...args),
    keepPlaces: (...args) => history.keepPlaces(...args),
    state: () => history.state(),
    keep: (...args) => history.keep(...args),
  };
  return { history, counts, cache, grown: () => grown };
}

async function listOnce(folder: string, build?: string) {
  const { history, counts, cache } = await watched(build);
  const sessions = createSessions(placesOf(folder), { clock: () => NOW, openCache: async () => cache });
  const { trees } = await sessions.list({ limit: 100 });
  history?.close();
  return { trees, ...counts };
}

describe('a session that was read before', () => {
  it('is the same tree, and is read from its files again only when one of them changes', async () => {
    const cold = await listOnce(root);
    expect(cold).toMatchObject({ found: 0, read: 1 });
    const warm = await listOnce(root);
    expect(warm).toMatchObject({ found: 1, read: 0 });
    expect(warm.trees).toEqual(cold.trees);
    const [agent = ''] = filesOf('agent-');
    appendFileSync(agent, '\n');
    expect(await listOnce(root)).toMatchObject({ found: 0, read: 1 });
    expect(await listOnce(root)).toMatchObject({ found: 1, read: 0 });
  });

  it.each([
    ['is cut', (file: string) => truncateSync(file, 200)],
    ['is replaced by a shorter one, and older', (file: string) => replaceByShorter(file)],
    ['is cut after the clock was set back', (file: string) => cutInThePast(file)],
    ['is replaced by one of the same size', (file: string) => replaceBySame(file)],
    ['goes', (file: string) => rmSync(file)],
    ['has an agent more', (file: string) => cpSync(file, file.replace(/agent-\w/, 'agent-f'))],
  ])('is read again when a file %s', async (_, change) => {
    await listOnce(root);
    const [agent = ''] = filesOf('agent-');
    change(agent);
    const { found, trees } = await listOnce(root);
    expect(found).toBe(0);
    rmSync(path.join(state, 'history'), { recursive: true });
    expect((await listOnce(root)).trees).toEqual(trees);
  });

  it('is kept, and read again when it changes, after the clock was set back by years', async () => {
    const back = () => Date.parse('2020-01-01');
    const listThen = async () => {
      const { history, counts, cache } = await watched('one', [], back);
      const sessions = createSessions(placesOf(root), { clock: back, openCache: async () => cache });
      const { trees } = await sessions.list({ limit: 100 });
      history?.close();
      return { trees, ...counts };
    };
    await listOnce(root);
    expect(await listThen()).toMatchObject({ found: 1, read: 0 });
    const [agent = ''] = filesOf('agent-');
    cutInThePast(agent);
    const { found, trees } = await listThen();
    expect(found).toBe(0);
    rmSync(path.join(state, 'history'), { recursive: true });
    expect((await listThen()).trees).toEqual(trees);
  });

  it('is read again by another build of troupe', async () => {
    await listOnce(root);
    expect(await listOnce(root, 'two')).toMatchObject({ found: 0, read: 1 });
  });

  it('is not kept while its files are being written', async () => {
    const { history, cache } = await watched('one', [], () => Date.now());
    appendFileSync(filesOf('agent-')[0] ?? '', '\n');
    await createSessions(placesOf(root), { clock: Date.now, openCache: async () => cache }).list({ limit: 9 });
    history?.close();
    expect(await listOnce(root)).toMatchObject({ found: 0, read: 1 });
  });

  it('opens with the same facts', async () => {
    const open = async (cache?: SessionCache) => {
      const sessions = createSessions(placesOf(root), { clock: () => NOW, openCache: async () => cache });
      const { tree, ledger, joined } = await sessions.open();
      return { tree, ledger, joined };
    };
    const plain = await open();
    for (const wanted of [
      { found: 0, read: 1 },
      { found: 1, read: 0 },
      { found: 1, read: 0 },
    ]) {
      const { history, cache, counts } = await watched();
      expect(await open(cache)).toEqual(plain);
      expect(counts).toEqual(wanted);
      history?.close();
    }
  });
});

describe('a long conversation', () => {
  const AGENT = 'a2ca437a';
  /** More than 4 MB of messages with bytes of their own. */
  const grow = (messages: number) => {
    const [file = ''] = filesOf(`agent-${AGENT}`);
    const reply = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"assistant"'))
      .map((line) => JSON.parse(line))
      .at(-1);
    const lines = Array.from({ length: messages }, (_, number) => {
      const content = [{ type: 'text', text: `Number ${number} ${'more '.repeat(400)}` }];
      const message = { ...reply.message, id: `msg_more${number}`, content };
      return `${JSON.stringify({ ...reply, uuid: `u${number}`, message })}\n`;
    });
    appendFileSync(file, lines.join(''));
    return file;
  };

  it('is read by the byte ranges that were kept, until its file changes', async () => {
    const file = grow(3_000);
    const { history, cache } = await watched();
    let found = 0;
    const spied: SessionCache | undefined = cache && {
      ...cache,
      findPlaces(...args) {
        const places = cache.findPlaces(...args);
        if (places) found++;
        return places;
      },
    };
    const read = (openCache?: () => Promise<SessionCache | undefined>) =>
      createTranscripts(placesOf(root), LATER, openCache).read(AGENT, undefined, { from: 2_000, limit: 3 });
    const plain = await read();
    expect(plain.transcript.messages).toHaveLength(3);
    for (const wanted of [0, 1, 2]) {
      expect(await read(async () => spied)).toEqual(plain);
      expect(found).toBe(wanted);
    }
    truncateSync(file, statSync(file).size - 10);
    expect(await read(async () => spied)).toEqual(await read());
    expect(found).toBe(2);
    history?.close();
  });
});

describe('a fork', () => {
  it('opens as from its files when its original in another project goes, and comes back in a third', async () => {
    rmSync(root, { recursive: true });
    cpSync(path.join(HOSTS, 'claude-code/fixtures/2.1.325-fork-worktree'), root, { recursive: true });
    const open = async (cache?: SessionCache) => {
      const sessions = createSessions(placesOf(root), { clock: () => NOW, openCache: async () => cache });
      const { tree, ledger, joined } = await sessions.open('4f39ed9d');
      return { tree, ledger, joined };
    };
    const plain = await open();
    expect(plain.tree.forkedFrom).toContain('d933dd66');
    for (const wanted of [{ found: 0 }, { read: 0 }]) {
      const { history, cache, counts } = await watched();
      expect(await open(cache)).toEqual(plain);
      expect(counts).toMatchObject(wanted);
      history?.close();
    }
    const [original = ''] = filesOf('d933dd66');
    const lines = readFileSync(original);
    const third = path.join(root, 'projects/-third');
    const changes = [
      () => rmSync(original),
      () => {
        mkdirSync(third);
        writeFileSync(path.join(third, path.basename(original)), lines);
      },
    ];
    const names: (string | undefined)[] = [];
    for (const change of changes) {
      change();
      const changed = await open();
      names.push(changed.tree.forkedFrom);
      const { history, cache } = await watched();
      expect(await open(cache)).toEqual(changed);
      history?.close();
    }
    expect(names).toEqual([undefined, plain.tree.forkedFrom]);
  });
});

describe('a session that is gone', () => {
  it('leaves the index with the next build', async () => {
    await listOnce(root);
    const control = createHistoryControl({ folder: state, build: 'one', clock: LATER }, NO_TEXT);
    const rows = async () => {
      const database = (await driver()).open(historyFile(state));
      const count = database.prepare('select id from session').all().length;
      database.close();
      return count;
    };
    expect(await rows()).toBe(1);
    rmSync(path.join(root, 'projects'), { recursive: true });
    await control.build({ roots: [root] }, undefined);
    expect(await rows()).toBe(0);
  });
});

const NO_TEXT: Parameters<typeof createHistoryControl>[1] = {
  status: async () => ({
    file: '',
    state: 'undecided',
    problem: null,
    bytes: 0,
    messages: 0,
    indexedSessions: 0,
    sessions: 0,
    excludedProjects: [],
  }),
  build: async () => {},
  forbid: async () => {},
  removeGone: async () => {},
};

describe('a session in a database', () => {
  it('is kept, and is read again when it changes', async () => {
    rmSync(root, { recursive: true });
    const file = path.join(root, 'opencode.db');
    cpSync(path.join(HOSTS, 'opencode/fixtures/1.18.33-nested/opencode.db'), file);
    const cold = await listOnce(root);
    expect(cold).toMatchObject({ found: 0 });
    const warm = await listOnce(root);
    expect(warm).toMatchObject({ read: 0 });
    expect(warm.found).toBeGreaterThan(0);
    expect(warm.trees).toEqual(cold.trees);
    const database = (await driver()).open(file);
    database.exec("update session set title = 'Another title', time_updated = time_updated + 1000");
    database.close();
    const changed = await listOnce(root);
    expect(changed.found).toBe(0);
    expect(changed.trees.map(({ title }) => title)).toContain('Another title');
  });
});

describe('every recording', () => {
  const recordings = ADAPTERS.flatMap(({ host }) => {
    const folder = path.join(HOSTS, host, 'fixtures');
    const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names.map(({ name }) => path.join(folder, name));
  });

  it('is listed and opened alike from files and from the index', async () => {
    const { history, cache } = await watched();
    for (const recording of recordings) {
      const read = async (cache?: SessionCache) => {
        const sessions = createSessions(placesOf(recording), { clock: () => NOW, openCache: async () => cache });
        const { trees, total, emptySessions } = await sessions.list({ limit: 100, withEmpty: true });
        const opened = [];
        for (const { id } of trees) {
          const { ledger, tree } = await sessions.open(nativeId(id));
          opened.push(ledger, tree, (await sessions.openTree(nativeId(id))).tree);
        }
        return { trees, total, emptySessions, opened };
      };
      const plain = await read();
      for (const round of ['cold', 'warm']) expect(await read(cache), `${recording} ${round}`).toEqual(plain);
    }
    history?.close();
  });

  it('is read alike when its files have grown, or came, since the index last saw them', async () => {
    const random = createRandom();
    let grownAtAll = 0;
    // `npm run fuzz` comes to the others.
    const some = recordings.filter(() => random() < 0.3);
    for (const recording of some) {
      const folder = path.join(work, 'grown');
      cpSync(recording, folder, { recursive: true });
      const whole = linesBelow(folder);
      for (const [file, text] of whole) {
        const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
        const kept = ends[Math.floor(random() * (ends.length + 1))] ?? text.length;
        if (kept === ends[0] && random() < 0.3) rmSync(file);
        else truncateSync(file, Buffer.byteLength(text.slice(0, kept)));
      }
      const read = async (cache?: SessionCache) => {
        const sessions = createSessions(placesOf(folder), { clock: () => NOW, openCache: async () => cache });
        const { trees } = await sessions.list({ limit: 100, withEmpty: true });
        const opened = [];
        for (const { id } of trees) opened.push((await sessions.open(nativeId(id))).ledger);
        return { trees, opened };
      };
      const { history, cache, grown } = await watched();
      await read(cache);
      for (const [file, text] of whole) {
        const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
        appendFileSync(file, Buffer.from(text).subarray(size));
      }
      expect(await read(cache), recording).toEqual(await read());
      grownAtAll += grown();
      history?.close();
      rmSync(folder, { recursive: true });
    }
    expect(grownAtAll).toBeGreaterThan(some.length / 4);
  });
});

describe('an index that cannot be used', () => {
  it.each([
    ['is damaged', (file: string) => writeFileSync(file, 'not a database '.repeat(500))],
    ['is cut', (file: string) => truncateSync(file, 3_000)],
    [
      'is of another schema',
      (file: string) => execFileSync(process.execPath, ['-e', OTHER_SCHEMA, file], { cwd: HOSTS }),
    ],
  ])('is created again when it %s', async (_, harm) => {
    const { trees } = await listOnce(root);
    const file = historyFile(state);
    // Another file of that name: this process may still have the old one open.
    cpSync(file, `${file}.new`);
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    harm(`${file}.new`);
    renameSync(`${file}.new`, file);
    expect(await listOnce(root)).toEqual({ trees, found: 0, read: 1 });
    expect(await listOnce(root)).toEqual({ trees, found: 1, read: 0 });
  });

  it.each([
    ['a FIFO', (file: string) => execFileSync('mkfifo', [file])],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a link', (file: string) => symlinkSync(path.join(work, 'elsewhere.db'), file)],
  ])('is left alone when %s is in its place, with one warning', async (_, put) => {
    mkdirSync(path.join(state, 'history'), { recursive: true });
    put(historyFile(state));
    const problems: string[] = [];
    const { history } = await watched('one', problems);
    expect(history).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('is not a regular file')]);
    expect(existsSync(path.join(work, 'elsewhere.db'))).toBe(false);
    expect((await listOnce(root)).trees).toHaveLength(1);
  });

  it('is readable by its owner only', async () => {
    await listOnce(root);
    expect(lstatSync(historyFile(state)).mode & 0o777).toBe(0o600);
  });
});

function linesBelow(folder: string): readonly (readonly [string, string])[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // The program's list of prompts is older than the sessions that it tells of.
      .filter((name) => name.endsWith('.jsonl') && name !== 'history.jsonl')
      .map((name) => path.join(folder, name))
      .map((file) => [file, readFileSync(file, 'utf8')])
  );
}

function filesOf(beginning: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name).startsWith(beginning) && name.endsWith('.jsonl'))
    .map((name) => path.join(root, name))
    .sort();
}

/** Another file under its name, from a backup. */
function replaceByShorter(file: string): void {
  const [first = ''] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(`${file}.new`, `${first}\n`);
  utimesSync(`${file}.new`, 1_000_000_000, 1_000_000_000);
  renameSync(`${file}.new`, file);
}

/** As its writer's clock says. */
function cutInThePast(file: string): void {
  truncateSync(file, 300);
  utimesSync(file, 1_500_000_000, 1_500_000_000);
}

function replaceBySame(file: string): void {
  const { atime, mtime } = statSync(file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    `${file}.new`,
    text.replace(/"output_tokens":(\d)/, (_, digit) => `"output_tokens":${(Number(digit) + 1) % 10}`),
  );
  rmSync(file);
  cpSync(`${file}.new`, file);
  rmSync(`${file}.new`);
  utimesSync(file, atime, mtime);
}

const OTHER_SCHEMA = `
  const Database = require('libsql');
  const database = new Database(process.argv[1]);
  database.exec('pragma user_version = 99; drop table session; create table session (x)');
  database.close();`;
