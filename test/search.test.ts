// `troupe search` as people use it: the built program, in pipes, killed at any moment, on a disk that is full.
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SearchReport } from '../src/core/index.ts';
import { createRandom } from '../src/lib/testing/seed.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { pace, until } from '../src/lib/testing/waiting.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const RECORDING = path.join(root, 'src/hosts/claude-code/fixtures/2.1.325-nested');
/** `TROUPE_KILLS=200 npx vitest run test/search.test.ts` takes minutes. */
const KILLS = Number(process.env['TROUPE_KILLS'] ?? 12);
const SESSIONS = 15;

let data: string;
beforeAll(async () => {
  data = makeTemporaryFolder('search-data');
  for (let copy = 0; copy < SESSIONS; copy++) copySession(path.join(data, 'projects', `p${copy % 4}`), copy);
  const written = Math.max(...filesIn(data).map((file) => statSync(file).ctimeMs));
  // Files that were written just now are looked at again each time.
  await until(() => Date.now() - written > 3_000, 'quiet files');
});

let program: ProgramHome;
beforeEach(() => {
  program = programIn(makeTemporaryFolder('search-home'));
});

const search = (...words: readonly string[]) => program.run(['search', '--root', data, ...words]);
const report = async (...words: readonly string[]): Promise<SearchReport> =>
  JSON.parse((await search('--json', '--wait', '-n', '100', ...words)).out);
const allow = () => program.run(['index', 'text', 'on', '--root', data]);

describe('troupe search', () => {
  it('keeps nothing before the person agreed, which no pipe can', async () => {
    const { code, errors } = await search('pelican');
    expect(code).toBe(2);
    expect(errors).toContain('only you can allow that');
    expect(existsSync(path.join(program.state, 'history', 'text.db'))).toBe(false);
  });

  it('cannot be allowed by a coding agent', async () => {
    const asAgent = { env: { CLAUDECODE: '1' } };
    for (const how of ['on', 'off', 'forget']) {
      const { code, errors } = await program.run(['index', 'text', how, '--root', data], asAgent);
      expect({ how, code }).toEqual({ how, code: 2 });
      expect(errors).toContain('Only a person can do this');
    }
  });

  it('prints where each message is, with the command that opens it, and JSON by its schema', async () => {
    await allow();
    const { out, code } = await search('-n', '1', 'type:general-purpose');
    expect(code).toBe(0);
    const [, command = ''] = /^ +(troupe show .*)$/m.exec(out) ?? [];
    const shown = await program.run(command.split(' ').slice(1));
    expect({ code: shown.code, errors: shown.errors }).toEqual({ code: 0, errors: '' });
    const json = await report('type:general-purpose');
    const schema = JSON.parse(readFileSync(path.join(root, 'schemas/search.schema.json'), 'utf8'));
    const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    expect(check(json), JSON.stringify(check.errors)).toBe(true);
    expect(json).toMatchObject({ matchingSessions: SESSIONS, isRedacted: true, index: { isComplete: true } });
    expect((await search('nowhereatall')).code).toBe(1);
  });

  it.each([
    [['hots:codex'], 'did you mean "host:"?'],
    [['after:soon'], '"after:soon" is not a time.'],
    [['tool:'], '"tool:" needs a value.'],
    [['x'.repeat(100_000)], 'The query has 100,000 characters'],
  ])('says what is wrong with %#', async (words, sentence) => {
    const { code, errors } = await search(...words);
    expect(code).toBe(2);
    expect(errors).toContain(sentence);
  });

  it('finds a line that was written a moment ago', async () => {
    await allow();
    const [file = ''] = filesIn(data).filter((name) => /\/p0\/[^/]+\.jsonl$/.test(name));
    const [line = ''] = readFileSync(file, 'utf8')
      .split('\n')
      .filter((one) => one.includes('"type":"user"'));
    const record = JSON.parse(line);
    const fresh = {
      ...record,
      uuid: '99999999-9999-4999-8999-999999999999',
      message: { role: 'user', content: 'zebrafish' },
    };
    const before = readFileSync(file);
    appendFileSync(file, `${JSON.stringify(fresh)}\n`);
    expect((await report('zebrafish')).hits).toBe(1);
    writeFileSync(file, before);
    expect((await report('zebrafish')).hits).toBe(0);
  });

  it('is the same after kills at random moments, and with several at once', async () => {
    await allow();
    const wanted = await contents();
    await program.run(['index', 'text', 'forget']);
    const random = createRandom();
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = program.start(['index', 'text', 'on', '--root', data]);
      await pace(200 + random() * 600);
      child.kill('SIGKILL');
      await ended;
    }
    await Promise.all([allow(), allow(), search('count')]);
    await allow();
    expect(await contents()).toEqual(wanted);
  });

  it('answers from what is there on a full disk, and says so', async () => {
    const before = ['/bin/sh', '-c', 'ulimit -f 200; exec "$@"', 'sh'];
    const full = await program.run(['index', 'text', 'on', '--root', data], { before });
    expect(full.code).toBe(0);
    const asked = await program.run(['search', '--root', data, '--wait', 'the'], { before });
    expect(asked.out).toMatch(/cannot be brought up to date/);
    await allow();
    expect((await report('the')).index).toMatchObject({ isComplete: true, problem: null });
  });

  it('makes a damaged index again', async () => {
    await allow();
    const wanted = await contents();
    const file = path.join(program.state, 'history', 'text.db');
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x5a, 4_096, bytes.length - 100));
    await search('count');
    await allow();
    expect(await contents()).toEqual(wanted);
  });

  it('goes with the index when that is switched off', async () => {
    await allow();
    await program.run(['index', 'off', '--root', data]);
    expect(readdirSync(path.join(program.state, 'history')).sort()).toEqual(['off', 'text.json']);
  });

  /** What a search finds, without the numbers of rows. */
  async function contents(): Promise<unknown> {
    const { sessions, hits } = await report('--hits', '1000', 'after:1970-01-02');
    const { messages } = JSON.parse((await program.run(['index', 'status', '--json', '--root', data])).out).text;
    return {
      hits,
      messages,
      sessions: sessions.map((one) => [one.id, one.hits, one.messages.map(({ messageId }) => messageId).sort()]),
    };
  }
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
}

/** Under an id of its own, everywhere. */
function copySession(project: string, copy: number): void {
  const [from = ''] = readdirSync(path.join(RECORDING, 'projects'));
  const source = path.join(RECORDING, 'projects', from);
  const [transcript = ''] = readdirSync(source).filter((name) => name.endsWith('.jsonl'));
  const old = path.basename(transcript, '.jsonl');
  const id = `${old.slice(0, -3)}${String(copy).padStart(3, '0')}`;
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const target = path.join(project, name.replaceAll(old, id));
    if (!/\.jsonl?$/.test(name)) continue;
    cpSync(path.join(source, name), target);
    writeFileSync(target, readFileSync(target, 'utf8').replaceAll(old, id));
  }
}
