import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../lib/testing/waiting.ts';
import { makeStubs, run, runAlong, SILENT, type Stubs } from '../server/testing/stubs.ts';
import { FAILURE_REASON, guardScript } from './hook-stubs.ts';

let listeners: net.Server[] = [];
let stubs: Stubs;
beforeEach(async () => {
  stubs = await makeStubs();
});
afterEach(() => {
  for (const listener of listeners) listener.close();
  listeners = [];
});

const KEY = 'hooks-key';
const PROOF = 'proof-of-ours';

/** A server that gives this answer to whatever it is asked. Gives what it heard. */
async function listen(answer: (socket: net.Socket, request: string) => void): Promise<{ readonly heard: string[] }> {
  const heard: string[] = [];
  const server = net.createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      text += data;
      if (!text.endsWith('\r\n\r\n')) return;
      heard.push(text);
      answer(socket, text);
    });
  });
  listeners.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  writeAddress((server.address() as net.AddressInfo).port);
  return { heard };
}

function writeAddress(port: number): void {
  writeFileSync(path.join(stubs.state, 'hook-address'), `${process.pid} ${port} ${KEY} ${PROOF}\n`);
}

function answerWith(body: string, head = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n') {
  return (socket: net.Socket): void => {
    socket.end(head + body);
  };
}

/** What the server does with the draft that it is told of. */
function settleAs(by: string, request: string): void {
  const draft = path.join(stubs.state, 'spool', /draft=(\S+?)&/.exec(request)?.[1] ?? 'none');
  writeFileSync(draft, `${readFileSync(draft, 'utf8')}\n${JSON.stringify({ by })}\n`);
  execFileSync('mv', [draft, `${draft.replace('.new-', '')}.json`]);
}

describe('the guard with a server', () => {
  it('prints what the server answers, and nothing else', async () => {
    const says = '{"text":"100 % «é» \\\\ $(x)"}\n\n{"more":1}';
    const { heard } = await listen((socket, request) => {
      settleAs('server', request);
      answerWith(`${PROOF}\n${says}\n${PROOF}\n`)(socket);
    });
    expect(await runAlong(stubs.guard, '{"a":1}')).toEqual({ status: 0, stdout: says, stderr: '' });
    expect(stubs.events()).toEqual([{ payload: Buffer.from('{"a":1}'), last: { by: 'server' } }]);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(
      new RegExp(
        `^POST /api/hooks/claude-code\\?draft=\\.new-claude-code\\.\\d+\\.0&ppid=${process.pid}&since=[\\d.]* HTTP/1\\.0\r\nHost: 127\\.0\\.0\\.1:\\d+\r\nAuthorization: Bearer ${KEY}\r\n\r\n$`,
      ),
    );
    expect(heard[0]).not.toContain(PROOF);
  });

  it('prints nothing when the server answers with nothing', async () => {
    await listen((socket, request) => {
      settleAs('server', request);
      answerWith(`${PROOF}\n\n${PROOF}\n`)(socket);
    });
    expect(await runAlong(stubs.guard, Buffer.alloc(10 * 1024 * 1024, 'a'))).toEqual(SILENT);
    expect(stubs.events().map(({ payload, last }) => [payload.length, last])).toEqual([
      [10 * 1024 * 1024, { by: 'server' }],
    ]);
  });
});

