import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = path.join(root, 'src/hosts/claude-code/fixtures');
const emptyHome = makeTemporaryFolder('home');

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program, as a user runs it, on a machine without any host's data. */
async function troupe(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const bin = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).bin.troupe;
  const { CLAUDE_CONFIG_DIR: _config, XDG_CONFIG_HOME: _xdg, ...clean } = process.env;
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path.join(root, bin), ...args], {
      env: { ...clean, HOME: emptyHome, USERPROFILE: emptyHome, ...env },
      maxBuffer: 1e8,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

function validate(schema: string, value: unknown): void {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  });
  const check = ajv.compile(JSON.parse(readFileSync(path.join(root, 'schemas', `${schema}.schema.json`), 'utf8')));
  expect(check(value), JSON.stringify(check.errors)).toBe(true);
}

const recording = (name: string): string => path.join(fixtures, name);
const mainTranscript = (name: string, project: string, id: string): string =>
  path.join(fixtures, name, 'projects', project, `${id}.jsonl`);

describe('a command that is none', () => {
  it.each([
    ['wacth', '; did you mean `watch`?'],
    ['opne', '; did you mean `open`?'],
    ['frobnicate', '.'],
  ])('is told, with what may be meant: %s', async (word, guess) => {
    const { code, stderr, stdout } = await troupe([word]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`troupe: No command \`${word}\`${guess}`);
  });
});

describe('troupe attach', () => {
  const print = (...flags: readonly string[]) =>
    troupe(['attach', 'ae4b3f4', '--print', '--root', recording('2.1.325-single'), ...flags]);

  it('limits the handover text to --handover-tokens', async () => {
    const whole = await print('--json');
    expect(JSON.parse(whole.stdout).leftOut).toEqual([]);
    const cut = await print('--json', '--handover-tokens', '100');
    expect(cut).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(cut.stdout).leftOut).not.toEqual([]);
  });

  it('takes the old flag --budget, with a warning on stderr', async () => {
    expect(await print('--budget', '100')).toEqual({
      ...(await print('--handover-tokens', '100')),
      stderr: 'troupe attach --budget is now: troupe attach --handover-tokens. The old name works until 0.3.\n',
    });
  });

  it('refuses both flags at once', async () => {
    const { code, stdout, stderr } = await print('--budget', '100', '--handover-tokens', '100');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--budget is the old name of --handover-tokens');
  });
});

describe('troupe ls', () => {
  it('lists sessions as JSON that fits its schema', async () => {
    const { stdout, code } = await troupe(['ls', '--json', '--root', recording('2.1.325-orphan-forked')]);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    validate('sessions', report);
    expect(report.sessions.map((session: { id: string }) => session.id)).toEqual([
      'd1104698-475f-45c8-bad0-638f6e55be38',
      '1cc95efd-908e-46cc-bfab-21f959117047',
    ]);
  });

  it('reads only as many as asked for, and says how many there are', async () => {
    const { stdout } = await troupe(['ls', '-n', '1', '--json', '--root', recording('2.1.325-orphan-forked')]);
    const report = JSON.parse(stdout);
    expect(report.sessions).toHaveLength(1);
    expect(report.total).toBe(2);
  });

  it('takes several roots and CLAUDE_CONFIG_DIR', async () => {
    const two = await troupe([
      'ls',
      '--json',
      '--root',
      recording('2.1.325-single'),
      '--root',
      recording('2.1.20-nested'),
    ]);
    expect(JSON.parse(two.stdout).sessions).toHaveLength(2);
    const env = await troupe(['ls', '--json'], { CLAUDE_CONFIG_DIR: recording('2.1.325-single') });
    expect(JSON.parse(env.stdout).sessions).toHaveLength(1);
  });

  it('says so when there are no sessions', async () => {
    const { stdout, stderr, code } = await troupe(['ls']);
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
    expect(stderr).toContain('No sessions found');
    validate('sessions', JSON.parse((await troupe(['ls', '--json'])).stdout));
  });
});

