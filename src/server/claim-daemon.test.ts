import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { claimDaemon } from './claim-daemon.ts';
import { findDaemon } from './control.ts';
import { type Daemon, daemonPath, describeOwn, readDaemonFile, removeOwn, successorPath } from './daemon-file.ts';
import { bundleServing, endAll, type Said, type ServingProcess, startServing } from './testing/processes.ts';

const QUICK = '100';

let scripts = '';
let script = '';
let folder = '';
beforeAll(async () => {
  scripts = makeTemporaryFolder('serving');
  script = await bundleServing(scripts);
});
beforeEach(() => {
  folder = path.join(makeTemporaryFolder('daemon'), 'state');
});
afterEach(async () => {
  await endAll();
  rmSync(path.dirname(folder), { recursive: true, force: true });
});

const start = (recheckMs = '3000'): ServingProcess => startServing(script, [folder, recheckMs]);
const write = (text: string): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(daemonPath(folder), text);
};
const fileNow = async (): Promise<Daemon | undefined> => (await readDaemonFile(daemonPath(folder)))?.daemon;

/** A record of a server that was here once. */
const stale = (fields: Partial<Daemon> = {}): Daemon => ({
  pid: 2 ** 22 + 1,
  procStart: '1',
  port: 9,
  token: 'old',
  startedAt: '2026-01-01T00:00:00.000Z',
  version: '0.0.1',
  epoch: 'old',
  ...fields,
});

async function startAtOnce(count: number): Promise<readonly Said[]> {
  const processes = Array.from({ length: count }, () => start());
  return Promise.all(processes.map((one) => one.next()));
}

async function expectOneServes(said: readonly Said[]): Promise<void> {
  const serving = said.filter(({ role }) => role === 'serving');
  expect(said.map(({ role }) => role).sort()).toEqual([...said.slice(1).map(() => 'found'), 'serving']);
  expect(new Set(said.map(({ to }) => to))).toEqual(new Set([serving[0]?.pid]));
  expect((await findDaemon(folder))?.pid).toBe(serving[0]?.pid);
}

describe('one server for each person', () => {
  it('lets one of ten serve when they start at once', async () => {
    await expectOneServes(await startAtOnce(10));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(daemonPath(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['daemon.json']);
  });

  it('lets one serve when the file of a killed server exists', async () => {
    const first = start();
    expect((await first.next()).role).toBe('serving');
    await first.kill('SIGKILL');
    expect(await findDaemon(folder)).toBeUndefined();
    expect((await fileNow())?.pid).toBe(first.pid);
    await expectOneServes(await startAtOnce(10));
  });

  it('lets one serve when a successor was killed before it took over', async () => {
    write(`${JSON.stringify(stale())}\n`);
    const { text = '' } = (await readDaemonFile(daemonPath(folder))) ?? {};
    writeFileSync(successorPath(folder, text), `${JSON.stringify(stale({ epoch: 'older' }))}\n`);
    await expectOneServes(await startAtOnce(4));
  });

  it('replaces a file that does not belong to a running server', async () => {
    const other = http.createServer((_request, response) => response.end(JSON.stringify({ pid: 1 })));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { token, startedAt, version, epoch } = stale();
    const garbage = ['', '{"pid":', '\u0000'.repeat(100), 'x'.repeat(100_000)];
    // This very process lives, but serves nothing; or somebody else answers at its port.
    const alive = await Promise.all([9, port].map((at) => describeOwn({ port: at, token, startedAt, version, epoch })));
    for (const text of [...garbage, ...[stale(), ...alive].map((one) => JSON.stringify(one))]) {
      write(text);
      const one = start();
      expect([text.slice(0, 80), (await one.next()).role]).toEqual([text.slice(0, 80), 'serving']);
      expect((await findDaemon(folder))?.pid).toBe(one.pid);
      await one.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
    other.close();
  });

  it('removes only its own files on a clean stop', async () => {
    const one = start();
    await one.next();
    await removeOwn(folder, stale());
    expect((await findDaemon(folder))?.pid).toBe(one.pid);
    await one.kill('SIGTERM');
    expect(readdirSync(folder)).toEqual([]);
    const next = start();
    expect((await next.next()).role).toBe('serving');
    const record = readFileSync(daemonPath(folder), 'utf8').replace(/"epoch": "\w+"/, '"epoch": "somebody"');
    write(record);
    await next.kill('SIGTERM');
    expect(readFileSync(daemonPath(folder), 'utf8')).toBe(record);
  });
});

describe('a running server', () => {
  it('writes its file again when it is gone or broken', async () => {
    const one = start(QUICK);
    await one.next();
    for (const harm of [() => rmSync(folder, { recursive: true }), () => write(''), () => write('{"pid":1')]) {
      harm();
      await expect.poll(async () => (await findDaemon(folder))?.pid, { timeout: 30_000 }).toBe(one.pid);
    }
  });

  it('is found by a second start when its file is broken', async () => {
    write('');
    const one = start('500');
    expect((await one.next()).role).toBe('serving');
    write('');
    expect(await start().next()).toMatchObject({ role: 'found', to: one.pid });
  });

  it('reports once that its file cannot be written, and again when it could be in between', async () => {
    const own = await describeOwn({ port: 9, token: 't', startedAt: stale().startedAt, version: '1', epoch: 'own' });
    const told: unknown[] = [];
    const messages = () =>
      told.flatMap((error) => (error instanceof UserError ? `${error.code} ${error.message}` : []));
    // A recheck in progress when the folder was removed may fail in another way first: what counts is the last message.
    const blocked = () => messages().filter((one) => one.startsWith('state-folder ') && one === messages().at(-1));
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const rechecks = (): number => timers.mock.calls.filter(([, ms]) => ms === 11).length;
    const claim = await claimDaemon(folder, own, {
      recheckMs: 11,
      onLost: () => undefined,
      onError: (error) => told.push(error),
    });
    if (claim.role !== 'serving') throw new Error('nobody else is here');
    // A file in place of the folder: nothing can be in it.
    const harm = async (): Promise<void> => {
      const before = blocked().length;
      rmSync(folder, { recursive: true, force: true });
      writeFileSync(folder, '');
      await expect.poll(() => blocked().length).toBeGreaterThan(before);
      const seen = rechecks();
      await expect.poll(rechecks).toBeGreaterThan(seen + 3);
    };
    await harm();
    expect(blocked()).toHaveLength(1);
    rmSync(folder);
    await expect.poll(async () => (await fileNow())?.epoch).toBe('own');
    await harm();
    expect(blocked()).toHaveLength(2);
    await claim.release();
  });

  it('stops when another one serves', async () => {
    const one = start(QUICK);
    await one.next();
    process.kill(one.pid, 'SIGSTOP');
    // Stopped, it does not answer: the next one takes its place.
    const other = start(QUICK);
    expect((await other.next()).role).toBe('serving');
    process.kill(one.pid, 'SIGCONT');
    expect(await one.next()).toMatchObject({ role: 'lost', to: other.pid });
    expect((await findDaemon(folder))?.pid).toBe(other.pid);
  });
});