describe('the guard starts node', () => {
  const foreign = 'HTTP/1.1 200 OK\r\n\r\n';
  const cases: readonly (readonly [string, (socket: net.Socket) => void])[] = [
    ['a foreign answer', answerWith('{"decision":"allow"}')],
    ['another proof', answerWith('other\nx\nother\n')],
    ['half an answer', answerWith(`${PROOF}\n{"decision":"al`)],
    ['an answer without its last line', answerWith(`${PROOF}\nx\n${PROOF}`)],
    ['a token that is not good any more', answerWith(`{"error":{}}`, 'HTTP/1.1 401 Unauthorized\r\n\r\n')],
    ['no 200', answerWith(`${PROOF}\nx\n${PROOF}\n`, 'HTTP/1.1 404 Not Found\r\n\r\n')],
    ['no HTTP', answerWith(`${PROOF}\nx\n${PROOF}\n`, '')],
    ['an answer with NUL', answerWith(`${PROOF}\n\0\n${PROOF}\n`)],
    ['nothing at all', (socket) => socket.end()],
    ['a connection that breaks', (socket) => socket.resetAndDestroy()],
    ['a megabyte of something', answerWith('x'.repeat(100_000), foreign)],
  ];
  const fromNode = { status: 0, stdout: 'from node', stderr: '' };

  it.each(cases)('when the server sends %s', async (_, answer) => {
    await listen(answer);
    expect(await runAlong(stubs.guard, '{"a":1}')).toEqual(fromNode);
    expect(stubs.events()).toMatchObject([
      { payload: Buffer.from('{"a":1}'), last: { by: 'node', host: 'claude-code' } },
    ]);
    expect(existsSync(path.join(stubs.state, 'hook-failure'))).toBe(false);
  });

  it('when the address is malformed, or its port is closed', async () => {
    const file = path.join(stubs.state, 'hook-address');
    const { port } = await closedPort();
    const texts = [
      '',
      'x',
      '1 2 3',
      `1 ${port} k p\n`,
      '1 99999 k p\n',
      '1 -1 k p\n',
      '1 x/y k p\n',
      '1 $(x) k p\n',
      '\0\0',
    ];
    for (const text of [undefined, ...texts]) {
      if (text !== undefined) writeFileSync(file, text);
      expect([text, run(stubs.guard, `{}`)]).toEqual([text, fromNode]);
    }
    expect(stubs.events()).toHaveLength(texts.length + 1);
    rmSync(file);
    symlinkSync(file, file);
    expect(run(stubs.guard, '{}')).toEqual(fromNode);
  });

  it('and gives its answer to the host while node still works', async () => {
    const end = path.join(stubs.state, 'end');
    writeFileSync(
      stubs.hookFile,
      `const { existsSync, writeFileSync, writeSync } = require('node:fs');
      writeSync(1, 'early' + (process.argv.at(-1) === 'end' ? '\\0' : ''));
      const wait = () => (existsSync('end') ? writeFileSync('ended', '') : setTimeout(wait, 10));
      process.chdir(${JSON.stringify(stubs.state)});
      wait();`,
    );
    // Ends when nobody holds the output and the errors of the host any longer.
    expect(await runAlong(stubs.guard, '{}')).toEqual({ status: 0, stdout: 'early', stderr: '' });
    expect(stubs.names('.')).not.toContain('ended');
    writeFileSync(end, '');
    await until(() => stubs.names('.').includes('ended'), 'the end of node');
  });

  it('after two seconds, once, when a server is silent or drips', async () => {
    const { heard } = await listen((socket) => {
      const timer = setInterval(() => socket.write('x'), 300);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await runAlong(stubs.guard, '{"n":1}')).toEqual(fromNode);
    expect(await runAlong(stubs.guard, '{"n":2}')).toEqual(fromNode);
    expect(heard).toHaveLength(1);
    expect(stubs.events()).toHaveLength(2);
  });

  it('without settings that would slow it down or mislead it', () => {
    const env = {
      ...process.env,
      NODE_OPTIONS: '--require /nowhere',
      NODE_EXTRA_CA_CERTS: '/nowhere',
      BASH_ENV: stubs.hookFile,
    };
    expect(run(stubs.guard, '{}', { env })).toEqual(fromNode);
    const [event] = stubs.events();
    expect(event?.last).toEqual({ by: 'node', command: 'guard', host: 'claude-code', ppid: String(process.pid) });
  });

  it('with every byte of the payload', () => {
    const odd = Buffer.from([0, 1, 0xff, 0xfe, 0xc3, 10, 0, 10, 10]);
    expect(run(stubs.guard, odd)).toEqual(fromNode);
    expect(stubs.events()[0]?.payload.equals(odd)).toBe(true);
    expect(run(stubs.guard, '')).toEqual(SILENT);
    expect(stubs.events()).toHaveLength(1);
  });

  it('when bash is missing', () => {
    const words = {
      state: stubs.state,
      node: process.execPath,
      hookFile: stubs.hookFile,
      config: stubs.state,
      version: '1',
      bash: undefined,
      answers: {},
    };
    writeFileSync(stubs.guard, guardScript(words));
    expect(run(stubs.guard, '{"a":1}')).toEqual(fromNode);
    expect(stubs.events()).toMatchObject([{ payload: Buffer.from('{"a":1}'), last: { by: 'node' } }]);
  });

  it('keeps the call and notes the failure when node fails as well', () => {
    writeFileSync(stubs.hookFile, 'process.exit(1)');
    expect(run(stubs.guard, '{"a":1}')).toEqual(SILENT);
    expect(stubs.events()).toEqual([
      { payload: Buffer.from('{"a":1}'), last: { ppid: process.pid, decision: 'none', reason: FAILURE_REASON } },
    ]);
    expect(readFileSync(path.join(stubs.state, 'hook-failure'), 'utf8')).toMatch(/claude-code: node gave no answer\n$/);
  });

  it.each(['observe', 'guard'] as const)('%s notes the failure when there is no queue to write to', (role) => {
    rmSync(path.join(stubs.state, 'spool'), { recursive: true });
    writeFileSync(path.join(stubs.state, 'spool'), 'in the way');
    const said = role === 'guard' ? 'from node: {"a":1}' : '';
    expect(run(stubs[role], '{"a":1}')).toEqual({ ...SILENT, stdout: said });
    expect(readFileSync(path.join(stubs.state, 'hook-failure'), 'utf8')).toMatch(/claude-code: there is no spool\n$/);
  });

  it('leaves the draft of a process that died for recovery', () => {
    writeFileSync(stubs.hookFile, `require('node:fs').writeFileSync(process.argv[4].replace('.new-', '.held-'), '')`);
    expect(run(stubs.guard, '{"a":1}')).toEqual(SILENT);
    expect(stubs.events()).toEqual([]);
    expect(stubs.names().map((name) => name.slice(0, 5))).toEqual(['.held', '.new-']);
  });
});

async function closedPort(): Promise<{ readonly port: number }> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return { port };
}
