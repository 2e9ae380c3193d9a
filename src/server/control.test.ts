import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assertWritable, ensureStateFolder, inStateFolder, stateFolder } from '../lib/state-folder.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { readDaemonState, stopDaemon } from './control.ts';
import { daemonPath, describeOwn } from './daemon-file.ts';
import { startInBackground } from './start-in-background.ts';
import { bundleServing } from './testing/processes.ts';

let scripts = '';
let script = '';
let folder = '';
const started = new Set<number>();
beforeAll(async () => {
  scripts = makeTemporaryFolder('serving');
  script = await bundleServing(scripts);
});
beforeEach(() => {
  folder = makeTemporaryFolder('control');
});
afterEach(() => {
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  started.clear();
});

async function start(mode = '') {
  const args = [script, folder, '3000', mode];
  const daemon = await startInBackground({ folder, command: process.execPath, args, env: process.env });
  started.add(daemon.pid);
  return daemon;
}

describe('a background server', () => {
  it('answers when it is started, reports its status, and stops', async () => {
    expect(await readDaemonState(folder)).toEqual({ state: 'none' });
    expect(await stopDaemon(folder)).toEqual({ outcome: 'none' });
    const daemon = await start();
    expect(await readDaemonState(folder)).toMatchObject({
      state: 'running',
      daemon,
      status: { pid: daemon.pid, port: daemon.port, version: '1.2.3', clients: 0 },
    });
    expect(statSync(path.join(folder, 'server.log')).mode & 0o777).toBe(0o600);
    expect(await stopDaemon(folder)).toEqual({ outcome: 'stopped', daemon });
    expect(await readDaemonState(folder)).toEqual({ state: 'none' });
  });

  it('is the same for all who start it at once', async () => {
    const [one, two, three] = await Promise.all([start(), start(), start()]);
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    expect((await stopDaemon(folder)).outcome).toBe('stopped');
  });

  it('reports why it did not start, with its last output', async () => {
    writeFileSync(path.join(folder, 'server.log'), 'words of yesterday\n');
    const failed = await start('fail').catch((error) => error);
    expect(failed).toMatchObject({ code: 'server-not-started', remedy: expect.stringContaining('server.log') });
    expect(failed.message).toBe('The server ended with code 3. Its last words:\nfirst line\nno luck today');
    const missing = startInBackground({ folder, command: '/no/such/program', args: [], env: {} });
    await expect(missing).rejects.toMatchObject({ message: expect.stringContaining('could not be started') });
  });

  it('begins a new log when the old one is long', async () => {
    const log = path.join(folder, 'server.log');
    writeFileSync(log, 'x'.repeat(1024 * 1024 + 1), { mode: 0o644 });
    await start('fail').catch(() => undefined);
    expect(readFileSync(log, 'utf8')).toBe('first line\nno luck today\n');
    expect(statSync(`${log}.1`).size).toBe(1024 * 1024 + 1);
  });

  it('is left alone when it does not answer, and reported when it does not stop', async () => {
    const daemon = await start('deaf');
    expect(await stopDaemon(folder, 200)).toEqual({ outcome: 'stopping', daemon });
    const { token, startedAt, version, epoch } = daemon;
    // This very process, which serves nothing.
    const silent = await describeOwn({ port: 9, token, startedAt, version, epoch });
    writeFileSync(daemonPath(folder), JSON.stringify(silent));
    expect(await stopDaemon(folder)).toEqual({ outcome: 'silent', daemon: silent });
    expect(await readDaemonState(folder)).toEqual({ state: 'silent', daemon: silent });
  });

  it('is recognised as paused, and ends when stopped', async () => {
    const daemon = await start();
    process.kill(daemon.pid, 'SIGSTOP');
    expect(await readDaemonState(folder)).toEqual({ state: process.platform === 'linux' ? 'paused' : 'stuck', daemon });
    expect((await stopDaemon(folder)).outcome).toBe(process.platform === 'linux' ? 'stopped' : 'killed');
    expect(await readDaemonState(folder)).toEqual({ state: 'none' });
  });

  it('is killed when it neither answers nor ends', async () => {
    const daemon = await start('stuck');
    process.kill(daemon.pid, 'SIGUSR2');
    await expect.poll(async () => (await readDaemonState(folder)).state, { timeout: 30_000 }).toBe('stuck');
    expect(await stopDaemon(folder, 500)).toEqual({ outcome: 'killed', daemon });
    expect(await readDaemonState(folder)).toEqual({ state: 'none' });
  });

  it('is not found when the file has the number of another process', async () => {
    const daemon = await start();
    writeFileSync(daemonPath(folder), JSON.stringify({ ...daemon, pid: process.pid }));
    expect(['none', 'silent']).toContain((await stopDaemon(folder)).outcome);
  });
});

describe('the state folder', () => {
  it('is the one that the person set, else the XDG one', () => {
    expect(stateFolder({ env: { TROUPE_HOME: '/t', XDG_STATE_HOME: '/x' }, home: '/h' })).toBe('/t');
    expect(stateFolder({ env: { XDG_STATE_HOME: '/x' }, home: '/h' })).toBe('/x/troupe');
    expect(stateFolder({ env: { XDG_STATE_HOME: 'x', TROUPE_HOME: '' }, home: '/h' })).toBe('/h/.local/state/troupe');
    expect(stateFolder({ env: { TROUPE_HOME: 'here' }, home: '/h' })).toBe(path.resolve('here'));
  });

  it('is readable by its owner only', async () => {
    const made = path.join(folder, 'a', 'b');
    await ensureStateFolder(made);
    expect(statSync(made).mode & 0o777).toBe(0o700);
    const open = path.join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    await ensureStateFolder(open);
    // One that the person made stays as it is.
    expect(statSync(open).mode & 0o777).toBe(0o755);
  });

  it('gives the person a clear error when it cannot exist', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    await expect(ensureStateFolder(path.join(folder, 'file'))).rejects.toMatchObject({
      code: 'state-folder',
      remedy: expect.stringContaining('TROUPE_HOME'),
    });
  });

  it.runIf(process.platform === 'linux')(
    'gives the person a clear error when its disk is full or read-only',
    async () => {
      await expect(inStateFolder(folder, () => writeFile('/dev/full', 'x'))).rejects.toMatchObject({
        code: 'state-folder',
        message: expect.stringContaining('ENOSPC'),
        remedy: expect.stringContaining('Make room on its disk'),
      });
      await expect(assertWritable('/sys/kernel')).rejects.toMatchObject({ code: 'state-folder' });
      await assertWritable(folder);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});
