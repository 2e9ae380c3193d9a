import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeStubs, runAlong, type Stubs } from './testing/stubs.ts';

// The guard while a server has it wait for a person's answer.

let stubs: Stubs;
let listener: net.Server | undefined;
let sockets: net.Socket[] = [];
beforeEach(async () => {
  stubs = await makeStubs();
});
afterEach(() => {
  listener?.close();
  for (const socket of sockets) socket.destroy();
  sockets = [];
});

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n';

async function listen(answer: (socket: net.Socket) => void): Promise<void> {
  listener = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;
  writeFileSync(path.join(stubs.state, 'hook-address'), `${process.pid} ${port} key PROOF\n`);
}

const FROM_NODE = { status: 0, stdout: 'from node', stderr: '' };

describe('a guard that the server asks to wait', () => {
  it('waits longer than for an answer, and prints the answer', async () => {
    await listen((socket) => {
      socket.write(`${HEAD}PROOF\nhold 20\n\0`);
      setTimeout(() => socket.write('PROOF\n{"a'), 2_500);
      setTimeout(() => socket.end('":1}\nPROOF\n'), 3_500);
    });
    expect(await runAlong(stubs.guard, '{}')).toEqual({ status: 0, stdout: '{"a":1}', stderr: '' });
    // The server was not late: it said at once what to expect.
    expect(readFileSync(path.join(stubs.state, 'hook-address'), 'utf8')).toContain('PROOF');
  });

  const cases: readonly (readonly [string, (socket: net.Socket) => void])[] = [
    ['the server goes', (socket) => setTimeout(() => socket.destroy(), 300)],
    ['half an answer comes', (socket) => setTimeout(() => socket.end('PROOF\n{"a":1}\n'), 100)],
    ['an answer has no proof', (socket) => setTimeout(() => socket.end('{"a":1}\n'), 100)],
    ['it is told to wait again', (socket) => setTimeout(() => socket.end('PROOF\nhold 5\n\0PROOF\nx\nPROOF\n'), 100)],
    ['the time is over', () => undefined],
  ];
  it.each(cases)('leaves the decision to node when %s', async (_, then) => {
    await listen((socket) => {
      socket.write(`${HEAD}PROOF\nhold 1\n\0`);
      then(socket);
    });
    expect(await runAlong(stubs.guard, '{}')).toEqual(FROM_NODE);
    expect(stubs.events()).toHaveLength(1);
  });

  it.each([
    'other\nhold 600\n\0',
    'hold 600\n\0',
    'PROOF\nhold \n\0',
    'PROOF\nhold x\n\0',
    'PROOF\nhold 1;touch x\n\0',
  ])('does not wait when it reads %j', async (words) => {
    await listen((socket) => socket.write(HEAD + words));
    expect(await runAlong(stubs.guard, '{}')).toEqual(FROM_NODE);
    expect(existsSync(path.join(stubs.state, 'spool', 'x'))).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends on %s without output', async (signal) => {
    const closed = vi.fn();
    await listen((socket) => {
      socket.on('close', closed);
      socket.write(`${HEAD}PROOF\nhold 60\n\0`);
    });
    const child = spawn(stubs.guard, ['claude-code']);
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stdin.end('{}');
    await vi.waitUntil(() => sockets.length === 1, 30_000);
    // Until it has read that it is to wait, it minds no signal.
    const signals = setInterval(() => child.kill(signal), 50);
    const [status, by] = await once(child, 'close');
    clearInterval(signals);
    expect([status, by, out]).toEqual([null, signal, '']);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), { timeout: 30_000 });
    // Whoever held it settles it.
    expect(stubs.names()).toEqual([`.new-claude-code.${child.pid}.0`]);
  });

  it('ends when its host was killed', async () => {
    let isTold = false;
    await listen((socket) => {
      isTold = socket.write(`${HEAD}PROOF\nhold 60\n\0`);
    });
    const child = spawn('sh', ['-c', `"$0" claude-code; true`, stubs.guard]);
    child.stdin.end('{}');
    await vi.waitUntil(() => isTold, 30_000);
    child.kill('SIGKILL');
    await vi.waitUntil(() => sockets[0]?.destroyed || sockets[0]?.readableEnded, 30_000);
    expect(stubs.events()).toEqual([]);
  });
});
