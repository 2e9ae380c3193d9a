import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeShortSessions } from '../bench/session-list.mjs';
import { checkLinks, readLinks } from '../src/export/check-export.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { plantedSecrets } from '../src/redact/testing/planted-secrets.ts';
import { programIn, type RunOptions } from './testing/program.ts';

// `troupe export` as a person runs it: the built program, on recordings of the real one.

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = path.join(root, 'src/hosts/claude-code/fixtures');
const work = makeTemporaryFolder('export');

interface Outcome {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const troupeExport = (...args: readonly string[]): Promise<Outcome> => exportWith({}, ...args);

async function exportWith(options: RunOptions, ...args: readonly string[]): Promise<Outcome> {
  const { code, out, errors } = await programIn(path.join(work, 'home')).run(['export', ...args], options);
  return { code, stdout: out, stderr: errors };
}

const folderOf = (name: string): string => path.join(work, name);
const recording = (name: string): readonly string[] => ['--root', path.join(fixtures, name)];
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

function contentsOf(folder: string): Readonly<Record<string, string>> {
  const files = filesIn(folder).filter((name) => statSync(path.join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

function problemsIn(folder: string, ending: string): readonly string[] {
  const pages = filesIn(folder)
    .filter((file) => file.endsWith(`.${ending}`))
    .map((file) => readLinks(file, readFileSync(path.join(folder, file), 'utf8')));
  return checkLinks(pages, `index.${ending}`).map(({ file, text }) => `${file} ${text}`);
}

describe('troupe export --out-dir', () => {
  it('writes every agent at any depth, in three formats with the same links', async () => {
    const folder = folderOf('deep');
    const { code, stdout } = await troupeExport(
      ...recording('2.1.325-nested-deep'),
      '-o',
      folder,
      '-f',
      'html,md,json',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 session, 4 agents') });
    for (const ending of ['html', 'md']) {
      expect(problemsIn(folder, ending)).toEqual([]);
      expect(filesIn(folder).filter((file) => /^agent-/.test(file) && file.endsWith(ending))).toHaveLength(3);
    }
    const document = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8'));
    expect(document.sub_agents[0].sub_agents[0].sub_agents).toHaveLength(1);
    const page = readFileSync(path.join(folder, 'index.html'), 'utf8');
    expect(page).toMatch(/<a [^>]*href="agent-\w+\.html"/);
  });

  it('writes the same bytes twice, and replaces an earlier export', async () => {
    const [one, two] = [folderOf('one'), folderOf('two')];
    for (const folder of [one, two])
      await troupeExport(...recording('2.1.325-parallel'), '-o', folder, '-f', 'html,json');
    expect(filesIn(one)).toEqual(filesIn(two));
    for (const file of filesIn(one))
      expect(readFileSync(path.join(two, file), 'utf8')).toBe(readFileSync(path.join(one, file), 'utf8'));
    const { stdout } = await troupeExport(...recording('2.1.325-single'), '-o', one);
    expect(stdout).toMatch(/pages? of the last export removed/);
    expect(problemsIn(one, 'html')).toEqual([]);
  });

  it('writes many sessions below one index', async () => {
    const folder = folderOf('many');
    const { code, stdout } = await troupeExport(
      ...recording('2.1.325-orphan-forked'),
      ...recording('2.1.325-team'),
      '--all-sessions',
      '-o',
      folder,
      '-f',
      'html,md',
    );
    expect(code, stdout).toBe(0);
    expect(filesIn(folder).filter((file) => file.endsWith(`${path.sep}index.html`)).length).toBeGreaterThan(1);
    expect([...problemsIn(folder, 'html'), ...problemsIn(folder, 'md')]).toEqual([]);
    const { stderr } = await troupeExport(
      ...recording('2.1.325-team'),
      '--project',
      '/nowhere',
      '-o',
      folderOf('none'),
    );
    expect(stderr).toContain('None of 1 session is what was asked for.');
  });

  describe('that is interrupted', () => {
    let data: string;
    let whole: Readonly<Record<string, string>>;
    const exportTo = (folder: string) => ['export', '--root', data, '--all-sessions', '-o', folder];
    beforeAll(async () => {
      data = folderOf('many-sessions');
      // Enough of them that an export takes a while.
      writeShortSessions(data, 40);
      // Files that were written just now may change without a trace.
      const written = Math.max(...filesIn(data).map((name) => statSync(path.join(data, name)).ctimeMs));
      await until(() => Date.now() - written > 3_000, 'quiet files');
      await programIn(path.join(work, 'home')).run(exportTo(folderOf('whole')));
      whole = contentsOf(folderOf('whole'));
    });

    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGKILL', 'SIGKILL'],
    ] as const)(
      'keeps the sessions that are written, and goes on from there, when %s comes',
      async (signal, status) => {
        const folder = folderOf(signal);
        const { ended, child } = programIn(path.join(work, 'home')).start(exportTo(folder));
        await until(() => existsSync(folder) && readdirSync(folder).length > 3, 'the third session');
        child.kill(signal);
        expect(await ended).toBe(status);
        const left = contentsOf(folder);
        expect(left['index.html']).toBeUndefined();
        if (signal !== 'SIGKILL') {
          expect(readdirSync(work).filter((name) => name.includes(signal))).toEqual([signal]);
          for (const [name, text] of Object.entries(left)) if (name.includes('/')) expect(text).toBe(whole[name]);
        }
        const { code, errors } = await programIn(path.join(work, 'home')).run(exportTo(folder));
        expect(code).toBe(0);
        expect(errors).toMatch(/sessions? of an earlier run did not change, and were not written again/);
        expect(contentsOf(folder)).toEqual(whole);
      },
    );
  });

  it('splits long transcripts', async () => {
    const folder = folderOf('parts');
    await troupeExport(...recording('2.1.325-parallel'), '-o', folder, '--page-size', '2', '-f', 'html,md');
    expect(existsSync(path.join(folder, 'index-2.html'))).toBe(true);
    expect([...problemsIn(folder, 'html'), ...problemsIn(folder, 'md')]).toEqual([]);
  });

  it('lists the written files as JSON', async () => {
    const { stdout } = await troupeExport(...recording('2.1.325-single'), '-o', folderOf('json'), '--json');
    const schema = JSON.parse(readFileSync(path.join(root, 'schemas/export.schema.json'), 'utf8'));
    const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    expect(check(JSON.parse(stdout)), JSON.stringify(check.errors)).toBe(true);
    expect(JSON.parse(stdout)).toMatchObject({
      written: true,
      files: 3,
      problems: [],
      sessions: [{ start: 'index.html', agents: 2, skipped: [] }],
    });
  });

  it('refuses a folder that is not its own, and leaves it as it is', async () => {
    const folder = folderOf('theirs');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'thesis.txt'), 'years of work');
    const { code, stderr } = await troupeExport(...recording('2.1.325-single'), '-o', folder);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('not empty, and not an export') });
    expect(filesIn(folder)).toEqual(['thesis.txt']);
    expect((await troupeExport(...recording('2.1.325-single'), '-o', folder, '--force')).code).toBe(0);
    expect(readFileSync(path.join(folder, 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  it('reports that the disk is full and leaves nothing behind when the export cannot be written', async () => {
    const folder = folderOf('limited');
    const before = ['/bin/sh', '-c', `ulimit -f 4; exec "$@"`, 'sh'];
    const { code, stderr } = await exportWith({ before }, ...recording('2.1.325-team'), '-o', folder);
    expect(code).toBe(2);
    expect(stderr).toContain(`${folder} cannot be written: a file may not become that large there.`);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(work).filter((name) => name.startsWith('.limited'))).toEqual([]);
  });
});

describe('to standard output', () => {
  it.each(['html', 'md', 'json'])('%s goes as it is', async (format) => {
    const { code, stdout, stderr } = await troupeExport(...recording('2.1.325-nested'), '-f', format);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      format === 'html' ? /^<!doctype html>/i : format === 'md' ? /^# / : /^\{"format":"troupe-transcript"/,
    );
    // No link leads to a page that is not there.
    if (format !== 'json') {
      const { targets, anchors } = readLinks(`index.${format}`, stdout);
      for (const target of targets) expect(['', `index.${format}`]).toContain(target.split('#')[0]);
      expect(anchors.trim()).not.toBe('');
    }
  });

  it('a page of one file holds every agent', async () => {
    const { stdout } = await troupeExport(...recording('2.1.325-nested'), '--single-file');
    const [, data = ''] = /id="troupe-data">([\s\S]*?)<\/script>/.exec(stdout) ?? [];
    const { transcripts, snapshot } = JSON.parse(data);
    expect(Object.keys(transcripts)).toHaveLength(4);
    expect(snapshot.sessions[0].subagents).toHaveLength(3);
  });
});

describe('words that contradict each other', () => {
  it.each([
    [['-f', 'html,md'], 'Only one format goes to standard output.'],
    [['--all-sessions'], 'Many sessions need a folder.'],
    [['abc', '--all-sessions', '-o', 'x'], 'One session is named, and many are asked for.'],
    [['--no-redact', '--redact', 'pii'], '--no-redact and --redact contradict each other.'],
    [['--single-file', '--format', 'md'], '--single-file is a page, and no page is asked for.'],
    [['--single-file', '--page-size', '9'], '--page-size cuts linked pages, and --single-file makes one page.'],
    [['--no-redact', '--review'], 'With --no-redact there is nothing to review.'],
    [['-f', 'pdf'], '«pdf» is not one of html, md, json'],
    [['nosuchsession'], 'No session'],
  ])('%j', async (args, words) => {
    const { code, stderr, stdout } = await troupeExport(...recording('2.1.325-single'), ...args);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
  });
});

/** Made here, so that no file of the project looks as if it held a secret. */
const digits = (length: number): string => 'k7Qz2mXw9RtB4vNc8LpD3sFh6JyG5aKe1UoWiZqVxMnT'.slice(0, length);
const SECRETS = {
  github: `ghp_${digits(36)}`,
  aws: `AKIA${'Q3ZK7XN4W2MPL5VT'}`,
  anthropic: `sk-ant-api03-${digits(40)}${digits(40)}`,
  password: 'Tr0ub4dor&3x!',
  database: 'Zx9-kLq7Pw2',
  'like a stand-in': 'Barcelona2024!',
  labelled: `cal_live_${'9f8e7d6c5b4a3f2e1d0c'}`,
};
/** Each is planted once, so that it cannot be found because another place gives it away. */
const DRAWN = [
  ...new Map(fc.sample(plantedSecrets, { seed: 8, numRuns: 400 }).map((planted) => [planted.secret, planted])).values(),
];

describe('secrets', () => {
  const source = path.join(work, 'planted');
  beforeAll(() => plant(source));

  it.each([['-f', 'html,md,json'], ['--single-file'], ['-f', 'json', '--compact']])(
    'are in no byte of what is written: %s %s',
    async (...flags) => {
      const folder = folderOf(`clean-${flags.join('')}`.replaceAll(/[^\w-]/g, ''));
      const { code, stdout } = await troupeExport('--root', source, '-o', folder, ...flags);
      expect(code, stdout).toBe(0);
      for (const file of filesIn(folder)) {
        const text = readFileSync(path.join(folder, file), 'utf8');
        for (const [kind, secret] of Object.entries(SECRETS))
          expect(text.includes(secret), `${kind} in ${file}`).toBe(false);
        expect(text.includes(Buffer.from(SECRETS.github).toString('base64')), `base64 in ${file}`).toBe(false);
        const left = DRAWN.filter(({ secret }) => formsOf(secret).some((form) => text.includes(form)));
        expect(left, `in ${file}`).toEqual([]);
      }
      const report = JSON.parse(readFileSync(path.join(folder, 'redactions.json'), 'utf8'));
      const kinds = new Set(report.findings.map(({ kind }: { kind: string }) => kind));
      for (const kind of ['github-token', 'aws-access-key', 'anthropic-key']) expect(kinds).toContain(kind);
    },
  );

  it('are the same placeholder for every agent', async () => {
    const { stdout } = await troupeExport('--root', source, '-f', 'json');
    const placeholders = new Set(stdout.match(/\[redacted:github-token#\d+\]/g));
    expect([...placeholders]).toEqual(['[redacted:github-token#1]']);
  });

  it('are listed before anything is written, and nothing is without a yes', async () => {
    const folder = folderOf('reviewed');
    const { code, stderr } = await troupeExport('--root', source, '-o', folder, '--review');
    expect(code).toBe(0);
    expect(stderr).toMatch(/\[redacted:github-token#1\] {2}token of GitHub/);
    expect(stderr).toContain('Nothing was written.');
    for (const secret of Object.values(SECRETS)) expect(stderr).not.toContain(secret);
    expect(existsSync(folder)).toBe(false);
    expect((await troupeExport('--root', source, '-o', folder, '--review', '--yes')).code).toBe(0);
    expect(existsSync(path.join(folder, 'index.html'))).toBe(true);
  });

  it('are kept when asked for, with a warning', async () => {
    const { stdout, stderr } = await troupeExport('--root', source, '-f', 'json', '--no-redact');
    expect(stdout).toContain(SECRETS.github);
    expect(stderr).toContain('Nothing is redacted: passwords, keys, names and paths');
  });
});

/** The secret as JSON, HTML and Markdown encode it. */
function formsOf(secret: string): readonly string[] {
  const html = secret.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
  const markdown = secret.replace(/[\\`*_{}[\]()#+.!|~<>-]/g, '\\$&');
  return [secret, JSON.stringify(secret).slice(1, -1), html, markdown];
}

/** A recording with secrets in a prompt, in thinking, in what a tool was given and gave, in an agent's file and its description. */
function plant(folder: string): void {
  cpSync(path.join(fixtures, '2.1.325-nested'), folder, { recursive: true });
  let agents = 0;
  const drawn = [...DRAWN];
  const takeDrawn = (): string =>
    drawn
      .splice(0, 8)
      .map(({ text }) => text)
      .join('\n\n');
  for (const file of filesIn(folder)) {
    if (!file.endsWith('.jsonl')) continue;
    const place = path.join(folder, file);
    const lines = readFileSync(place, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { type, message } of lines) {
      if (type === 'user' && typeof message?.content === 'string')
        message.content += `\nexport GITHUB_TOKEN=${SECRETS.github}\npostgres://app:${SECRETS.database}@db.example.com/app\nDB_PASSWORD=${SECRETS['like a stand-in']}\n${takeDrawn()}`;
      for (const block of Array.isArray(message?.content) ? message.content : []) {
        if (block.type === 'text') block.text += ` The key is ${SECRETS.anthropic}.\n\n${takeDrawn()}`;
        if (block.type === 'tool_use') {
          block.input.note = `DB_PASSWORD='${SECRETS.password}' ${SECRETS.aws}`;
          block.input.more = [takeDrawn(), { deep: JSON.stringify({ text: takeDrawn() }) }];
        }
        if (block.type === 'tool_result')
          block.content = `Authorization: Basic ${Buffer.from(SECRETS.github).toString('base64')}\n+${SECRETS.github}\n{"message":"API Key: ${SECRETS.labelled}"}\n${takeDrawn()}`;
      }
    }
    if (file.includes('subagents')) agents++;
    writeFileSync(place, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
  expect(agents).toBeGreaterThan(1);
  expect(drawn).toEqual([]);
}
