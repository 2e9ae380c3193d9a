import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OlderSession, SessionDetail } from '../src/core/index.ts';
import { keepContents } from '../src/lib/testing/temporary-folder.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// Agents can write most files that troupe reads. A FIFO in place of one must not hang the server, a command or a hook: a plain open()
// waits until somebody opens its other end.

const root = fileURLToPath(new URL('..', import.meta.url));
const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const AGENT = 'a2ca437af9f568b24';
/** A process that has not ended by then hangs. Far longer than any of them takes. */
const HANGS_MS = 45_000;

let program: ProgramHome;
afterEach(async () => {
  // Programs that have to be stopped must not find a FIFO, either.
  for (const file of fifos) rmSync(file, { force: true });
  fifos.length = 0;
  await program.end();
});

function createHome(): void {
  program = createProgramHome();
  mkdirSync(at('project/.git'), { recursive: true });
}

const at = (...parts: readonly string[]): string => path.join(program.home, ...parts);
const state = (...parts: readonly string[]): string => at('.local/state/troupe', ...parts);
const claude = (...parts: readonly string[]): string => at('.claude/projects/-home-dev-nested', ...parts);
const sidecar = (): string => claude(NESTED, 'subagents', `agent-${AGENT}.meta.json`);

const fifos: string[] = [];

function putFifos(files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { recursive: true, force: true });
  }
  execFileSync('mkfifo', files);
  fifos.push(...files);
}

function putFifo(file: string): string {
  putFifos([file]);
  return file;
}

/** Fails where it has to be killed. */
async function run(args: readonly string[], options: { readonly cwd?: string; readonly instead?: string[] } = {}) {
  const running = program.start(args, options);
  const timer = setTimeout(() => running.child.kill('SIGKILL'), HANGS_MS);
  const code = await running.ended;
  clearTimeout(timer);
  expect(code, `troupe ${args.join(' ')} hangs`).not.toBe('SIGKILL');
  return { code, out: running.out(), errors: running.errors() };
}

interface SessionList {
  readonly sessions: readonly SessionDetail[];
  readonly older: readonly OlderSession[];
  readonly isComplete: boolean;
}

async function serve() {
  const serving = program.start(['--no-open', '--json']);
  await expect.poll(serving.out, { timeout: HANGS_MS }).toContain('"url"');
  const { origin, headers } = accessTo(program.state);
  const get = async <T>(place: string): Promise<T> => {
    const answer = await fetch(origin + place, { headers, signal: AbortSignal.timeout(HANGS_MS) });
    return (await answer.json()) as T;
  };
  return {
    sessions: () => get<SessionList>('/api/sessions'),
    session: (id: string) => get<SessionDetail>(`/api/sessions/${id}`),
    status: () => get<{ readonly notices: readonly string[] }>('/api/status'),
  };
}

const unreadable = ({ diagnostics }: Pick<SessionDetail, 'diagnostics'>): readonly string[] =>
  diagnostics.items
    .filter(({ code }) => code === 'unreadable-file')
    .flatMap(({ examples }) => examples.map(({ detail }) => detail));

