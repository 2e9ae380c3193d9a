import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { nativeId, type SearchReport } from '../core/index.ts';
import { driver } from '../lib/sqlite-driver.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createSessions, createTranscripts, dataFoldersFor } from '../sessions/index.ts';
import { createSearch, type SearchControl } from './search.ts';
import { plantNeedles } from './testing/plant-needles.ts';
import { textFile } from './text-rows.ts';

const HOSTS = fileURLToPath(new URL('../hosts', import.meta.url));
const RECORDING = path.join(HOSTS, 'claude-code/fixtures/2.1.325-nested');

let work: string;
let root: string;
let searching: SearchControl;
beforeEach(async () => {
  work = makeTemporaryFolder('search');
  root = path.join(work, 'data');
  searching = searchIn('state');
  await searching.allow();
});

function searchIn(state: string, clock = () => Date.now() + 60_000): SearchControl {
  return createSearch({
    folder: path.join(work, state),
    clock,
    openCache: async () => undefined,
    createRedact: async () => (text) => text.replaceAll('hidden', '[redacted]'),
  });
}

interface Asked {
  readonly limit?: number;
  readonly perSession?: number;
  readonly isRedacted?: boolean;
  readonly patience?: number;
}

function ask(text: string, how: Asked = {}, control = searching): Promise<SearchReport> {
  const request = { where: { roots: [root] }, text, limit: 20, perSession: 5, isRedacted: false };
  return control.search({ ...request, patience: Number.POSITIVE_INFINITY, ...how });
}

const shownIn = ({ sessions }: SearchReport): readonly string[] =>
  sessions.flatMap(({ messages }) => messages.map(({ snippet }) => snippet.map(({ text }) => text).join('')));
const marked = ({ sessions }: SearchReport): readonly string[] =>
  sessions.flatMap(({ messages }) =>
    messages.flatMap(({ snippet }) => snippet.flatMap(({ text, isMatch }) => (isMatch ? [text] : []))),
  );

/** A session of one prompt, one call and one answer, and whatever lines come behind them. */
function writeSession(name: string, ...lines: readonly object[]): string {
  const file = path.join(root, 'projects', '-work-app', `${name}.jsonl`);
  cpSync(RECORDING, root, { recursive: true });
  for (const old of readdirSync(path.join(root, 'projects')))
    rmSync(path.join(root, 'projects', old), { recursive: true });
  appendLines(file, ...lines);
  return file;
}

