import { closeSync, cpSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../src/core/index.ts';
import { main, serveSecond } from '../src/hosts/opencode/testing/second-server.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { type ProgramHome, programIn } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The service of OpenCode 2 keeps its password in a file of the person. troupe uses it, and says it nowhere.

const PASSWORD = 'planted-9f27c1b6e4';
const SPELLINGS = [PASSWORD, Buffer.from(`opencode:${PASSWORD}`).toString('base64'), encodeURIComponent(PASSWORD)];
const recording = fileURLToPath(new URL('../src/hosts/opencode/fixtures/2.0.15-permission-http/', import.meta.url));

let program: ProgramHome;
let service: Awaited<ReturnType<typeof serveSecond>>;
let database: number;
let session: string;
beforeEach(async () => {
  const home = makeTemporaryFolder('opencode-password');
  session = String(main?.id);
  program = programIn(home, { cwd: home });
  const data = path.join(home, '.local/share/opencode');
  mkdirSync(data, { recursive: true });
  cpSync(path.join(recording, 'opencode.db'), path.join(data, 'opencode.db'));
  // This process stands in for the service: it has the database open, and listens.
  database = openSync(path.join(data, 'opencode.db'), 'r+');
  service = await serveSecond(PASSWORD);
  const registration = path.join(home, '.local/state/opencode/service.json');
  mkdirSync(path.dirname(registration), { recursive: true });
  const said = { id: 'x', version: '2.0.15', url: service.url, pid: process.pid, password: PASSWORD };
  writeFileSync(registration, JSON.stringify(said), { mode: 0o600 });
});
afterEach(async () => {
  await program.end();
  service.close();
  closeSync(database);
});

describe.runIf(process.platform === 'linux')('the password of the service of OpenCode 2', () => {
  it('is used, and is in nothing that troupe prints, serves, logs, exports or keeps', async () => {
    const shown = new Map<string, string>();
    const serving = program.start(['--no-open', '--json']);
    await expect.poll(serving.out, { timeout: 30_000 }).toContain('"url"');
    const { origin, headers, logIn } = accessTo(program.state);
    const get = async (route: string): Promise<string> => {
      const text = await (await fetch(`${origin}${route}`, { headers })).text();
      shown.set(route, text);
      return text;
    };
    const asked = async (): Promise<readonly ApprovalRequest[]> => JSON.parse(await get('/api/asks')).asks;
    await expect.poll(asked, { timeout: 60_000 }).toHaveLength(1);
    const [ask] = await asked();
    const said = { ...(await logIn()), 'content-type': 'application/json' };
    const body = JSON.stringify({ answer: 'deny' });
    expect((await fetch(`${origin}/api/asks/${ask?.id}`, { method: 'POST', headers: said, body })).status).toBe(200);
    // It was used: without it, the service takes no answer.
    await expect.poll(() => service.posted.length, { timeout: 30_000 }).toBe(1);

    for (const route of ['/', '/api/status', '/api/sessions', `/api/sessions/${session}`, '/api/guard/log'])
      expect(await get(route)).not.toBe('');
    await get(`/api/sessions/${session}/timeline`);
    await get(`/api/guard/coverage/${session}`);
    const commands: readonly (readonly string[])[] = [
      ['ls', '--json'],
      ['tree', session, '--json'],
      ['show', session],
      ['doctor', '--json'],
      ['doctor'],
      ['hooks', 'status', '--json'],
      ['guard', 'log', '--json', '-n', '50'],
      ['guard', 'coverage', session, '--json'],
      ['server', 'status', '--json'],
      ['export', session, '--out-dir', 'export', '--format', 'html,json,md', '--yes'],
    ];
    for (const args of commands) {
      const { out, errors } = await program.run(args);
      shown.set(args.join(' '), out + errors);
    }
    expect(shown.get('doctor --json')).toContain('opencode');
    await program.run(['server', 'stop']);
    shown.set('server', serving.out() + serving.errors());
    const kept = readdirSync(program.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'service.json')
      .map((entry) => path.join(entry.parentPath, entry.name));
    expect(kept.some((file) => file.includes('/export/'))).toBe(true);
    for (const file of kept) shown.set(file, readFileSync(file, 'latin1'));
    const leaking = [...shown]
      .filter(([, text]) => SPELLINGS.some((one) => text.includes(one)))
      .map(([where]) => where);
    expect(leaking).toEqual([]);
  });
});
