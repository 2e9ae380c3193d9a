import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { type PruneReport, parseListQuery } from '../core/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createPrune } from './prune.ts';

const HOSTS = fileURLToPath(new URL('../hosts', import.meta.url));
const NOW = Date.parse('2027-06-01T00:00:00Z');
const OLD = Date.parse('2027-01-01T00:00:00Z');
const LIMIT = Date.parse('2027-03-01T00:00:00Z');

let root: string;
beforeEach(() => {
  root = path.join(makeTemporaryFolder('prune'), 'data');
});

function use(recording: string, at = OLD): void {
  cpSync(path.join(HOSTS, recording), root, { recursive: true });
  makeOld(at);
}

function makeOld(at = OLD): void {
  for (const file of filesBelow(root)) utimesSync(file, at / 1000, at / 1000);
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

function write(...names: readonly string[]): string {
  const file = path.join(root, ...names);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, 'text');
  utimesSync(file, OLD / 1000, OLD / 1000);
  return file;
}

const prune = (confirm?: (plan: PruneReport) => Promise<boolean>, text = '', roots = [root]) =>
  createPrune({ clock: () => NOW, openCache: async () => undefined })(
    { where: { roots }, olderThan: LIMIT, query: parseListQuery(text).query },
    confirm,
  );
const yes = async () => true;

const isValid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(new URL('../../schemas/prune.schema.json', import.meta.url), 'utf8')),
);

const LEFT = ['tree.txt', 'truth.json', 'history.jsonl', 'projects.json'];

describe('old sessions of each host', () => {
  it.each([
    ['claude-code/fixtures/2.1.325-nested', 1],
    ['claude-code/fixtures/2.0.76-parallel', 1],
    ['claude-code/fixtures/1.0.60-nested', 1],
    ['codex/fixtures/0.166.0-v2-nested', 1],
    ['copilot/fixtures/1.0.65-nested', 1],
    ['gemini/fixtures/0.61.0-nested', 1],
    ['qwen/fixtures/0.24.4-nested', 1],
  ])('are deleted with all of their files: %s', async (recording, sessions) => {
    use(recording);
    const plan = await prune();
    expect(plan.chosen).toHaveLength(sessions);
    expect(plan.kept).toEqual([]);
    expect(plan.isDeleted).toBe(false);
    const before = filesBelow(root);
    const report = await prune(yes);
    expect(report).toMatchObject({ isDeleted: true, failed: [] });
    expect(report.chosen).toEqual(plan.chosen);
    for (const one of [plan, report]) expect(isValid(one), JSON.stringify(isValid.errors)).toBe(true);
    const left = filesBelow(root);
    expect(left.filter((file) => !LEFT.includes(path.basename(file)))).toEqual([]);
    expect(before.length - left.length).toBe(plan.chosen[0]?.files);
    expect((await prune()).sessions).toBe(0);
  });

  it('stay if their host keeps them in a database, and the command of the host is named', async () => {
    use('opencode/fixtures/1.18.33-nested');
    const before = filesBelow(root);
    const report = await prune(yes);
    expect(report).toMatchObject({ chosen: [], isDeleted: false });
    expect(report.kept[0]?.reason).toMatch(/^OpenCode deletes it: opencode session delete ses_/);
    expect(filesBelow(root)).toEqual(before);
  });
});

const ID = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const OTHER = 'fa129e54-d574-4fea-bbfe-0dd74bbd38ce';

describe('what a host keeps by the id of a session', () => {
  it('goes with it, and what other ids name stays', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    const mine = [
      write('todos', `${ID}-agent-${ID}.json`),
      write('file-history', ID, '0a1b@v1'),
      write('session-env', ID, 'hook-1.sh'),
      write('projects', '-home-dev-nested', ID, 'tool-results', 'toolu_01.txt'),
      write('usage-data', 'session-meta', `${ID}.json`),
      write('debug', `${ID.toUpperCase()}.txt`),
    ];
    const others = [
      write('todos', `${OTHER}-agent-${OTHER}.json`),
      write('file-history', OTHER, '0a1b@v1'),
      write('plans', 'a-plan.md'),
      write('settings.json'),
    ];
    const { chosen } = await prune(yes);
    for (const file of mine) expect(existsSync(file), file).toBe(false);
    for (const file of others) expect(existsSync(file), file).toBe(true);
    const named = chosen[0]?.paths ?? [];
    expect(mine.every((file) => named.some((one) => file === one || file.startsWith(one + path.sep)))).toBe(true);
  });
});

