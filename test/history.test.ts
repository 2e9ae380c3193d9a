// The index as people use it: the built program, several at once, killed at any moment.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../src/lib/testing/seed.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { pace, until } from '../src/lib/testing/waiting.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const FIXTURES = path.join(root, 'src/hosts/claude-code/fixtures');
/** `TROUPE_KILLS=200 npx vitest run test/history.test.ts` takes minutes. */
const KILLS = Number(process.env['TROUPE_KILLS'] ?? 12);
const SESSIONS = 20;

let data: string;
/** Without an index. */
let plain: string;
beforeAll(async () => {
  data = makeTemporaryFolder('history-data');
  const recording = path.join(FIXTURES, '2.1.325-nested');
  for (let copy = 0; copy < SESSIONS; copy++) copySession(recording, path.join(data, 'projects', `p${copy % 4}`), copy);
  const program = programIn(makeTemporaryFolder('history-home'));
  await program.run(['index', 'off']);
  plain = (await list(program)).out;
  expect(JSON.parse(plain).sessions).toHaveLength(SESSIONS);
  // Files that were written just now are not kept.
  const written = Math.max(...filesIn(data).map((file) => statSync(file).ctimeMs));
  await until(() => Date.now() - written > 3_000, 'quiet files');
});

let program: ProgramHome;
let index: string;
beforeEach(() => {
  program = programIn(makeTemporaryFolder('history-home'));
  index = path.join(program.state, 'history');
});
afterEach(() => program.end());

async function list(on: ProgramHome) {
  const { errors, ...rest } = await on.run(['ls', '--all', '--json', '--root', data]);
  // On a busy machine it prints how far it is.
  return { ...rest, errors: errors.replace(/^Reading: .*\n/gm, '') };
}
const status = async () => JSON.parse((await program.run(['index', 'status', '--json', '--root', data])).out);

describe('troupe index', () => {
  it('keeps what `ls` read, and reports it', async () => {
    expect(await status()).toMatchObject({ state: 'on', indexedSessions: 0, sessions: SESSIONS });
    expect(await list(program)).toEqual({ code: 0, out: plain, errors: '' });
    const report = await status();
    expect(report).toMatchObject({ state: 'on', problem: null, indexedSessions: SESSIONS, sessions: SESSIONS });
    const schema = JSON.parse(readFileSync(path.join(root, 'schemas/index.schema.json'), 'utf8'));
    const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    expect(check(report), JSON.stringify(check.errors)).toBe(true);
    expect((await list(program)).out).toBe(plain);
    const { out } = await program.run(['index', 'status', '--root', data]);
    expect(out).toMatch(/^20 of 20 sessions in the index, /);
  });

  it('keeps nothing between `off` and `on`', async () => {
    await list(program);
    expect((await program.run(['index', 'off'])).out).toMatch(/^The index is off/);
    expect(await list(program)).toEqual({ code: 0, out: plain, errors: '' });
    expect(readdirSync(index)).toEqual(['off']);
    expect((await program.run(['index', 'on', '--root', data])).out).toMatch(/^0 of 20 sessions/);
    await program.run(['index', 'rebuild', '--root', data]);
    expect(await status()).toMatchObject({ indexedSessions: SESSIONS });
  });

  it('is left alone when TROUPE_INDEX=off', async () => {
    const env = { TROUPE_INDEX: 'off' };
    const { out } = await program.run(['ls', '--all', '--json', '--root', data], { env });
    expect(out).toBe(plain);
    expect(existsSync(index)).toBe(false);
  });

  it('says what old sessions take, and deletes nothing unless a person said so', async () => {
    const before = filesIn(data);
    const space = JSON.parse((await program.run(['prune', '--json', '--root', data])).out);
    expect(space).toMatchObject({ sessions: SESSIONS, chosen: [], isDeleted: false });
    expect(space.groups.reduce((sum: number, { sessions }: { sessions: number }) => sum + sessions, 0)).toBe(SESSIONS);
    const alone = await program.run(['prune', '--older-than', '2099-01-01', '--delete', '--root', data]);
    expect(alone).toMatchObject({ code: 2, out: '' });
    const env = { CLAUDECODE: '1' };
    const agent = await program.run(['prune', '--older-than', '1d', '--delete', '--yes', '--root', data], { env });
    expect(agent).toMatchObject({ code: 2, out: '' });
    expect(agent.errors).toContain('Only a person can do this');
    expect(filesIn(data)).toEqual(before);
  });

  it('is the same after kills at random moments', async () => {
    const random = createRandom();
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = program.start(['ls', '--all', '--json', '--root', data]);
      await pace(100 + random() * 500);
      child.kill('SIGKILL');
      await ended;
    }
    expect(await list(program)).toEqual({ code: 0, out: plain, errors: '' });
    expect(await status()).toMatchObject({ indexedSessions: SESSIONS });
    expect((await list(program)).out).toBe(plain);
  });

  it('serves several that write and read at once', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => list(program)));
    for (const run of runs) expect(run).toEqual({ code: 0, out: plain, errors: '' });
    expect(await status()).toMatchObject({ indexedSessions: SESSIONS });
  });

  it('says once that the disk is full, and lists all the same', async () => {
    const before = ['/bin/sh', '-c', 'ulimit -f 64; exec "$@"', 'sh'];
    const full = await program.run(['ls', '--all', '--json', '--root', data], { before });
    expect({ code: full.code, out: full.out }).toEqual({ code: 0, out: plain });
    expect(full.errors.match(/The index cannot be used/g)).toHaveLength(1);
    expect(await list(program)).toEqual({ code: 0, out: plain, errors: '' });
  });

  it.runIf(canMount)(
    'lists all the same on a read-only disk, with and without an index, and says so once',
    async () => {
      const before = ['unshare', '-rm', '/bin/sh', '-c', READ_ONLY, 'sh', program.home];
      for (const isFilled of [false, true]) {
        if (isFilled) await list(program);
        const run = await program.run(['ls', '--all', '--json', '--root', data], { before });
        expect({ code: run.code, out: run.out }).toEqual({ code: 0, out: plain });
        expect(run.errors.match(/The index cannot be used/g)).toHaveLength(1);
      }
      expect(await list(program)).toEqual({ code: 0, out: plain, errors: '' });
      expect(await status()).toMatchObject({ state: 'on', indexedSessions: SESSIONS });
    },
  );

  it('is made again if it is damaged', async () => {
    await list(program);
    for (const name of readdirSync(index)) if (name !== 'index.db') rmSync(path.join(index, name));
    const file = path.join(index, 'index.db');
    const bytes = readFileSync(file);
    // Behind the header, where only a reader notices.
    writeFileSync(file, bytes.fill(0x5a, 4_096, bytes.length - 100));
    expect((await list(program)).out).toBe(plain);
    await list(program);
    expect(await status()).toMatchObject({ state: 'on', indexedSessions: SESSIONS });
  });
});

