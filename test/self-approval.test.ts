import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../src/core/index.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { type HeldCalls, prepareHeldCalls, RECORDING } from './testing/held-calls.ts';
import { createProgramHome, type ProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo, followLink, type ServerAccess } from './testing/server-access.ts';
import { hasTerminal, openTerminal } from './testing/terminal.ts';

// An agent must not approve its own calls. The agent here is a real process with the name of a host; what it runs is the built
// program, or a request with a credential that it has read from the state folder.

let program: ProgramHome;
let calls: HeldCalls;
let server: RunningProgram;
let access: ServerAccess;
/** What an agent runs its commands with. */
let asAgent: readonly string[];
beforeEach(async () => {
  program = createProgramHome(RECORDING);
  calls = await prepareHeldCalls(program);
  const claude = path.join(program.home, 'claude');
  symlinkSync(process.execPath, claude);
  const script = path.join(program.home, 'agent.mjs');
  writeFileSync(
    script,
    `import { spawnSync } from 'node:child_process';
const [, , command, ...args] = process.argv;
process.exitCode = spawnSync(command, args, { stdio: 'inherit' }).status;
`,
  );
  asAgent = [claude, script];
});
afterEach(() => program.end());

async function serve(): Promise<void> {
  server = program.start(['--no-open', '--json']);
  await until(() => server.out().trimEnd().endsWith('}'), 'the address of the server');
  access = accessTo(program.state);
}

const openAsk = (): Promise<ApprovalRequest> =>
  until(async () => {
    const { asks } = await (await fetch(`${access.origin}/api/asks`, { headers: access.headers })).json();
    return (asks as readonly ApprovalRequest[]).find(({ end }) => end === null);
  }, 'an open approval');

/** A request from a process of its own. Its parent has ended if it is an orphan. */
async function post(address: string, headers: object, body: object, before: readonly string[]): Promise<string> {
  const file = path.join(program.home, 'post.mjs');
  writeFileSync(
    file,
    `const [, , address, headers, body] = process.argv;
const answer = await fetch(address, { method: 'POST', headers: JSON.parse(headers), body });
console.log(answer.status, await answer.text());
`,
  );
  const all = JSON.stringify({ ...headers, 'content-type': 'application/json' });
  const { out } = await program.run([], {
    instead: [...before, process.execPath, file, address, all, JSON.stringify(body)],
  });
  return out;
}

describe.runIf(process.platform === 'linux')('an agent', () => {
  it('cannot answer its own approval with the command', async () => {
    await serve();
    const hook = calls.push();
    const { id } = await openAsk();
    const answered = await program.run(['guard', 'answer', id, 'allow'], { before: asAgent });
    expect(answered).toMatchObject({ code: 2, out: '' });
    expect(answered.errors).toMatch(
      /^troupe: Only a person can do this: process \d+ \(.+\) belongs to Claude Code \(process \d+\)\./,
    );
    expect((await openAsk()).id).toBe(id);
    expect(server.errors()).toContain('refused a request');

    expect((await program.run(['guard', 'answer', id, 'deny'])).code).toBe(0);
    expect((await hook.ended).said.permissionDecision).toBe('deny');
  });

  it('cannot answer with any credential from the state folder, under any name', async () => {
    await serve();
    const hook = calls.push();
    const { id } = await openAsk();
    const forged = { answer: 'allow', by: 'telegram:42 @boss' };
    const credentials = [access.token, ...Object.values(access.keys)].map((key) => ({
      authorization: `Bearer ${key}`,
    }));
    for (const headers of [...credentials, await access.logIn()])
      expect(await post(`${access.origin}/api/asks/${id}`, headers, forged, asAgent)).toMatch(/^403 .*"from-agent"/);
    expect((await openAsk()).end).toBeNull();
    hook.child.kill();
    await hook.ended;
  });

  it('cannot answer from a process that outlived it, by the environment it left behind', async () => {
    await serve();
    const hook = calls.push();
    const { id } = await openAsk();
    const address = `${access.origin}/api/asks/${id}`;
    const orphan = ['sh', '-c', 'parent=$$; (while kill -0 $parent 2>&-; do :; done; exec "$@") &', 'sh'];
    for (const variable of [
      'CLAUDECODE',
      'CODEX_THREAD_ID',
      'GEMINI_CLI',
      'QWEN_CODE',
      'COPILOT_CLI',
      'OPENCODE',
      'AI_AGENT',
    ])
      expect(await post(address, access.headers, { answer: 'allow' }, ['env', `${variable}=1`, ...orphan])).toMatch(
        /^403 .*"from-agent"/,
      );
    hook.child.kill();
    await hook.ended;
  });

  it('gets no login link', async () => {
    await serve();
    expect(await post(`${access.origin}/api/login`, access.headers, {}, asAgent)).toMatch(/^403 .*"from-agent"/);
    const opened = await program.run(['open'], { before: asAgent, env: fakeBrowser() });
    expect(opened).toMatchObject({ code: 2, out: '', errors: expect.stringContaining('Only a person') });
    expect(existsSync(path.join(program.home, 'opened'))).toBe(false);
  });
});

