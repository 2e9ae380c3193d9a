import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The kit is plain JavaScript, without types. */
const load = (name: string) => import(path.join(root, 'matrix', name));
const { runCell } = await load('cell.mjs');
const { checkLive } = await load('checks/live.mjs');
const { HOSTS } = await load('hosts/index.mjs');
const { PLAYS } = await load('plays.mjs');
const { writePage } = await load('report.mjs');

interface Host {
  readonly name: string;
  readonly versions: readonly string[];
  cannot?(play: unknown, version: string): Readonly<Record<string, string>> | undefined;
}

describe('npm run matrix', () => {
  const matrix = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['matrix/run.mjs', ...args], { cwd: root, encoding: 'utf8' });

  it('lists hosts, versions and plays', () => {
    const { status, stdout } = matrix('--list');
    expect(status).toBe(0);
    for (const { name, versions } of HOSTS as Host[]) expect(stdout).toMatch(new RegExp(`${name} .*${versions[0]}`));
    for (const name of Object.keys(PLAYS)) expect(stdout).toContain(`\n  ${name} `);
  });

  it.each([
    ['--host nobody', 'There is no host "nobody"'],
    ['--plays nothing', 'There is no play "nothing"'],
    ['--version 1.0.0', '--version needs exactly one --host'],
    ['--jobs 0', '--jobs needs a whole number'],
    ['--host gemini --plays team', 'No cell matches'],
  ])('refuses %s', (args, words) => {
    const { status, stderr } = matrix(...args.split(' '));
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('the results of the matrix', () => {
  const makeFiles = () => {
    const folder = makeTemporaryFolder('matrix');
    return { resultsFile: path.join(folder, 'results.json'), pageFile: path.join(folder, 'docs/page.md') };
  };
  const cell = (host: string, version: string, play: string, more = {}) => ({
    ...{ host, version, play, color: 'green', differences: [] as { check: string; text: string }[] },
    ...more,
  });

  it('keep the cells of other hosts, versions and plays when a part is played', () => {
    const files = makeFiles();
    writePage([cell('codex', '0.166.0', 'one'), cell('gemini', '0.61.0', 'one')], files);
    const differences = [
      { check: 'tree', text: 'leaf#2: parent is null, expected 01a1ef0f-aafb-7c73-a3ab-21353f773c55' },
    ];
    writePage([cell('codex', '0.166.0', 'one', { color: 'red', differences })], files);
    writePage([cell('codex', '0.166.0', 'ten'), cell('codex', '0.169.0', 'one')], files);
    const { cells } = JSON.parse(readFileSync(files.resultsFile, 'utf8'));
    expect(cells.map(({ host, version, play, color }: Record<string, string>) => [host, version, play, color])).toEqual(
      [
        ['codex', '0.169.0', 'one', 'green'],
        ['codex', '0.166.0', 'one', 'red'],
        ['codex', '0.166.0', 'ten', 'green'],
        ['gemini', '0.61.0', 'one', 'green'],
      ],
    );
    const page = readFileSync(files.pageFile, 'utf8');
    expect(page).toContain('| play | what happens | 0.169.0 | 0.166.0 |');
    expect(page).toContain('| `one` | one sub-agent | ✓ | ✗ |');
    expect(page).toContain('| `ten` | ten sub-agents at once |  | ✓ |');
    expect(page).toContain('- ✗ `one` (0.166.0): tree: leaf#2: parent is null, expected ID\n');
  });

  it('say why a cell is grey, with a link to the recording', () => {
    const files = makeFiles();
    const grey = { color: 'grey', reason: 'There is no <tool> for it.', evidence: '0.61.0-nested' };
    writePage([cell('gemini', '0.61.0', 'nested', grey)], files);
    expect(readFileSync(files.pageFile, 'utf8')).toContain(
      '- – `nested` (0.61.0): There is no &lt;tool> for it. Recording: [0.61.0-nested](../../src/hosts/gemini/fixtures/0.61.0-nested).\n',
    );
  });
});

describe('a grey cell', () => {
  const greyCells = (HOSTS as Host[]).flatMap((host) =>
    host.versions.flatMap((version) =>
      Object.entries(PLAYS).flatMap(([name, play]) => {
        const grey = host.cannot?.(play, version);
        return grey && !grey['isSkipped'] ? [{ ...grey, host: host.name, version, name }] : [];
      }),
    ),
  ) as readonly Readonly<Record<string, string>>[];

  it('gives the missing fact in a sentence, and a recording of it that is in the repository', () => {
    expect(greyCells.length).toBeGreaterThan(0);
    for (const { host, version, name, reason, evidence } of greyCells) {
      const title = `${host} ${version} ${name}`;
      expect(reason, title).toMatch(/^[A-Z`].*\.$/);
      const offers = `matrix/offers/${host}-${version}.json`;
      const file = evidence === 'offers' ? offers : `src/hosts/${host}/fixtures/${evidence}`;
      expect(existsSync(path.join(root, file)), `${title}: ${file}`).toBe(true);
    }
  });
});

describe('a cell', () => {
  const host = {
    ...{ name: 'codex', title: 'A host', versions: [] },
    environment: () => ({}),
    printArgs: () => [],
  };
  const play = (program: string, longestMs?: number) => {
    const file = path.join(makeTemporaryFolder('matrix'), 'host.mjs');
    writeFileSync(file, program);
    const facts = { host, version: '1.0.0', program: file, name: 'plain', play: PLAYS['plain'], longestMs };
    return runCell(facts);
  };

  it('is red when the program ends without asking the model', async () => {
    const { color, differences } = await play('process.exit(3);');
    expect(color).toBe('red');
    expect(differences[0]).toEqual({ check: 'played', text: 'main#1 did not get turn 0 of 1' });
  });

  it('is ended when it hangs, and says what it was doing', async () => {
    const { color, differences } = await play('setInterval(() => {}, 1000);', 5_000);
    expect(color).toBe('red');
    expect(differences).toEqual([
      { check: 'played', text: expect.stringMatching(/^The cell was ended after 5 s\. It was \w/) },
    ]);
  });
});

describe('the check of live states', () => {
  /** The agent asks for its only turn after 10 s and gets it at 11 s. `shown`: [second, status]. */
  const check = (shown: readonly (readonly [number, string])[]) => {
    const entry = { key: 'leaf#2', index: 0, extra: false, state: 'served', at: 10_000, endedAt: 11_000 };
    const agent = {
      key: 'leaf#2',
      keys: ['leaf#2'],
      kind: 'task',
      parent: 'main#1',
      status: 'completed',
      description: 'leaf',
    };
    const states = shown.map(([second, status]) => ({
      at: second * 1_000,
      session: 'one',
      agents: [{ id: 'a', kind: 'task', label: 'leaf', parentId: 'one', status }],
    }));
    const tree = {
      agents: [{ id: 'a', kind: 'task', label: 'leaf', description: 'leaf', parentId: 'one', status: 'completed' }],
    };
    const expected = { asks: ['main#1'], agents: [agent], processes: [] };
    const run = { log: [entry], instances: new Map([['leaf#2', { key: 'leaf#2', turns: [{}] }]]) };
    return checkLive({
      truth: [expected],
      matches: new Map([[expected, { id: 'one', tree, marks: new Map() }]]),
      observer: { states },
      person: { run, sandbox: { processes: [{ startedAt: 0 }] } },
    });
  };

  it.each([
    [
      'nothing when an agent is shown in time',
      [
        [10.1, 'running'],
        [11.2, 'completed'],
      ],
      [],
    ],
    [
      'an agent that appears late',
      [
        [12.5, 'running'],
        [12.9, 'completed'],
      ],
      ['was not shown after its first request'],
    ],
    [
      'an agent whose end is shown late',
      [
        [10.1, 'running'],
        [13.5, 'completed'],
      ],
      ['was still running after the end of its task'],
    ],
    [
      'a status that is taken back',
      [
        [10.1, 'running'],
        [10.5, 'unknown'],
        [11.2, 'completed'],
      ],
      ['was unknown before it was completed'],
    ],
  ] as const)('reports %s', (_, shown, wanted) => {
    expect(check(shown)).toEqual(wanted.map((text) => expect.stringContaining(`leaf#2 ${text}`)));
  });
});