/** With a file system of its own, in which the folder can only be read. */
const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';
const canMount = isPossible(() => {
  const folder = makeTemporaryFolder('history-read-only');
  execFileSync('unshare', ['-rm', '/bin/sh', '-c', READ_ONLY, 'sh', folder, 'true'], { stdio: 'ignore' });
});

function isPossible(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

describe('a running server', () => {
  it('and several that build, list and write leave an index that equals the files', async () => {
    const folder = path.join(program.home, '.claude');
    const recording = path.join(FIXTURES, '2.1.325-nested');
    for (let copy = 0; copy < 12; copy++) copySession(recording, path.join(folder, 'projects', `p${copy % 3}`), copy);
    const { child, out, ended } = program.start(['--no-open', '--json']);
    await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
    const running = [
      ['index', 'build'],
      ['index', 'rebuild'],
      ['ls', '--all'],
      ['index', 'build'],
    ].map((args) => program.run([...args, '--json']));
    for (let copy = 12; copy < 18; copy++) copySession(recording, path.join(folder, 'projects', `p${copy % 3}`), copy);
    for (const { code, errors } of await Promise.all(running)) {
      expect(code, errors).toBe(0);
      expect(errors.replace(/^Reading: .*\n/gm, '')).toBe('');
    }
    const build = JSON.parse((await program.run(['index', 'build', '--json'])).out);
    expect(build).toMatchObject({ state: 'on', indexedSessions: 18, sessions: 18 });
    const listed = async (env = {}) => JSON.parse((await program.run(['ls', '--all', '--json'], { env })).out);
    expect(await listed()).toEqual(await listed({ TROUPE_INDEX: 'off' }));
    child.kill('SIGTERM');
    await ended;
  });
});

describe('sessions that were written just now', () => {
  const recording = path.join(FIXTURES, '2.1.325-nested');

  it('are in the index after `index build`', async () => {
    const young = path.join(program.home, '.claude');
    for (let copy = 0; copy < 3; copy++) copySession(recording, path.join(young, 'projects', 'p'), copy);
    const report = JSON.parse((await program.run(['index', 'build', '--json'])).out);
    expect(report).toMatchObject({ indexedSessions: 3, sessions: 3 });
  });

  it('are read by a running server, although its own build was before', async () => {
    const folder = path.join(program.home, '.claude');
    const addOld = (copy: number): void => {
      copySession(recording, path.join(folder, 'projects', `p${copy}`), copy);
      // Older than what the server follows.
      for (const file of filesIn(path.join(folder, 'projects', `p${copy}`))) utimesSync(file, WEEK_AGO, WEEK_AGO);
    };
    addOld(0);
    const { child, out, ended } = program.start(['--no-open', '--json']);
    await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
    const { port, token } = JSON.parse(readFileSync(path.join(program.state, 'daemon.json'), 'utf8'));
    const counts = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const { total, unread } = await (await fetch(`http://127.0.0.1:${port}/api/session-list`, { headers })).json();
      return { total, unread };
    };
    await until(async () => (await counts()).unread === 0, 'the first session');
    for (const copy of [1, 2]) {
      addOld(copy);
      await expect.poll(counts, { timeout: 30_000 }).toEqual({ total: copy + 1, unread: 0 });
    }
    // Copies that depend on others in their folder, of which one is followed.
    const branches = path.join(FIXTURES, '2.1.325-branch-of-branch');
    cpSync(path.join(branches, 'projects'), path.join(folder, 'projects'), { recursive: true });
    const copies = filesIn(path.join(folder, 'projects')).filter((name) => /branch-of[^/]*\/[^/]*\.jsonl$/.test(name));
    for (const file of copies.slice(1)) utimesSync(file, WEEK_AGO, WEEK_AGO);
    await expect.poll(counts, { timeout: 30_000 }).toEqual({ total: 3 + copies.length, unread: 0 });
    child.kill('SIGTERM');
    await ended;
  });
});

const WEEK_AGO = new Date(Date.now() - 7 * 86_400_000);

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
}

/** Under an id of its own, everywhere. */
function copySession(recording: string, project: string, copy: number): void {
  const [from = ''] = readdirSync(path.join(recording, 'projects'));
  const source = path.join(recording, 'projects', from);
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
