import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../core/index.ts';
import { takeLock } from '../lib/lock-file.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { type DrainOptions, drain } from './drain.ts';
import { verifyLog } from './guard-log.ts';
import { lockPath } from './log-files.ts';
import { queueEvent } from './queue.ts';
import { readLog } from './read-log.ts';
import { MAIN, testOptions } from './testing/spool-host.ts';

let folder = '';
let options: DrainOptions;
beforeEach(() => {
  folder = makeTemporaryFolder('drain');
  options = testOptions(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const spool = (...names: string[]): string => path.join(folder, 'spool', ...names);
const put = (fields: object, extra: object = {}, host = 'test'): void =>
  queueEvent(folder, host, Buffer.from(JSON.stringify({ event: 'Pre', session: 's1', ...fields })), extra);
const hookLines = (file: string): readonly { id: string; at: number; payload: unknown }[] =>
  readFileSync(path.join(folder, 'hooks', file), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

async function entries(): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const entry of readLog(folder, { order: 'oldest' })) found.push(entry);
  return found;
}

describe('drain', () => {
  it('does nothing and creates nothing when there is no queue', async () => {
    expect(await drain(options)).toEqual({ events: 0, entries: 0, bad: 0, isBusy: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps once who started a session, in its own file and in that of the starting session', async () => {
    for (const seq of [1, 2]) put({ tool: 'Read', quiet: true, seq }, { parent: 'test:above:a7:call-1' });
    await drain(options);
    put({ tool: 'Read', quiet: true, seq: 3 }, { parent: 'test:above:a7:call-1' });
    put({ tool: 'Read', quiet: true, session: 's2', seq: 4 }, { parent: 'nobody-known:above:a7' });
    await drain(options);
    const startedBy = 'test:above:a7:call-1';
    expect(hookLines('test/s1.jsonl')).toEqual([{ id: expect.any(String), at: expect.any(Number), startedBy }]);
    expect(hookLines('test/above.jsonl')).toEqual([
      { id: expect.any(String), at: expect.any(Number), startedBy, started: 'test:s1' },
    ]);
    expect(readdirSync(path.join(folder, 'hooks'))).toEqual(['test']);
    expect(await entries()).toHaveLength(4);
  });

  it('keeps an injected result as such, in one chain with older entries', async () => {
    put(
      { tool: 'Bash', input: { command: 'npm test' }, seq: 1 },
      { decision: 'deny', rule: 'inject:1', via: 'intercept' },
    );
    await drain(options);
    put(
      { tool: 'Bash', input: { command: 'npm test' }, seq: 2 },
      { decision: 'inject', rule: 'inject:1', via: 'intercept' },
    );
    await drain(options);
    expect((await entries()).map(({ decision }) => decision)).toEqual(['deny', 'inject']);
    expect(await verifyLog(folder)).toMatchObject({ entries: 2, problems: [] });
  });

  it('makes an entry of each call and keeps the lines about the tree', async () => {
    put({ tool: 'Bash', input: { command: 'ls' }, seq: 1, agent: 'a7' }, { decision: 'none', ms: 1.5, ppid: 7 });
    put({ event: 'Stop', seq: 2 });
    put({ tool: 'Read', quiet: true, seq: 3 }, { ppid: 7 }, 'other.host');
    const first = readdirSync(spool()).find((name) => name.startsWith('test.')) ?? '';
    const { mtimeMs, mtimeNs } = statSync(spool(first), { bigint: true });
    expect(await drain(options)).toEqual({ events: 3, entries: 2, bad: 0, isBusy: false });
    expect(await entries()).toMatchObject([
      {
        v: 1,
        n: 1,
        id: `${first}@${mtimeNs}`,
        at: new Date(Number(mtimeMs)).toISOString(),
        host: 'test',
        event: 'Pre',
        session: 's1',
        agent: { who: 'subagent', id: 'a7', type: 'tester' },
        tool: 'Bash',
        call: '1',
        summary: 'a subject',
        input: { command: 'ls' },
        cwd: null,
        decision: 'none',
        rule: null,
        reason: null,
        ms: 1.5,
        prev: '0'.repeat(64),
      },
      { n: 2, tool: 'Read', agent: MAIN, decision: 'observed', ms: null },
    ]);
    expect(hookLines('test/s1.jsonl')).toEqual([
      { id: `${first}@${mtimeNs}`, at: Number(mtimeMs), payload: { seq: 1 } },
      { id: expect.any(String), at: expect.any(Number), payload: { seq: 2 } },
    ]);
    expect(readdirSync(spool())).toEqual([]);
    expect((await verifyLog(folder)).problems).toEqual([]);
    for (const file of [
      'audit/head.json',
      `audit/${new Date().toISOString().slice(0, 10)}.jsonl`,
      'hooks/test/s1.jsonl',
    ])
      expect([file, statSync(path.join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it('handles events in the order of their times, in batches', async () => {
    for (let i = 0; i < 1_201; i++) put({ tool: 'Bash', seq: i });
    const names = readdirSync(spool());
    for (const name of names) {
      const seq = JSON.parse(readFileSync(spool(name), 'utf8').split('\n')[0] ?? '').seq;
      utimesSync(spool(name), 1_800_000_000, 1_800_000_000 + ((seq * 7) % 1_201));
    }
    expect(await drain({ ...options, clock: () => 1_900_000_000_000 })).toMatchObject({
      events: 1_201,
      entries: 1_201,
    });
    const seqs = (await entries()).map(({ call }) => (Number(call) * 7) % 1_201);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  it('keeps events with equal names apart', async () => {
    for (const seq of [1, 2]) {
      put({ tool: 'Bash', seq });
      const [name = ''] = readdirSync(spool());
      const there = spool('test.77.0.json');
      writeFileSync(there, readFileSync(spool(name)));
      utimesSync(there, 1_800_000_000 + seq, 1_800_000_000 + seq);
      rmSync(spool(name));
      await drain(options);
    }
    expect((await entries()).map(({ call }) => call)).toEqual(['1', '2']);
  });

  it('reads payloads of many megabytes and of several lines, also without our line', async () => {
    put({ tool: 'Write', input: { content: 'x'.repeat(12_000_000) }, seq: 1 });
    const payload = JSON.stringify({ event: 'Pre', session: 's1', tool: 'Read', seq: 2 }, null, 2);
    writeFileSync(spool('test.1.1.json'), payload);
    writeFileSync(spool('test.1.2.json'), `${payload.replace('2', '3')}\n\n{"ppid":1}\n`);
    expect(await drain(options)).toMatchObject({ events: 3, entries: 3, bad: 0 });
  });

  it('continues when the folder for unreadable events cannot be created', async () => {
    put({ tool: 'Bash', seq: 1 });
    writeFileSync(spool('test.1.7.json'), 'nobody knows');
    writeFileSync(spool('bad'), 'in the way');
    expect(await drain(options)).toMatchObject({ events: 1, entries: 1, bad: 1 });
    expect(readdirSync(spool()).toSorted()).toEqual(['bad', expect.stringMatching(/^bad-test\.1\.7\.json@\d+$/)]);
    expect(await drain(options)).toMatchObject({ events: 0, bad: 0 });
  });

  it('sets unreadable events aside and continues', async () => {
    put({ tool: 'Bash', seq: 1 });
    const isRoot = process.getuid?.() === 0;
    const bad: Readonly<Record<string, string>> = {
      'test.1.1.json': '',
      'test.1.2.json': '{"event":',
      'test.1.3.json': '{"some":"thing"}\n{"ppid":1}\n',
      'nobody.1.4.json': '{"event":"Pre","session":"s"}\n{}\n',
      'noname.json': '{}',
      'test.1.5.json': '\u0000\u0000\n{"ppid":1}\n',
    };
    for (const [name, text] of Object.entries(bad)) writeFileSync(spool(name), text);
    mkdirSync(spool('test.1.6.json'));
    symlinkSync('/dev/zero', spool('test.1.7.json'));
    spawnSync('sh', ['-c', 'mkfifo "$0"', spool('test.1.8.json')]);
    if (!isRoot) {
      writeFileSync(spool('test.1.9.json'), '{}');
      chmodSync(spool('test.1.9.json'), 0);
    }
    expect(await drain(options)).toMatchObject({ events: 1, entries: 1, bad: isRoot ? 9 : 10 });
    expect(readdirSync(spool())).toEqual(['bad']);
    const kept = readdirSync(spool('bad')).find((name) => name.startsWith('test.1.2.json@')) ?? '';
    expect(readFileSync(spool('bad', kept), 'utf8')).toBe('{"event":');
    expect(await drain(options)).toMatchObject({ events: 0, bad: 0 });
  });

  it('leaves events that are still being written, and takes complete ones whose writer has died', async () => {
    const old = new Date(Math.round(Date.now() / 1000) * 1000 - 11 * 60_000);
    mkdirSync(spool());
    const whole = '{"event":"Pre","session":"s1","tool":"Bash","seq":1}\n{"ppid":1}\n';
    writeFileSync(spool('.new-test.4194305.0'), whole);
    writeFileSync(spool('.new-test.4194306.0'), whole);
    writeFileSync(spool('.new-test.4194305.1'), whole.slice(0, 20));
    writeFileSync(spool(`.new-test.${process.pid}.0`), whole);
    for (const name of ['.new-test.4194305.0', '.new-test.4194305.1', `.new-test.${process.pid}.0`])
      utimesSync(spool(name), old, old);
    expect(await drain(options)).toEqual({ events: 1, entries: 1, bad: 1, isBusy: false });
    expect(readdirSync(spool()).sort()).toEqual(['.new-test.4194306.0', `.new-test.${process.pid}.0`, 'bad'].sort());
    expect(await entries()).toMatchObject([{ at: old.toISOString(), call: '1' }]);
  });

  it('runs one at a time; the other reports it, or waits', async () => {
    put({ tool: 'Bash', seq: 1 });
    const lock = await takeLock(lockPath(folder));
    expect(await drain(options)).toEqual({ events: 0, entries: 0, bad: 0, isBusy: true });
    const waiting = drain({ ...options, patienceMs: 10_000 });
    await lock?.release();
    expect(await waiting).toMatchObject({ events: 1, isBusy: false });
    for (let i = 0; i < 20; i++) put({ tool: 'Bash', seq: i });
    const drained = await Promise.all(Array.from({ length: 5 }, () => drain(options)));
    expect(drained.reduce((sum, { entries }) => sum + entries, 0)).toBe(20);
  });

  it('passes new events to the tracker once while it looks for a caller', async () => {
    put({ tool: 'Bash', seq: 1 });
    let found: (agent: typeof MAIN) => void = () => {};
    const identify = () => new Promise<typeof MAIN>((resolve) => (found = resolve));
    const drained = drain({ ...options, identify });
    await vi.waitFor(() => expect(hookLines('test/s1.jsonl')).toHaveLength(1), { timeout: 30_000 });
    put({ event: 'Stop', seq: 2 });
    await vi.waitFor(() => expect(hookLines('test/s1.jsonl')).toHaveLength(2), { timeout: 30_000 });
    expect(await entries()).toEqual([]);
    found(MAIN);
    expect(await drained).toMatchObject({ events: 2, entries: 1 });
    expect(hookLines('test/s1.jsonl').map(({ payload }) => payload)).toEqual([{ seq: 1 }, { seq: 2 }]);
  });

  it('names no agent when the caller cannot be looked up', async () => {
    put({ tool: 'Bash', seq: 1 });
    await drain({ ...options, identify: () => Promise.reject(new Error('no such tree')) });
    expect((await entries())[0]?.agent).toMatchObject({
      who: 'unknown',
      evidence: 'none',
      reason: 'it could not be looked up: no such tree',
    });
  });

  it('writes nothing outside its folder, whatever the session id', async () => {
    put({ tool: 'Bash', session: '../../../evil', seq: 1 });
    put({ tool: 'Bash', session: '.', seq: 2 });
    expect(await drain(options)).toMatchObject({ events: 2, entries: 2 });
    expect(existsSync(path.join(folder, 'hooks'))).toBe(false);
    expect((await entries())[0]?.session).toBe('../../../evil');
  });

  it('masks secrets in every field before it writes', async () => {
    const secret = `ghp_${'aB3dE5gH1j'.repeat(4)}`;
    const push = `push with ${secret}`;
    put({ tool: push, subject: push, input: { push }, cwd: push, note: push, seq: 1 }, { rule: push, reason: push });
    const agent = { ...MAIN, id: push, type: push, name: push, path: ['main', push], reason: push };
    await drain({ ...options, identify: async () => agent });
    const masked = 'push with [masked github-token]';
    expect((await entries())[0]).toMatchObject({
      agent: { id: masked, type: masked, name: masked, path: ['main', masked], reason: masked },
      tool: masked,
      summary: masked,
      input: { push: masked },
      cwd: masked,
      rule: masked,
      reason: masked,
    });
    expect(hookLines('test/s1.jsonl')[0]?.payload).toEqual({ seq: 1, note: masked });
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
    for (const file of files.filter((one) => statSync(one).isFile()))
      expect([file, readFileSync(file, 'utf8').includes(secret)]).toEqual([file, false]);
  });

  it('reports its work in one line, with what it left out', async () => {
    const token = `ghp_${'aB3dE5gH1j'.repeat(4)}`;
    const subjects = {
      ls: 'ls',
      ' \n\tls -l  \n\n': 'ls -l',
      'ls\nrm -rf build': 'ls … (+1 line)',
      'ls\r\n\r\nrm -rf build\r\nls\r\n': 'ls … (+2 lines)',
      [`${'y '.repeat(195)}${token}\nls`]: `${'y '.repeat(195)}[masked github-token]… [3 more characters]`,
      ['z'.repeat(1_000)]: `${'z'.repeat(400)}… [600 more characters]`,
      [`${'z'.repeat(1_000)}\nls`]: `${'z'.repeat(400)}… [603 more characters]`,
      'export PASSWORD=\\\nhunter2': 'export PASSWORD=\\ … (+1 line)',
      ' \n': null,
    };
    for (const subject of Object.keys(subjects)) put({ tool: 'Bash', subject });
    await drain(options);
    expect((await entries()).map(({ summary }) => summary)).toEqual(Object.values(subjects));
  });

  it('cuts very long names, and writes how much is missing', async () => {
    const long = 'x'.repeat(100_000);
    put({ tool: long, seq: 1 });
    const agent = { ...MAIN, path: ['main', long] };
    await drain({ ...options, identify: async () => agent });
    const cut = `${'x'.repeat(200)}… [99800 more characters]`;
    expect((await entries())[0]).toMatchObject({ tool: cut, agent: { path: ['main', cut] } });
  });
});

describe('drain that cannot write', () => {
  it('reports why, and leaves the queue and the log complete', async () => {
    put({ tool: 'Bash', seq: 1 });
    await drain(options);
    put({ tool: 'Bash', seq: 2 });
    // The first line of a drain goes to the tracker's file, the second to the log.
    await fillDisk({ afterAppends: 1 });
    await expect(drain(options)).rejects.toMatchObject({
      code: 'audit-write',
      message: expect.stringContaining('full'),
    });
    expect(readdirSync(spool())).toHaveLength(1);
    vi.restoreAllMocks();
    expect(await drain(options)).toMatchObject({ events: 1, entries: 1 });
    expect((await entries()).map(({ call }) => call)).toEqual(['1', '2']);
    expect((await verifyLog(folder)).problems).toEqual([]);
    expect(hookLines('test/s1.jsonl').map(({ payload }) => payload)).toEqual([{ seq: 1 }, { seq: 2 }]);
  });
});

/** What is appended to any file from then on fails as on a full disk. */
async function fillDisk({ afterAppends }: { readonly afterAppends: number }): Promise<void> {
  const handle = await open(folder);
  const handles = Object.getPrototypeOf(handle);
  await handle.close();
  const { appendFile } = handles;
  let appends = 0;
  vi.spyOn(handles, 'appendFile').mockImplementation(async function (this: unknown, ...args: unknown[]) {
    if (appends++ < afterAppends) return appendFile.apply(this, args);
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  });
}

it('records where the log begins before it writes the first line', async () => {
  put({ tool: 'Bash', seq: 1 });
  await fillDisk({ afterAppends: 1 });
  await expect(drain(options)).rejects.toMatchObject({ code: 'audit-write' });
  expect(JSON.parse(readFileSync(path.join(folder, 'audit', 'head.json'), 'utf8'))).toEqual({
    n: 0,
    hash: '0'.repeat(64),
  });
});

describe('the queue writer', () => {
  it('never replaces an event that waits or is being written', () => {
    put({ seq: 1 });
    const [first = ''] = readdirSync(spool());
    const count = Number(first.split('.')[2]);
    const name = (more: number): string => `test.${process.pid}.${count + more}`;
    writeFileSync(spool(`${name(1)}.json`), 'waits');
    writeFileSync(spool(`.new-${name(2)}`), 'half');
    writeFileSync(spool(`${name(3)}.json`), 'waits');
    writeFileSync(spool(`.new-${name(3)}`), 'half');
    put({ seq: 2 }, { ppid: 9 });
    expect(readFileSync(spool(`${name(4)}.json`), 'utf8')).toBe('{"event":"Pre","session":"s1","seq":2}\n{"ppid":9}\n');
    expect(statSync(spool(`${name(4)}.json`)).mode & 0o777).toBe(0o600);
    expect([1, 3].map((more) => readFileSync(spool(`${name(more)}.json`), 'utf8'))).toEqual(['waits', 'waits']);
    expect([2, 3].map((more) => readFileSync(spool(`.new-${name(more)}`), 'utf8'))).toEqual(['half', 'half']);
    expect(readdirSync(spool())).toHaveLength(6);
  });

  it('leaves nothing behind when it cannot write', () => {
    writeFileSync(spool(), 'no folder');
    expect(() => put({ seq: 1 })).toThrow();
    expect(readdirSync(folder)).toEqual(['spool']);
  });
});
