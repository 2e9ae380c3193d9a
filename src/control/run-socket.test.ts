import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Steered } from '../core/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { addressFile, findRun, openRunSocket, type RunSteering, writeAddress } from './run-socket.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('doors');
});

const agent = (id: string, isAtWork = true) => ({ root: '/data', session: 's1', agent: id, isAtWork });

function recording(): { readonly steering: RunSteering; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const steering: RunSteering = {
    async send(to, message) {
      asked.push(['send', to, message]);
      return { words: 'It has the message.' };
    },
    async stop(which) {
      asked.push(['stop', which]);
      if (which === 'broken') throw new Error('no way');
      return { whyNot: 'it would not.' };
    },
  };
  return { steering, asked };
}

describe('a run that others can reach', () => {
  it('is found by its session once that is known', async () => {
    const { steering, asked } = recording();
    const socket = await openRunSocket(folder, 'r1', steering);
    expect(await findRun(folder, 's1')).toBeUndefined();
    socket.name('s1');
    expect(await findRun(folder, 's2')).toBeUndefined();
    const run = await findRun(folder, 's1');
    expect(await run?.send(agent('a1'), 'Line\n"two" 🙂')).toEqual({ words: 'It has the message.' });
    expect(await run?.send(agent('s1'), 'To main')).toEqual({ words: 'It has the message.' });
    expect(await run?.stop(agent('a1'))).toEqual({ whyNot: 'it would not.' });
    expect(await run?.stop(agent('broken'))).toEqual({ whyNot: 'the run failed: no way.' });
    expect(asked).toEqual([
      ['send', 'a1', 'Line\n"two" 🙂'],
      ['send', undefined, 'To main'],
      ['stop', 'a1'],
      ['stop', 'broken'],
    ]);
    await socket.close();
    expect(await findRun(folder, 's1')).toBeUndefined();
    expect(readdirSync(path.join(folder, 'runs'))).toEqual([]);
  });

  it('refuses requests about agents that have ended', async () => {
    const { steering, asked } = recording();
    const socket = await openRunSocket(folder, 'r1', steering);
    socket.name('s1');
    const run = await findRun(folder, 's1');
    expect(await run?.send(agent('a1', false), 'x')).toEqual({
      whyNot: 'it has ended; troupe attach goes on from it.',
    });
    expect(await run?.stop(agent('a1', false))).toEqual({ whyNot: 'it is not at work.' });
    expect(asked).toEqual([]);
    await socket.close();
  });

  it.skipIf(process.platform === 'win32')('is accessible to its owner only', async () => {
    const socket = await openRunSocket(folder, 'r1', recording().steering);
    const file = path.join(folder, 'runs/r1.door');
    const { address } = JSON.parse(readFileSync(file, 'utf8'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(address)).mode & 0o777).toBe(0o700);
    await socket.close();
    expect(existsSync(path.dirname(address))).toBe(false);
  });

  it('reports when it ends in the middle of a request', async () => {
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const never = (): Promise<Steered> => {
      isAsked();
      return new Promise(() => {});
    };
    const socket = await openRunSocket(folder, 'r1', { send: never, stop: never });
    socket.name('s1');
    const run = await findRun(folder, 's1');
    const answer = run?.stop(agent('a1'));
    await asked;
    await socket.close();
    expect(await answer).toEqual({ whyNot: 'its run has ended.' });
  });

  it.skipIf(process.platform === 'win32')('is not found after it was killed, and leaves nothing behind', async () => {
    const own = mkdtempSync(path.join(folder, 'socket-'));
    const address = path.join(own, 'door');
    const listening = 'require("net").createServer().listen(process.argv[1], () => console.log("open"))';
    const child = spawn(process.execPath, ['-e', listening, address], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const file = addressFile(folder, 'r9');
    mkdirSync(path.dirname(file));
    writeAddress(file, { address, session: 's1' });
    expect(await findRun(folder, 's1')).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await findRun(folder, 's1')).toBeUndefined();
    expect([existsSync(file), existsSync(own)]).toEqual([false, false]);
  });
});