/** Records the address instead of showing it. */
function fakeBrowser(): Record<string, string> {
  const folder = path.join(program.home, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > '${program.home}/opened'\n`);
  chmodSync(path.join(folder, 'xdg-open'), 0o755);
  return { DISPLAY: ':0', SSH_CONNECTION: '', PATH: `${folder}${path.delimiter}${process.env['PATH']}` };
}

describe('the address of the server', () => {
  it('is printed without a credential by start, status and the server itself', async () => {
    const started = await program.run(['server', 'start']);
    access = accessTo(program.state);
    const shown = [started, await program.run(['server', 'start', '--json']), await program.run(['server', 'status'])];
    shown.push(await program.run(['server', 'status', '--json']), await program.run(['--no-open']));
    for (const { code, out, errors } of shown) {
      expect([code, out]).toEqual([0, expect.stringContaining(access.origin)]);
      for (const secret of [access.token, ...Object.values(access.keys), '/login?', 'token='])
        expect(`${out}${errors}`).not.toContain(secret);
    }
  });

  it.runIf(process.platform === 'linux')(
    'is opened by troupe open with a link that works once, and nothing is printed',
    async () => {
      await serve();
      expect(await program.run(['open'], { env: fakeBrowser() })).toEqual({ code: 0, out: '', errors: '' });
      const link = readFileSync(path.join(program.home, 'opened'), 'utf8');
      const cookie = await followLink(link);
      expect((await fetch(`${access.origin}/api/status`, { headers: { cookie } })).status).toBe(200);
      expect((await fetch(link, { redirect: 'manual' })).status).toBe(401);

      // The next server knows the browser, and the state folder does not hold its cookie.
      const kept = readFileSync(path.join(program.state, 'address.json'), 'utf8');
      expect(kept).not.toContain(cookie.split('=')[1]);
      server.child.kill('SIGTERM');
      await server.ended;
      await serve();
      expect((await fetch(`${access.origin}/api/status`, { headers: { cookie } })).status).toBe(200);
    },
  );

  it('cannot be opened without a server or a browser, and says what to do', async () => {
    expect(await program.run(['open'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('troupe server start'),
    });
    await serve();
    const opened = await program.run(['open'], { env: { DISPLAY: '', WAYLAND_DISPLAY: '' } });
    if (process.platform === 'linux')
      expect(opened).toMatchObject({ code: 2, errors: expect.stringContaining('No browser') });
  });

  it.runIf(hasTerminal)('comes with a login link in a terminal, also of a server that runs already', async () => {
    const terminal = openTerminal(program.home, { ...process.env, HOME: program.home });
    const command = `${process.execPath} ${path.resolve('dist/troupe.js')} --no-open`;
    try {
      for (const begin of ['troupe is running', 'troupe is already running']) {
        if (begin.includes('already')) {
          terminal.press('C-c');
          await terminal.until(/[#$]$/);
          await serve();
        }
        terminal.type('clear');
        await terminal.until(/^[^\n]*[#$]$/);
        terminal.type(command);
        await terminal.until(/login\?code=/);
        const screen = terminal.screen().replaceAll('\n', '');
        expect(screen).toContain(begin);
        const [link = ''] = /http\S+login\?code=[\w-]{43}/.exec(screen) ?? [];
        const cookie = await followLink(link);
        expect((await fetch(`${new URL(link).origin}/api/status`, { headers: { cookie } })).status).toBe(200);
      }
    } finally {
      terminal.close();
    }
  });
});
