import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../../../lib/testing/temporary-folder.ts';
import type { HostApproval } from '../../index.ts';
import { hooks } from '../hooks/index.ts';
import { child, main, permission, serveSecond } from '../testing/second-server.ts';
import { questions } from './control.ts';
import { isSecondServer } from './second.ts';
import { passwordOf, readService } from './service.ts';

const closers: (() => void)[] = [];
let home = '';
beforeEach(() => {
  home = makeTemporaryFolder('second');
  vi.stubEnv('XDG_STATE_HOME', home);
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllEnvs();
});

function register(url: string, password: string): void {
  mkdirSync(path.join(home, 'opencode'), { recursive: true });
  const said = { id: 'x', version: '2.0.15', url, pid: process.pid, password };
  writeFileSync(path.join(home, 'opencode', 'service.json'), JSON.stringify(said), { mode: 0o600 });
}

async function serve(password: string) {
  const server = await serveSecond(password);
  closers.push(server.close);
  return server;
}

describe('a server of OpenCode 2', () => {
  it('is known by its own answer, with the password that its service has registered', async () => {
    const { url } = await serve('sesame');
    await expect(isSecondServer(url)).rejects.toThrow('wants a password');
    register(url, 'sesame');
    expect(await isSecondServer(url)).toBe(true);
  });

  it('has its open question told with the agent and the call, and takes the answer', async () => {
    const { url, posted } = await serve('sesame');
    register(url, 'sesame');
    const told: HostApproval[] = [];
    const end = new AbortController();
    closers.push(() => end.abort());
    void questions.listen(url, { asked: (one) => void told.push(one), gone: () => undefined }, end.signal);
    await vi.waitUntil(() => told.length > 0, { timeout: 30_000 });
    const [question] = told as [HostApproval];
    expect(hooks.read(question.payloads.question)).toMatchObject({
      session: `opencode:${main?.id}`,
      question: 'OpenCode asks for a permission: shell rm -rf build',
      call: { tool: 'Bash', input: { command: 'rm -rf build' } },
    });
    expect(hooks.callerOf(question.payloads.question)).toMatchObject({
      agent: { id: child?.id, type: 'general', depth: 1 },
      ancestors: [{ id: main?.id, kind: 'main' }],
    });
    expect(JSON.stringify(told)).not.toContain('sesame');
    expect(await questions.reply(url, question, '{"reply":"reject","message":"No."}')).toBe(true);
    const route = `/api/session/${child?.id}/permission/${permission['id']}/reply`;
    expect(posted).toEqual([[route, { decision: 'reject', message: 'No.' }]]);
  });

  it('gets no password if it is on another machine', async () => {
    register('http://example.invalid:4096', 'sesame');
    expect(await readService({ env: { XDG_STATE_HOME: home }, home })).toMatchObject({ url: undefined });
    expect(passwordOf('http://example.invalid:4096')).toBeUndefined();
  });
});
