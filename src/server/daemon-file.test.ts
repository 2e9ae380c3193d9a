import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { daemonPath, describeOwn, readDaemonFile, removeOwn, sweepLeftovers } from './daemon-file.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('daemon-file');
});

const FIELDS = { port: 4000, token: 'a-b_c', startedAt: '2026-01-01T00:00:00.000Z', version: '1', epoch: 'e1' };
const read = async (record: unknown) => {
  writeFileSync(daemonPath(folder), typeof record === 'string' ? record : JSON.stringify(record));
  return (await readDaemonFile(daemonPath(folder)))?.daemon;
};

describe('daemon.json', () => {
  it('is read as it was written; fields of a later version are ignored', async () => {
    const own = await describeOwn(FIELDS);
    expect(own.pid).toBe(process.pid);
    expect(await read({ ...own, later: true })).toEqual(own);
    expect(await read({ ...own, places: ['/a', 7] })).toEqual({ ...own, places: ['/a'] });
    expect(await read({ ...own, places: 'odd' })).toEqual(own);
    expect(await readDaemonFile(path.join(folder, 'none'))).toBeUndefined();
  });

  it('is ignored when a field is missing or impossible', async () => {
    const own = await describeOwn(FIELDS);
    const odd = [{ port: 80.5 }, { port: 70_000 }, { port: '4000' }, { pid: -1 }, { pid: null }, { epoch: '' }];
    const hostile = [{ token: 'two\nlines' }, { token: 'ümlaut' }, { token: 'x'.repeat(1_000) }, { token: undefined }];
    for (const fields of [...odd, ...hostile])
      expect([fields, await read({ ...own, ...fields })]).toEqual([fields, undefined]);
    const whole = JSON.stringify(own);
    for (const text of ['', 'null', '[]', '7', '\u0000', whole.slice(0, -1), `${whole}x`])
      expect([text, await read(text)]).toEqual([text, undefined]);
  });

  it('gives the person a clear error when it cannot be read', async () => {
    mkdirSync(daemonPath(folder));
    await expect(readDaemonFile(daemonPath(folder))).rejects.toMatchObject({ code: 'state-folder' });
  });

  it('is removed by its owner only', async () => {
    const own = await describeOwn(FIELDS);
    await read(own);
    await removeOwn(folder, { ...own, epoch: 'other' });
    expect(readdirSync(folder)).toEqual(['daemon.json']);
    await removeOwn(folder, own);
    await removeOwn(folder, own);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('loses old leftovers; fresh and foreign files stay', async () => {
    await read(await describeOwn(FIELDS));
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    for (const name of ['daemon.a.next', 'daemon.b.draft', 'server.log', 'daemon.json.bak']) {
      writeFileSync(path.join(folder, name), '');
      utimesSync(path.join(folder, name), old, old);
    }
    writeFileSync(path.join(folder, 'daemon.c.next'), '');
    await sweepLeftovers(folder);
    expect(readdirSync(folder).sort()).toEqual(['daemon.c.next', 'daemon.json', 'daemon.json.bak', 'server.log']);
  });

  it('loses the tokens of servers that ended, however new, and keeps those of running ones', async () => {
    const own = await describeOwn(FIELDS);
    await read(own);
    const { pid: ended = 0 } = spawnSync(process.execPath, ['-e', '']);
    const put = (name: string, daemon: object): void =>
      writeFileSync(path.join(folder, `daemon.${name}`), JSON.stringify(daemon));
    for (let count = 0; count < 20; count++) put(`${count}.next`, { ...own, pid: ended });
    put('ended.draft', { ...own, pid: ended });
    put('running.next', { ...own, pid: process.ppid });
    put('own.next', own);
    await sweepLeftovers(folder);
    expect(readdirSync(folder).sort()).toEqual(['daemon.json', 'daemon.own.next', 'daemon.running.next']);
  });
});