describe.skipIf(process.platform === 'win32')('when files of hosts are FIFOs', () => {
  beforeEach(createHome);

  const hosts = (): void => {
    cpSync(path.join(root, 'test/fixtures/all-hosts'), program.home, { recursive: true });
    for (const [host, name, folder] of [
      ['codex', '0.166.0-plain', '.codex'],
      ['copilot', '1.0.102-plain', '.copilot'],
      ['gemini', '0.61.0-plain', '.gemini'],
      ['qwen', '0.24.4-nested', '.qwen'],
      ['opencode', '1.1.65-single', '.local/share/opencode'],
    ] as const)
      cpSync(path.join(root, 'src/hosts', host, 'fixtures', name), at(folder), { recursive: true });
  };
  /** One of each kind; every host keeps a session that is whole. */
  const replaced = (): readonly string[] => [
    sidecar(),
    claude(NESTED, 'subagents/agent-ab4c7b9a30ff9f65c.jsonl'),
    at('.claude/projects/-home-dev-app/0a705173-a2de-4924-924c-cbcde0879166.jsonl'),
    at('.claude/sessions/4711.json'),
    at('.claude/teams/a-team/config.json'),
    at('.codex/sessions/2026/11/15/rollout-2026-11-15T18-38-31-01a1e080-f990-7e32-8c1a-9fe14bb42574.jsonl'),
    at('.codex/session_index.jsonl'),
    at('.copilot/session-state/e8cc719e-c4b9-4100-a1d7-6505c0a9318b/events.jsonl'),
    at('.gemini/tmp/project/chats/session-2026-11-15T19-24-eb6e6373.jsonl'),
    at('.gemini/projects.json'),
    at('.qwen/projects/-home-dev-app/chats/d9e7d9c9-f9d7-4e3b-a77a-6b8c39d39ce3.jsonl'),
    at(
      '.qwen/projects/-home-dev-nested-project/subagents/97127efa-f81b-4e46-b001-399c3c1e840a',
      'agent-general-purpose-call_01mwhk2w340000nxxxxxxxxx.meta.json',
    ),
    at('.local/share/opencode/storage/part/msg_1de45595e001aAnvhCGuK88O6M/prt_1de45595f001F5RTE4LpntSQCK.json'),
    at('.local/share/opencode/opencode.db'),
    at('.local/share/opencode/export.json'),
  ];
  const OPENCODE = 'ses_e21baa6ddffemcsNbUv3Ocsc54';
  const WHOLE = [NESTED, '353ada2e-6b76-407a-ac24-5562cada3e3a', '97127efa-f81b-4e46-b001-399c3c1e840a', OPENCODE];

  it('the server lists all other sessions and reports each FIFO', async () => {
    hosts();
    putFifos(replaced());
    const server = await serve();
    await expect.poll(async () => (await server.sessions()).isComplete, { timeout: HANGS_MS }).toBe(true);
    const listed = async (): Promise<readonly string[]> => {
      const { sessions, older } = await server.sessions();
      return [...sessions, ...older].map(({ id }) => id);
    };
    expect(await listed()).toEqual(expect.arrayContaining(WHOLE));
    const findMissed = async (): Promise<readonly string[]> => {
      const reported = new Set((await server.status()).notices);
      for (const id of await listed()) for (const text of unreadable(await server.session(id))) reported.add(text);
      return replaced().filter((file) => {
        const name = path.basename(file);
        return ![...reported].some((text) => text.includes(name) && text.includes('is a FIFO, not a regular file'));
      });
    };
    // A session of which nothing is known yet is held back for a moment.
    await expect.poll(findMissed, { timeout: HANGS_MS }).toEqual([]);
  });

  it.each([
    [['ls', '--json']],
    [['tree', NESTED, '--json']],
    [['show', AGENT, '--json']],
    [['guard', 'coverage', NESTED]],
    [['doctor']],
  ])('troupe %j ends', async (args) => {
    hosts();
    putFifos(replaced());
    const { out, errors } = await run(args);
    expect(errors).not.toContain('bug');
    if (args[0] === 'ls')
      expect(JSON.parse(out).sessions.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(WHOLE));
    if (args[0] === 'tree') expect(unreadable(JSON.parse(out))).toHaveLength(2);
    if (args[0] === 'doctor') expect(out).toContain('opencode.db: it is a FIFO, not a regular file');
  });

  it('troupe export leaves out what it cannot read', async () => {
    putFifo(sidecar());
    const { code } = await run(['export', NESTED, '--out-dir', at('out')]);
    expect(code).toBe(0);
    expect(readdirSync(at('out'))).toContain('index.html');
  });

  it('the server reports a followed file that becomes one, and reads it again when it is back', async () => {
    const transcript = claude(NESTED, 'subagents/agent-ab4c7b9a30ff9f65c.jsonl');
    const server = await serve();
    expect(unreadable(await server.session(NESTED))).toEqual([]);
    const fifo = putFifo(at('fifo'));
    renameSync(transcript, `${transcript}.aside`);
    renameSync(fifo, transcript);
    await expect
      .poll(async () => unreadable(await server.session(NESTED)), { timeout: HANGS_MS })
      .toEqual([expect.stringContaining('is a FIFO, not a regular file')]);
    renameSync(`${transcript}.aside`, transcript);
    await expect.poll(async () => unreadable(await server.session(NESTED)), { timeout: HANGS_MS }).toEqual([]);
  });

  it.each(['folder', 'device', 'dangling link', 'link to itself'])('the same holds for a %s', async (kind) => {
    for (const file of [sidecar(), claude(NESTED, 'subagents/agent-ab4c7b9a30ff9f65c.jsonl')]) {
      rmSync(file);
      if (kind === 'folder') mkdirSync(file);
      else symlinkSync({ device: '/dev/zero', 'dangling link': 'nowhere' }[kind] ?? path.basename(file), file);
    }
    const { code, out } = await run(['tree', NESTED, '--json']);
    expect(code).toBe(0);
    const told = { folder: 'is a folder, not a regular file', device: 'is a device, not a regular file' }[kind];
    expect(unreadable(JSON.parse(out))).toEqual(told === undefined ? [] : Array(2).fill(expect.stringContaining(told)));
  });

  it('a sparse sidecar of a terabyte is not read', async () => {
    truncateSync(sidecar(), 1024 ** 4);
    const { code, out } = await run(['tree', NESTED, '--json']);
    expect(code).toBe(0);
    expect(unreadable(JSON.parse(out))).toEqual([expect.stringContaining('is too large')]);
  });
});