function appendLines(file: string, ...lines: readonly object[]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

let number = 0;
function prompt(text: string, at = '2026-11-10T10:00:00.000Z') {
  const uuid = `00000000-0000-4000-8000-${String(++number).padStart(12, '0')}`;
  const common = {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/app',
    sessionId: ID,
    version: '2.1.325',
  };
  return { ...common, type: 'user', message: { role: 'user', content: text }, uuid, timestamp: at };
}
const ID = '11111111-1111-4111-8111-111111111111';

describe('every text of every host', () => {
  const RECORDINGS = [
    'claude-code/fixtures/2.1.325-nested',
    'claude-code/fixtures/2.1.325-nested-deep',
    'claude-code/fixtures/2.1.325-workflow',
    'claude-code/fixtures/2.1.325-team',
    'claude-code/fixtures/2.1.20-nested',
    'claude-code/fixtures/2.1.325-worktree',
    'claude-code/fixtures/2.1.325-inter-team-nested',
    'claude-code/fixtures/2.1.325-parallel',
    'claude-code/fixtures/2.1.88-inter-compact',
    'claude-code/fixtures/1.0.60-nested',
    'codex/fixtures/0.118.0-asks',
    'codex/fixtures/0.166.0-v2-nested',
    'codex/fixtures/0.29.0-single',
    'copilot/fixtures/1.0.102-talk',
    'copilot/fixtures/1.0.65-nested',
    'gemini/fixtures/0.61.0-resumed',
    'opencode/fixtures/1.18.33-parallel',
    'opencode/fixtures/0.5.29-failing',
    'opencode/fixtures/2.0.15-background',
    'qwen/fixtures/0.24.4-parallel',
    'qwen/fixtures/0.15.10-background',
    'codex/fixtures/0.166.0-nested',
    'codex/fixtures/0.166.0-tools',
    'codex/fixtures/0.166.0-v2-talk',
    'copilot/fixtures/1.0.102-nested',
    'copilot/fixtures/1.0.102-tools',
    'gemini/fixtures/0.61.0-nested',
    'gemini/fixtures/0.61.0-parallel',
    'opencode/fixtures/1.18.33-nested',
    'opencode/fixtures/1.1.65-single',
    'opencode/fixtures/2.0.15-nested',
    'opencode/fixtures/2.0.15-parallel',
    'qwen/fixtures/0.24.4-nested',
    'qwen/fixtures/0.24.4-background',
  ];

  it('is found in its agent and message: 500 planted needles', async () => {
    const totals = new Map<string, number>();
    for (const recording of RECORDINGS) {
      rmSync(root, { recursive: true, force: true });
      cpSync(path.join(HOSTS, recording), root, { recursive: true });
      await plantNeedles(root);
      const [host = ''] = recording.split('/');
      const places = await needlesInTranscripts();
      expect(places.size, recording).toBeGreaterThan(2);
      for (const [needle, where] of places) {
        const report = await ask(needle, { perSession: 20 });
        const found = report.sessions.flatMap(({ messages }) =>
          messages.map(({ agentId, messageId }) => `${agentId} ${messageId}`),
        );
        expect(new Set(found), `${recording} ${needle}`).toEqual(where);
        expect(marked(report), `${recording} ${needle}`).toContain(needle);
      }
      totals.set(host, (totals.get(host) ?? 0) + places.size);
    }
    expect([...totals.keys()]).toHaveLength(6);
    expect([...totals.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(500);
  });

  /** What is shown to people who read each conversation. */
  async function needlesInTranscripts(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const places = dataFoldersFor({ roots: [root] });
    const { trees } = await createSessions(places, { clock: Date.now }).list({ limit: 100 });
    const found = new Map<string, Set<string>>();
    for (const tree of trees)
      for (const agent of tree.agents) {
        const read = createTranscripts(places, Date.now);
        const { transcript } = await read.read(nativeId(agent.id), nativeId(agent.session ?? tree.id));
        for (const message of transcript.messages)
          for (const [needle] of JSON.stringify(message.content, withoutLinks).matchAll(/needle\d+zz/g))
            found.set(needle, (found.get(needle) ?? new Set()).add(`${nativeId(agent.id)} ${message.id}`));
      }
    return found;
  }

  /** Names of agents, which the tree adds to the calls that made them. */
  const withoutLinks = (key: string, value: unknown): unknown => (key.startsWith('sub_agent_ref') ? undefined : value);
});

describe('a query', () => {
  beforeEach(() => {
    writeSession(
      ID,
      prompt('The quick brown fox jumps over the lazy dog'),
      prompt('A Crème brûlée, in 東京で, for שלום and مرحبا', '2026-11-11T10:00:00.000Z'),
      prompt('quick start: hidden value', '2026-11-12T10:00:00.000Z'),
    );
  });

  it.each([
    ['quick', 2],
    ['quick brown', 1],
    ['"quick fox"', 0],
    ['"quick brown"', 1],
    ['"brown fox jum"*', 1],
    ['qui*', 2],
    ['quick -brown', 1],
    ['-quick', 1],
    ['QUICK', 2],
    ['creme brulee', 1],
    ['京', 1],
    ['東京', 1],
    ['שלום', 1],
    ['مرحبا', 1],
    ['quick project:app', 2],
    ['quick project:other', 0],
    ['quick host:claude -project:other', 2],
    ['after:2026-11-11', 2],
    ['after:2026-11-11 before:2026-11-12', 1],
    ['-after:2026-11-11', 1],
    ['status:failed quick', 0],
    ['tool:Bash', 0],
    ['-tool:Bash quick', 2],
  ])('finds by %j: %i', async (text, hits) => {
    expect((await ask(text)).hits).toBe(hits);
  });

  it('shows the piece around a match, marked, and where it is', async () => {
    const report = await ask('brown dog');
    expect(marked(report)).toEqual(['brown', 'dog']);
    expect(shownIn(report)).toEqual(['The quick brown fox jumps over the lazy dog']);
    const [session] = report.sessions;
    expect(session).toMatchObject({ id: ID, host: 'claude-code', project: 'app', hits: 1 });
    expect(session?.messages[0]).toMatchObject({
      agentId: ID,
      index: 0,
      kind: 'prompt',
      at: '2026-11-10T10:00:00.000Z',
    });
  });

  it('redacts what it shows, and shows no match that is hidden', async () => {
    const report = await ask('hidden', { isRedacted: true });
    expect(report).toMatchObject({ hits: 1, isRedacted: true });
    expect(JSON.stringify(report)).not.toContain('hidden value');
    expect(shownIn(report).join()).toContain('[redacted] value');
  });

  it.each([
    '"',
    "'; drop table message; --",
    'NEAR(a b, 3) OR AND NOT ( ) ^ * + { } : \\',
    'text:quick rowid:1',
    '\u0000',
    'quick\u0000brown',
    '\u202equick',
    'x'.repeat(1_000_000),
    '"'.repeat(1_999),
    'a '.repeat(999),
    '\ud800',
    '-',
    '*',
    'file:* tool:*',
    'file:%_',
    'after:0000-99-99',
  ])('gives a result or a sentence: %#', async (text) => {
    const report = await ask(text);
    if (report.problem) expect(report.problem.message).toMatch(/^[A-Z"].*\.$|\?$/);
    else expect(report.hits).toBeGreaterThanOrEqual(0);
    expect((await ask('quick')).hits).toBe(2);
  });
});

describe('a file that changes', () => {
  const all = async (control = searching): Promise<readonly string[]> => {
    const hits = await Promise.all(
      ['one', 'two', 'three', 'four', 'five'].map(async (word) =>
        (await ask(word, {}, control)).hits > 0 ? word : '',
      ),
    );
    return hits.filter((word) => word !== '');
  };

  it('is searched as it is now, whatever happened to it', async () => {
    const file = writeSession(ID, prompt('one'), prompt('two'));
    expect(await all()).toEqual(['one', 'two']);
    appendLines(file, prompt('three'));
    expect(await all()).toEqual(['one', 'two', 'three']);
    // A line that is still being written.
    const half = JSON.stringify(prompt('four'));
    appendFileSync(file, half.slice(0, 80));
    expect(await all()).toEqual(['one', 'two', 'three']);
    appendFileSync(file, `${half.slice(80)}\n`);
    expect(await all()).toEqual(['one', 'two', 'three', 'four']);
    truncateSync(file, readFileSync(file, 'utf8').indexOf('\n') + 1);
    expect(await all()).toEqual(['one']);
    // Another text of the same length at the same place.
    writeFileSync(file, readFileSync(file, 'utf8').replace('"one"', '"two"'));
    expect(await all()).toEqual(['two']);
    rmSync(file);
    writeSession('22222222-2222-4222-8222-222222222222', prompt('five'));
    expect(await all()).toEqual(['five']);
  });

  it('is read again from where it still agrees', async () => {
    const file = writeSession(ID, ...Array.from({ length: 50 }, (_, index) => prompt(`line ${index}`)));
    expect((await ask('line')).hits).toBe(50);
    const before = await docs();
    appendLines(file, prompt('line 50'));
    expect((await ask('line')).hits).toBe(51);
    const after = await docs();
    expect(after.slice(0, 50)).toEqual(before);
  });

  async function docs(): Promise<readonly number[]> {
    const connection = (await driver()).open(textFile(path.join(work, 'state')));
    const rows = connection.prepare('select doc from message order by pos').all() as { doc: number }[];
    connection.close();
    return rows.map(({ doc }) => doc);
  }

  it('is found although the clock was set back, and the files are older than before', async () => {
    const file = writeSession(ID, prompt('one'));
    expect(await all()).toEqual(['one']);
    const back = searchIn('state', () => Date.parse('2020-01-01'));
    appendLines(file, prompt('two'));
    utimesSync(file, new Date('2001-01-01'), new Date('2001-01-01'));
    expect(await all(back)).toEqual(['one', 'two']);
    await back.close();
  });
});

describe('consent', () => {
  beforeEach(() => void writeSession(ID, prompt('one')));

  it('is needed before anything is indexed', async () => {
    const other = searchIn('other');
    expect((await ask('one', {}, other)).index.state).toBe('undecided');
    await other.build({ roots: [root] });
    expect((await other.status({ roots: [root] })).state).toBe('undecided');
    expect(() => statSync(textFile(path.join(work, 'other')))).toThrow('ENOENT');
    await other.allow();
    expect((await ask('one', {}, other)).hits).toBe(1);
    expect(statSync(textFile(path.join(work, 'other'))).mode & 0o777).toBe(0o600);
    await other.close();
  });

  it('can leave out a project, before and after it was indexed', async () => {
    expect((await ask('one')).hits).toBe(1);
    await searching.allow(['dev/app']);
    expect((await ask('one')).hits).toBe(0);
    await searching.allow();
    expect(await searching.status({ roots: [root] })).toMatchObject({ excludedProjects: ['dev/app'], messages: 0 });
    await searching.allow([]);
    expect((await ask('one')).hits).toBe(1);
  });

  it('can be taken back, and then nothing is left', async () => {
    expect((await ask('one')).hits).toBe(1);
    await searching.forbid();
    expect(() => statSync(textFile(path.join(work, 'state')))).toThrow('ENOENT');
    expect((await ask('one')).index.state).toBe('off');
    await searching.drop();
    expect((await ask('one')).index.state).toBe('undecided');
  });
});
