import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { toSessionId, toSourceId } from '../../core/index.ts';
import { listeningSockets, openersOf } from '../../lib/processes.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { factsOfProcesses, findServers } from './processes.ts';

/** Has a file open, and listens on two ports: on one of them it says that it is well. */
const PROGRAM = `
const { openSync } = require('node:fs');
const http = require('node:http');
openSync(process.argv[1], process.argv[2] ?? 'r');
const ports = [];
for (const body of ['{"healthy":true,"version":"1.18.33"}', 'hello'])
  http.createServer((request, response) => response.writeHead(body === 'hello' || request.url === '/global/health' ? 200 : 404).end(body))
    .listen(0, '127.0.0.1', function () {
      ports.push(this.address().port);
      if (ports.length === 2) console.log(JSON.stringify(ports));
    });
`;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function serve(
  file: string,
  ...more: readonly string[]
): Promise<{ readonly pid: number; readonly ports: readonly number[] }> {
  const child = spawn(process.execPath, ['-e', PROGRAM, file, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, ports: JSON.parse(String(line)) };
}

describe.runIf(process.platform === 'linux')('servers of a data folder', () => {
  it('are those of a process that has its database open, and says what it is', async () => {
    const [root, other] = [makeTemporaryFolder('servers'), makeTemporaryFolder('servers')];
    const file = path.join(root, 'opencode.db');
    for (const folder of [root, other]) writeFileSync(path.join(folder, 'opencode.db'), '');
    expect(await findServers(root)).toEqual([]);
    const { pid, ports } = await serve(file);
    const [opener] = openersOf([file]) ?? [];
    expect(opener).toMatchObject({ pid, files: [file] });
    const listening = listeningSockets();
    const reached = [...(opener?.sockets ?? [])].flatMap((socket) => listening.get(socket)?.port ?? []);
    expect(reached.sort()).toEqual([...ports].sort());
    const found = await findServers(root);
    expect(found).toHaveLength(1);
    expect(await (await fetch(`${found[0]}/global/health`)).json()).toMatchObject({ healthy: true });
    expect(await findServers(other)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('the processes of a session', () => {
  it('are those that may write to its database: whoever only reads it does no work', async () => {
    const root = makeTemporaryFolder('processes');
    const file = path.join(root, 'opencode.db');
    writeFileSync(file, '');
    const id = toSessionId('opencode', 'ses_1');
    const source = { id: toSourceId('opencode.db'), path: file, role: 'database', shape: 'table' } as const;
    const facts = async (modifiedAt = Date.now()) =>
      (await factsOfProcesses([file]))({ id, root, sources: [source], facts: [], modifiedAt });
    const nobody = [expect.objectContaining({ kind: 'session-seen', keepsProcessRecords: true })];
    expect(await facts()).toEqual(nobody);
    await serve(file);
    expect(await facts()).toEqual(nobody);
    const { pid } = await serve(file, 'r+');
    expect(await facts()).toEqual([
      expect.objectContaining({
        kind: 'process-seen',
        pid,
        alive: true,
        isShared: true,
        startedAt: expect.any(Number),
      }),
    ]);
    // One that began after the last message of a session: the session was left behind by another process.
    expect(await facts(Date.now() - 60_000)).toEqual(nobody);
  });
});