describe('a session', () => {
  it('is kept if it is younger, and counted', async () => {
    use('claude-code/fixtures/2.1.325-nested', LIMIT + 1);
    const report = await prune(yes);
    expect(report).toMatchObject({ sessions: 1, chosen: [], kept: [] });
    expect(report.groups).toMatchObject([{ host: 'claude-code', project: 'nested', age: '1 year', sessions: 1 }]);
    expect(report.groups[0]?.bytes).toBe(report.bytes);
  });

  it('is kept if the query does not match it', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    expect((await prune(undefined, 'project:other')).chosen).toEqual([]);
    expect((await prune(undefined, 'project:nested')).chosen).toHaveLength(1);
  });

  it('is kept while a process works on it, however old its files are', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    const record = {
      pid: process.pid,
      sessionId: ID,
      cwd: '/home/dev/nested',
      version: '2.1.325',
      kind: 'interactive',
    };
    mkdirSync(path.join(root, 'sessions'));
    writeFileSync(path.join(root, 'sessions', `${process.pid}.json`), JSON.stringify(record));
    const report = await prune(yes);
    expect(report).toMatchObject({ chosen: [], isDeleted: false });
    expect(report.kept[0]?.reason).toBe('A process works on it.');
  });

  it.runIf(process.platform === 'linux')('is kept while its host runs in its folder, and goes afterwards', async () => {
    const folder = makeTemporaryFolder('prune-project');
    use('gemini/fixtures/0.61.0-nested');
    for (const file of filesBelow(root)) {
      const text = readFileSync(file, 'utf8').replaceAll('/home/dev/nested/project', folder);
      writeFileSync(file, text);
    }
    makeOld();
    expect((await prune()).chosen).toHaveLength(1);
    // A program by that name, which waits for its input to end.
    const program = path.join(makeTemporaryFolder('prune-bin'), 'gemini');
    cpSync('/bin/cat', program);
    const child = spawn(program, { cwd: folder, stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const during = await prune(yes);
    child.stdin.end();
    await once(child, 'close');
    expect(during).toMatchObject({ chosen: [], isDeleted: false });
    expect(during.kept[0]?.reason).toContain(`runs in its folder (process ${child.pid})`);
    expect(await prune(yes)).toMatchObject({ isDeleted: true, failed: [] });
  });

  it('is kept if it was written to in the last hour', async () => {
    use('claude-code/fixtures/2.1.325-nested', NOW - 60_000);
    const request = { where: { roots: [root] }, olderThan: NOW, query: undefined };
    const report = await createPrune({ clock: () => NOW, openCache: async () => undefined })(request, yes);
    expect(report.kept[0]?.reason).toBe('It was written to in the last hour.');
  });

  it('is kept if a younger copy of it shows its agents, and goes with that copy', async () => {
    use('claude-code/fixtures/2.1.325-fork-woken');
    const all = await prune();
    expect(all.chosen).toHaveLength(2);
    const young = all.chosen.find(({ paths }) => !paths.some((place) => existsSync(path.join(place, 'subagents'))));
    const copy = young?.paths.find((place) => place.endsWith('.jsonl')) ?? '';
    utimesSync(copy, NOW / 1000 - 86_400, NOW / 1000 - 86_400);
    const report = await prune(yes);
    expect(report.chosen).toEqual([]);
    expect(report.kept[0]?.reason).toBe(`Session ${young?.id}, which is kept, shows agents of it.`);
  });

  it('is not deleted if it changes after it was shown', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    const file = path.join(root, 'projects/-home-dev-nested', `${ID}.jsonl`);
    const report = await prune(async () => {
      appendFileSync(file, '{}\n');
      return true;
    });
    expect(existsSync(file)).toBe(true);
    expect(report.failed[0]?.problem).toBe('its session has changed since it was shown');
  });

  it('is not deleted unless the answer is yes', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    const before = filesBelow(root);
    expect(await prune(async () => false)).toMatchObject({ isDeleted: false });
    expect(filesBelow(root)).toEqual(before);
  });
});

describe('links', () => {
  it('are deleted, and what they point to is not', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    const away = path.join(path.dirname(root), 'away');
    mkdirSync(away);
    writeFileSync(path.join(away, 'mine.txt'), 'text');
    mkdirSync(path.join(root, 'file-history'));
    symlinkSync(away, path.join(root, 'file-history', ID));
    await prune(yes);
    expect(existsSync(path.join(root, 'file-history', ID))).toBe(false);
    expect(existsSync(path.join(away, 'mine.txt'))).toBe(true);
  });

  it('out of the data folder are not followed', async () => {
    use('claude-code/fixtures/2.1.325-nested');
    const folder = path.join(root, 'projects/-home-dev-nested', ID, 'subagents');
    const away = path.join(path.dirname(root), 'away', ID);
    cpSync(folder, away, { recursive: true });
    rmSync(folder, { recursive: true });
    symlinkSync(path.dirname(away), path.join(root, 'todos'));
    const before = filesBelow(away);
    expect(before.length).toBeGreaterThan(0);
    const report = await prune(yes);
    expect(report.failed[0]?.problem).toBe('it is outside the data folder, behind a link');
    expect(filesBelow(away)).toEqual(before);
  });
});