describe('troupe tree', () => {
  it('fits its schema on every recording', async () => {
    for (const name of ['2.1.325-xss', '2.1.325-failing', '2.1.38-twins-hang', '2.1.20-background', '2.1.2-single']) {
      const { stdout, code } = await troupe(['tree', '--json', '--internal', '--root', recording(name)]);
      expect(code).toBe(0);
      validate('tree', JSON.parse(stdout));
    }
  });

  it('draws the tree without colours when it is piped', async () => {
    const { stdout } = await troupe(['tree', 'fa129e54', '--root', recording('2.1.325-nested')]);
    const lines = stdout.split('\n').filter((line) => /^[ └├│─]*[✓✗?■●◐⚠]/.test(line));
    expect(lines.map((line) => line.replace(/ {2,}.*/, ''))).toMatchInlineSnapshot(`
      [
        "✓ main",
        "└─ ✓ Audit the repo",
        "",
        "",
      ]
    `);
    expect(stdout).not.toContain('\u001b');
  });

  it('never lets a control sequence of a transcript through', async () => {
    const { stdout } = await troupe(['tree', '--root', recording('2.1.325-xss')], {
      FORCE_COLOR: '1',
      COLORTERM: 'truecolor',
    });
    const ours = /\u001b\[(?:1|2|22|3[0-9]|39|38;2;\d+;\d+;\d+)m/g;
    expect(stdout.replace(ours, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(stdout).toContain('<img src=x onerror');
  });

  it('hides internal agents unless asked', async () => {
    const hidden = await troupe(['tree', '--root', recording('2.1.2-single')]);
    expect(hidden.stdout).toContain('3 internal agents hidden: show with --internal');
    const shown = await troupe(['tree', '--internal', '--root', recording('2.1.2-single')]);
    expect(shown.stdout.match(/warm-up/g)).toHaveLength(3);
  });

  it('explains what a person can do', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['tree', '--root', recording('nowhere')], /There is no folder .*nowhere/],
      [['tree', 'ffff', '--root', recording('2.1.325-single')], /No session begins with «ffff»/],
      [['tree', '--host', 'emacs'], /does not know the host «emacs»[\s\S]*claude-code/],
      [['tree'], /No sessions found \(looked in .*\.claude/],
    ];
    for (const [args, expected] of cases) {
      const { code, stderr, stdout } = await troupe(args);
      expect(stderr).toMatch(expected);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toContain('    at ');
    }
  });

  it('an ambiguous prefix names the candidates', async () => {
    const args = ['tree', '', '--root', recording('2.1.325-orphan-forked')];
    const { stderr, code } = await troupe(args);
    expect(code).toBe(2);
    expect(stderr).toContain('2 sessions begin with');
  });

  it('shows the demo when there is no session yet', async () => {
    const { stdout, stderr, code } = await troupe(['tree', '--or-demo']);
    expect(code).toBe(0);
    expect(stderr).toContain('recording that ships with troupe');
    expect(stdout).toContain('main');
  });

  it('leaves files of other hosts alone, and counts them', async () => {
    const { stdout } = await troupe(['tree', '--json', '--root', recording('2.1.325-single')]);
    expect(JSON.parse(stdout).diagnostics.ignoredFiles).toBe(0);
  });
});

describe('troupe identify', () => {
  const nested = mainTranscript('2.1.325-nested', '-home-dev-nested', 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd');

  it('is exact with the id of the call, at any depth', async () => {
    expect(await identifyByCall('agent-ab4c7b9a30ff9f65c')).toMatchObject({
      agent_type: 'subagent',
      subagent_name: 'general-purpose',
      subagent_description: 'Check app.js',
      agent_id: 'ab4c7b9a30ff9f65c',
      agent_path: ['fa129e54-d574-4fea-bbfe-0dd74bbd38cd', 'a2ca437af9f568b24', 'ab4c7b9a30ff9f65c'],
      evidence: { rank: 'exact', source: 'tool-call' },
    });
  });

  it('knows the main agent by its own call', async () => {
    expect(await identifyByCall('fa129e54')).toMatchObject({ agent_type: 'main', evidence: { rank: 'exact' } });
  });

  it('takes no, a missing or an unreadable transcript as the main agent', async () => {
    for (const args of [[], ['--transcript', '/nowhere/at/all.jsonl'], ['--transcript', root], ['--transcript', '']]) {
      const { stdout, code } = await troupe(['identify', '--json', ...args]);
      expect(code).toBe(0);
      validate('identity', JSON.parse(stdout));
      expect(JSON.parse(stdout)).toMatchObject({ agent_type: 'main', agent_id: null, evidence: { rank: 'none' } });
    }
  });

  /** Who made the first call in one of the session's files. */
  async function identifyByCall(file: string): Promise<unknown> {
    const call = callIn('2.1.325-nested', file);
    const { stdout } = await troupe(['identify', '--json', '--transcript', nested, '--tool-use-id', call]);
    const report = JSON.parse(stdout);
    validate('identity', report);
    return report;
  }

  function callIn(name: string, file: string): string {
    const folder = path.join(fixtures, name, 'projects');
    const found = readFileSync(findFile(folder, file), 'utf8').match(/"type":"tool_use","id":"([^"]+)"/)?.[1];
    if (!found) throw new Error(`no call in ${file}`);
    return found;
  }

  function findFile(folder: string, name: string): string {
    const project = path.join(folder, '-home-dev-nested');
    return name.startsWith('agent-')
      ? path.join(project, 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd/subagents', `${name}.jsonl`)
      : path.join(project, 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd.jsonl');
  }
});

describe('troupe show', () => {
  it('writes a transcript that fits its schema, whole or in part', async () => {
    for (const [name, agent] of [
      ['2.1.325-nested', 'a2ca437a'],
      ['2.1.325-xss', 'a7930099'],
      ['1.0.60-single', 'inline-56'],
      ['2.1.325-inter-compact', 'f65c5df0'],
    ] as const) {
      const { stdout, code } = await troupe(['show', agent, '--json', '--root', recording(name)]);
      expect(code).toBe(0);
      validate('transcript', JSON.parse(stdout));
    }
    const part = await troupe([
      'show',
      'a2ca437a',
      '--json',
      '--from',
      '1',
      '--limit',
      '2',
      '--root',
      recording('2.1.325-nested'),
    ]);
    expect(JSON.parse(part.stdout).messages).toHaveLength(2);
  });

  it('strips control sequences, and points into the transcripts of sub-agents', async () => {
    const { stdout } = await troupe(['show', '311b3f05', '--root', recording('2.1.325-xss')]);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/→ .* \(general-purpose\) {2}troupe show a793009932eba9d37/);
  });
});

describe('troupe tree --explain', () => {
  it('names the source of every fact, and marks assumptions', async () => {
    const { stdout } = await troupe(['tree', '--explain', 'ae4b3f44', '--root', recording('2.1.325-single')]);
    expect(stdout).toMatch(/✓ sidecar \(exact\).* {2}projects\/.*meta\.json @ 0/);
    expect(stdout).toMatch(/✓ result: completed/);
    const json = await troupe(['tree', '--explain', 'ae4b3f44', '--json', '--root', recording('2.1.325-single')]);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: 'ae4b3f443e0f86901', status: 'completed' });
  });
});

describe('help', () => {
  it('shows examples for each command', async () => {
    for (const command of ['ls', 'tree', 'show', 'identify']) {
      const { stdout, code } = await troupe([command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`troupe ${command}`);
      expect(stdout).toContain('Examples:');
    }
  });
});