describe.skipIf(process.platform === 'win32')('when files of troupe are FIFOs', () => {
  let reset: () => void;
  beforeAll(async () => {
    createHome();
    writeFileSync(at('.claude/settings.json'), '{}');
    mkdirSync(at('.config/troupe'), { recursive: true });
    writeFileSync(at('.config/troupe/policy.yaml'), 'version: 1\nrules: [{ tools: "Bash(rm:*)", decision: deny }]\n');
    await run(
      ['hooks', 'install', '--guard', '--yes', '--host', 'claude-code', '--host-version', '2.1.325'],
      inProject(),
    );
    await run(['guard', 'check'], inProject());
    await decide(stub());
    await run(['guard', 'log'], inProject());
    reset = keepContents(program.home);
  });
  beforeEach(() => reset());

  const inProject = () => ({ cwd: at('project') });
  const payload = (): string =>
    JSON.stringify({
      ...{ session_id: NESTED, transcript_path: claude(`${NESTED}.jsonl`), cwd: at('project') },
      ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'rm -rf x' } },
      ...{ tool_use_id: 'toolu_1', agent_id: AGENT, agent_type: 'coder' },
    });

  /** What the hook decided; fails where it has to be killed. */
  async function decide(command: string): Promise<string> {
    const { CLAUDE_CONFIG_DIR: _c, XDG_CONFIG_HOME: _x, XDG_STATE_HOME: _s, TROUPE_HOME: _t, ...clean } = process.env;
    const child = spawn('sh', ['-c', command], {
      ...{ env: { ...clean, HOME: program.home }, cwd: at('project'), detached: true },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(payload());
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), HANGS_MS);
    const [, signal] = await once(child, 'close');
    clearTimeout(timer);
    expect(signal, 'the hook hangs').toBe(null);
    return out === '' ? 'silence' : JSON.parse(out).hookSpecificOutput.permissionDecision;
  }
  const stub = (): string => `'${state('bin/guard')}' claude-code`;
  const alone = (): string => `'${process.execPath}' '${path.join(root, 'dist/hook.cjs')}' guard claude-code`;
  const PLACES: readonly (readonly [string, () => string, RegExp])[] = [
    ['hook-address', () => state('hook-address'), /^deny$/],
    // The rules are not known: on_error decides.
    ['policy.yaml', () => at('.config/troupe/policy.yaml'), /^(?:ask|deny)$/],
    ["the project's policy.yaml", () => at('project/.troupe/policy.yaml'), /^deny$/],
    ['the transcript', () => claude(`${NESTED}.jsonl`), /^deny$/],
    ['the sidecar', sidecar, /^deny$/],
  ];

  it.each(PLACES)('hooks answer: %s', async (_what, place, answer) => {
    putFifo(place());
    expect(await decide(stub())).toMatch(answer);
    expect(await decide(alone())).toMatch(answer);
  });

  it('hooks answer: the compiled policy', async () => {
    for (const hook of [stub(), alone()]) {
      // Compiled again, if it was replaced before.
      expect(await decide(hook)).toBe('deny');
      for (const name of readdirSync(state('policy'))) if (name.endsWith('.json')) putFifo(state('policy', name));
      expect(await decide(hook)).toBe('deny');
    }
  });

  it('hooks answer: the queue and the log of errors', async () => {
    putFifo(state('spool'));
    putFifo(state('hook-errors.log'));
    putFifo(state('hook-failure'));
    for (const hook of [stub(), alone()]) expect(await decide(hook)).toBe('deny');
  });

  it('the stub asks without node, if on_error is one', async () => {
    putFifo(state('policy/user.on-error'));
    putFifo(state('hook-failure'));
    const text = readFileSync(state('bin/guard'), 'utf8').replace(/^node=.*$/m, 'node=/nowhere/node');
    writeFileSync(state('bin/guard'), text.replace(/^hook=.*$/m, 'hook=/nowhere/hook.cjs'));
    expect(await decide(stub())).toBe('ask');
  });

  it('hooks take another name for their queue file', async () => {
    // exec keeps the number of the process, which is part of the name.
    const first = `mkfifo '${state('spool')}'/.new-claude-code.$$.0; exec`;
    expect(await decide(`${first} ${stub()}`)).toBe('deny');
    await decide(`${first} '${state('bin/observe')}' claude-code`);
    for (const name of readdirSync(state('spool'))) if (name.startsWith('.new-')) fifos.push(state('spool', name));
    expect(readdirSync(state('spool')).filter((name) => name.endsWith('.1.json'))).toHaveLength(2);
  });

  it('the server answers hooks and goes on serving, if a sidecar is one', async () => {
    putFifo(sidecar());
    const server = await serve();
    await expect.poll(() => existsSync(state('hook-address')), { timeout: HANGS_MS }).toBe(true);
    for (let call = 0; call < 5; call++) expect(await decide(stub())).toBe('deny');
    expect((await server.sessions()).sessions.map(({ id }) => id)).toContain(NESTED);
  });

  it('troupe guard check names the policy that is one', async () => {
    putFifo(at('project/.troupe/policy.yaml'));
    const { code, out } = await run(['guard', 'check'], inProject());
    expect(code).toBe(1);
    expect(out).toContain('This is a FIFO, not a regular file.');
  });

  // Together only where none keeps a command from reading the others.
  it.each<[string, Readonly<Record<string, () => string>>]>([
    [
      "a log file, address.json, a host's settings",
      {
        log: () => state('audit/2026-01-01.jsonl'),
        address: () => state('address.json'),
        settings: () => at('.claude/settings.json'),
      },
    ],
    ['the head of the log, daemon.json', { head: () => state('audit/head.json'), daemon: () => state('daemon.json') }],
    [
      'an event in the queue, server.log',
      { event: () => state('spool/claude-code.1.1.json'), output: () => state('server.log') },
    ],
    ['the lock', { lock: () => state('audit/drain.lock') }],
    ['config.json', { config: () => at('.config/troupe/config.json') }],
  ])(
    'every command ends: %s',
    async (_, places) => {
      const files = Object.values(places).map((place) => place());
      putFifos(files);
      const commands = [
        ['guard', 'log', '--verify'],
        ['guard', 'log'],
        ['hooks', 'status'],
        ['server', 'status'],
        ['doctor'],
      ];
      const results = await Promise.all(commands.map((args) => run(args, inProject())));
      for (const { errors } of [...results, await run(['server', 'start'], inProject())])
        expect(errors).not.toContain('bug');
      if (places['log']) expect(results[0]?.out).toContain('2026-01-01.jsonl is a FIFO, not a regular file');
      if (places['daemon']) expect(results[4]?.out).toContain('daemon.json is a FIFO, not a regular file');
      for (const file of files) rmSync(file, { force: true });
      await run(['server', 'stop']);
    },
    400_000,
  );
});

describe.skipIf(process.platform === 'win32')('files named on the command line', () => {
  beforeEach(createHome);

  it('may be pipes', async () => {
    const troupe = `'${process.execPath}' '${path.join(root, 'dist/troupe.js')}'`;
    writeFileSync(at('policy.yaml'), 'version: 1\nrules: [{ tools: "Bash(rm:*)", decision: deny }]\n');
    writeFileSync(at('cases.yaml'), '- { command: rm x, expect: deny }\n');
    const [policy, cases] = [`'${at('policy.yaml')}'`, `'${at('cases.yaml')}'`];
    for (const script of [
      `${troupe} guard check <(cat ${policy})`,
      `cat ${policy} | ${troupe} guard check /dev/stdin`,
      `${troupe} guard test <(cat ${cases}) --policy ${policy}`,
    ]) {
      const { code, out, errors } = await run([], { instead: ['bash', '-c', script] });
      expect({ script, code, out, errors }).toMatchObject({ code: 0 });
    }
    // One that lies there may have been put in place of the file.
    const { code, out } = await run(['guard', 'test', putFifo(at('table.yaml'))]);
    expect([code, out]).toEqual([1, expect.stringContaining('This is a FIFO, not a regular file.')]);
  });
});
