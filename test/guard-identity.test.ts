import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openGuardLog } from '../src/audit/index.ts';
import type { AuditEntry } from '../src/core/index.ts';
import { type HookStubs, writeHookStubs } from '../src/hook/index.ts';
import { ADAPTERS } from '../src/hosts/registry.ts';
import { systemClock } from '../src/lib/clock.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { listDataFolders } from '../src/sessions/index.ts';
import { type ProgramHome, programIn } from './testing/program.ts';

// Who calls, where files say something else than the hook, and where an agent's command started the host: the built program, with and
// without a server. Hosts are real processes with their names.

const POLICY = `version: 1
presets: [sub-agents-may-not-push]
rules:
  - { agents: { type: coder }, tools: "Bash(rm:*)", decision: deny, reason: Coders keep files. }
  - { agents: { type: planner }, tools: "Bash(make:*)", decision: deny, reason: Planners build nothing. }
`;
const PROJECT_POLICY = 'version: 1\nrules: [{ tools: "Bash(curl:*)", decision: deny }]\n';

/** Runs as a host: calls its hook as an agent of it, then what the agent's command is, and says what each hook printed. */
const HOST = `import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
const { guard, host, payload, command, out, then } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const input = JSON.stringify(payload);
const { stdout } = spawnSync('sh', ['-c', "'" + guard + "' " + host], { input, encoding: 'utf8' });
appendFileSync(out, JSON.stringify({ host, stdout }) + '\\n');
if (command) spawnSync('bash', ['-c', command], { stdio: 'inherit' });
if (then) spawnSync(then, { shell: true, stdio: 'inherit' });
`;

/** The line of an agent that starts another: with it, nobody waits for a line that says who that one is. */
const spawnLine = (call: string): string => {
  const content = [{ type: 'tool_use', id: call, name: 'Agent', input: { prompt: 'Work', description: 'Work' } }];
  const message = { id: `msg_${call}`, role: 'assistant', model: 'claude-sonnet-4-5', content };
  return `${JSON.stringify({ type: 'assistant', uuid: `uuid-${call}`, timestamp: '2026-01-01T00:00:00.000Z', message })}\n`;
};

const NAMES = ['claude', 'codex', 'opencode', 'copilot', 'gemini', 'qwen'];
const SESSION = '0d1c2b3a-0000-4000-8000-00000000000';

for (const isServed of [false, true]) {
  describe(isServed ? 'with a server' : 'without a server', () => {
    let base = '';
    let state = '';
    let project = '';
    let program: ProgramHome;
    let stubs: HookStubs;
    let count = 0;
    const at = (...parts: readonly string[]): string => path.join(base, ...parts);
    const environment = (): NodeJS.ProcessEnv => {
      const { CLAUDE_CONFIG_DIR: _c, XDG_CONFIG_HOME: _x, TROUPE_AGENT: _a, TROUPE_PARENT: _p, ...clean } = process.env;
      return { ...clean, HOME: base, TROUPE_HOME: state, COPILOT_HOME: at('.copilot') };
    };

    beforeAll(async () => {
      base = realpathSync(makeTemporaryFolder('identity'));
      state = at('state');
      vi.stubEnv('COPILOT_HOME', at('.copilot'));
      project = at('project');
      for (const folder of ['project/.troupe', 'bin', '.claude/projects/p', 'state', 'elsewhere'])
        mkdirSync(at(...folder.split('/')), { recursive: true });
      writeFileSync(at('project/.troupe/policy.yaml'), PROJECT_POLICY);
      writeFileSync(at('state/policy.yaml'), POLICY);
      stubs = await writeHookStubs(state, { node: process.execPath, hookFile: path.resolve('dist/hook.cjs') });
      for (const name of NAMES) writeFileSync(at('bin', `${name}.mjs`), HOST);
      for (const name of NAMES) symlinkSync(process.execPath, at('bin', name));
      program = programIn(base, { env: { TROUPE_HOME: state }, cwd: project });
      if (!isServed) return;
      const server = program.start(['--no-open', '--json']);
      await vi.waitUntil(() => server.out().trimEnd().endsWith('}'), { timeout: 20_000 });
    });
    afterAll(() => {
      vi.unstubAllEnvs();
      return program.end();
    });

    /** As `troupe guard log` reads it, in this process: it is read after every call. */
    const log = async (): Promise<readonly AuditEntry[]> => {
      const machine = { env: process.env, home: base };
      const records = { hooks: path.join(state, 'hooks'), streams: path.join(state, 'streams') };
      const places = listDataFolders(ADAPTERS, machine, {}, records);
      return (await openGuardLog({ folder: state, places, clock: systemClock }).read({}, 500)).entries;
    };

    describe('files of Claude Code that say something else than its hook', () => {
      let session = '';
      const transcript = (): string => at('.claude/projects/p', `${session}.jsonl`);
      const sidecar = (agent: string): string =>
        at('.claude/projects/p', session, 'subagents', `agent-${agent}.meta.json`);
      const write = (agent: string, facts: object): void => writeFileSync(sidecar(agent), JSON.stringify(facts));
      beforeEach(() => {
        session = `${SESSION}${(count++).toString(16)}`;
        mkdirSync(path.dirname(sidecar('x')), { recursive: true });
        const first = `${JSON.stringify({ type: 'user', cwd: project, version: '2.1.325' })}\n`;
        writeFileSync(transcript(), `${first}${spawnLine('t1')}`);
        writeFileSync(sidecar('top').replace('.meta.json', '.jsonl'), spawnLine('t2'));
        write('top', { agentType: 'planner', spawnDepth: 1, toolUseId: 't1' });
        write('low', { agentType: 'tester', spawnDepth: 2, parentAgentId: 'top', toolUseId: 't2' });
      });
      const decide = (command: string, fields: object = {}, cwd = at('elsewhere')): string => {
        const payload = {
          ...{ session_id: session, transcript_path: transcript(), cwd: at('elsewhere'), prompt_id: 'p' },
          ...{ agent_id: 'low', agent_type: 'tester', hook_event_name: 'PreToolUse' },
          ...{ tool_name: 'Bash', tool_input: { command }, tool_use_id: `toolu_${count++}`, ...fields },
        };
        const { stdout } = spawnSync('sh', ['-c', `'${stubs.guard}' claude-code; true`], {
          ...{ input: JSON.stringify(payload), encoding: 'utf8', env: environment(), cwd },
        });
        return stdout === '' ? 'none' : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
      };

      it('leave nothing to doubt where they agree', async () => {
        expect([decide('ls'), decide('rm -r x'), decide('make all'), decide('git push')]).toEqual([
          ...['none', 'none', 'deny', 'deny'],
        ]);
        expect((await log()).filter((entry) => entry.session === session && entry.doubts)).toEqual([]);
      });

      it('bind an agent to the type of the hook, and to that of its file', async () => {
        write('low', { agentType: 'coder', spawnDepth: 2, parentAgentId: 'top' });
        expect([decide('rm -r x'), decide('make all')]).toEqual(['deny', 'deny']);
        write('low', { agentType: 'tester', spawnDepth: 2, parentAgentId: 'top' });
        expect(decide('rm -r x', { agent_type: 'coder' })).toBe('deny');
        const entries = (await log()).filter((entry) => entry.session === session);
        expect(entries.at(-1)).toMatchObject({ agent: { type: 'coder' } });
        for (const { doubts } of entries) expect(doubts?.join()).toContain('the hook says that its type is');
        const explained = await program.run(['guard', 'explain', String(entries[0]?.n), '--json']);
        expect(JSON.parse(explained.out).caveats.join()).toContain('Sources disagree about who called');
      });

      it.each<[string, () => void]>([
        ['is not there', () => rmSync(sidecar('low'))],
        ['is empty', () => writeFileSync(sidecar('low'), '')],
        ['is not an object', () => writeFileSync(sidecar('low'), '[]')],
        [
          'is huge',
          () =>
            writeFileSync(
              sidecar('low'),
              JSON.stringify({ agentType: 'tester', spawnDepth: 1, x: 'x'.repeat(2_000_000) }),
            ),
        ],
        ['has no depth', () => write('low', { agentType: 'tester' })],
        ['says that it is higher up, of the one above', () => rmSync(sidecar('top'))],
        [
          'is a link',
          () => {
            write('other', { agentType: 'tester', spawnDepth: 1 });
            rmSync(sidecar('low'));
            symlinkSync(sidecar('other'), sidecar('low'));
          },
        ],
        [
          'names a parent in a circle',
          () => write('top', { agentType: 'tester', spawnDepth: 1, parentAgentId: 'low' }),
        ],
      ])('hold it to the denies of every agent that may be above it where its file %s', (_, spoil) => {
        spoil();
        expect([decide('make all'), decide('ls')]).toEqual(['deny', 'none']);
      });

      it('hold it to what was above it when it first called', async () => {
        expect(decide('ls')).toBe('none');
        write('low', { agentType: 'tester', spawnDepth: 1 });
        expect(decide('make all')).toBe('deny');
        expect((await log()).findLast((entry) => entry.session === session)?.doubts?.join()).toContain(
          'when it first called',
        );
      });

      it('are reported by coverage and doctor, by the number of calls, as is an agent without a file', async () => {
        session = '0d1c2b3a-0000-4000-9000-000000000001';
        mkdirSync(path.dirname(sidecar('x')), { recursive: true });
        write('top', { agentType: 'planner', spawnDepth: 1, toolUseId: 't1' });
        write('low', { agentType: 'tester', spawnDepth: 2, parentAgentId: 'top', toolUseId: 't2' });
        const timestamp = new Date().toISOString();
        const base = {
          sessionId: session,
          timestamp,
          cwd: project,
          version: '2.1.325',
          isSidechain: false,
          userType: 'external',
        };
        const content = [{ type: 'tool_use', id: 'toolu_of_main', name: 'Bash', input: { command: 'ls' } }];
        const lines = [
          { ...base, type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Go.' } },
          {
            ...base,
            type: 'assistant',
            uuid: 'u2',
            parentUuid: 'u1',
            message: { id: 'm', role: 'assistant', content },
          },
        ];
        writeFileSync(transcript(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        expect(decide('ls')).toBe('none');
        write('low', { agentType: 'coder', spawnDepth: 2, parentAgentId: 'top' });
        expect(decide('ls')).toBe('none');
        rmSync(sidecar('low'));
        expect([decide('ls'), decide('pwd')]).toEqual(['none', 'none']);
        expect((await log()).findLast((entry) => entry.session === session)?.gap).toContain('not all agents above');
        const coverage = await program.run(['guard', 'coverage', session, '--json']);
        expect(coverage.errors).toBe('');
        expect(JSON.parse(coverage.out)).toMatchObject({ doubted: 3, gaps: 2 });
        const { findings } = JSON.parse((await program.run(['doctor', '--json'])).out);
        for (const [code, words] of [
          ['callers-disputed', 'the stricter reading held'],
          ['callers-unknown', 'not all agents above it are known'],
        ] as const)
          expect(findings).toContainEqual(
            expect.objectContaining({ code, level: 'warning', text: expect.stringContaining(words) }),
          );
      });

      it('do not take it out of a project: its folder, that of the host, and that of the transcript count', () => {
        writeFileSync(transcript(), `${JSON.stringify({ type: 'user', cwd: at('elsewhere'), version: '2.1.325' })}\n`);
        expect(decide('curl x')).toBe('none');
        expect(decide('curl x', { cwd: project })).toBe('deny');
        writeFileSync(transcript(), `${JSON.stringify({ type: 'user', cwd: project, version: '2.1.325' })}\n`);
        expect(decide('curl x')).toBe('deny');
      });

      it('of another session count for nothing', async () => {
        const own = transcript();
        session = `${SESSION}f`;
        expect(decide('make all', { transcript_path: own })).toBe('deny');
        expect((await log()).findLast((entry) => entry.session === session)?.doubts?.join()).toContain(
          'is not that of session',
        );
      });
    });

    describe.skipIf(process.platform !== 'linux')('a host that the command of a sub-agent started', () => {
      const ofClaude = (fields: object, session: string): object => {
        const transcript = at('.claude/projects/p', `${session}.jsonl`);
        const first = `${JSON.stringify({ type: 'user', cwd: at('elsewhere'), version: '2.1.325' })}\n`;
        writeFileSync(transcript, `${first}${spawnLine('t0')}`);
        mkdirSync(at('.claude/projects/p', session, 'subagents'), { recursive: true });
        writeFileSync(
          at('.claude/projects/p', session, 'subagents', 'agent-a1.meta.json'),
          JSON.stringify({ agentType: 'coder', spawnDepth: 1, toolUseId: 't0' }),
        );
        return {
          ...{ session_id: session, transcript_path: transcript, cwd: at('elsewhere'), prompt_id: 'p' },
          ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', ...fields },
        };
      };
      /** A call of its main agent. */
      const payloadOf = (name: string, command: string, id: string): object => {
        const folder = at('elsewhere');
        const claudeLike = { session_id: id, cwd: folder, hook_event_name: 'PreToolUse', tool_input: { command } };
        switch (name) {
          case 'opencode':
            return {
              ...{ hook: 'tool.execute.before', session: id, line: [{ id, directory: folder }], directory: folder },
              ...{ tool: 'bash', call: 'c1', args: { command } },
            };
          case 'codex': {
            const rollout = at(`rollout-x-${id}.jsonl`);
            const meta = { id, cwd: folder, source: 'exec' };
            writeFileSync(rollout, `${JSON.stringify({ type: 'session_meta', payload: meta })}\n`);
            return { ...claudeLike, tool_name: 'Bash', transcript_path: rollout, tool_use_id: 'c1' };
          }
          case 'copilot':
            mkdirSync(at('.copilot/session-state', id), { recursive: true });
            return { sessionId: id, cwd: folder, toolName: 'bash', toolArgs: { command } };
          case 'gemini':
            return { ...claudeLike, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command' };
          case 'qwen': {
            mkdirSync(at('.qwen/chats'), { recursive: true });
            const transcript = at('.qwen/chats', `${id}.jsonl`);
            writeFileSync(transcript, `${JSON.stringify({ type: 'user', version: '0.24.4' })}\n`);
            return { ...claudeLike, tool_name: 'run_shell_command', transcript_path: transcript };
          }
          default:
            return ofClaude({ tool_input: { command }, tool_use_id: 'c1' }, id);
        }
      };
      const hostOf = (name: string): string => (name === 'claude' ? 'claude-code' : name);
      const run = (file: string): string =>
        `${at('bin', path.basename(file).split('-')[0] ?? '')} ${at('bin', `${path.basename(file).split('-')[0]}.mjs`)} ${file}`;
      const plan = (name: string, payload: object, more: object = {}): string => {
        const file = at(`${name}-${count++}.json`);
        const out = at('out.jsonl');
        writeFileSync(file, JSON.stringify({ guard: stubs.guard, host: hostOf(name), payload, out, ...more }));
        return file;
      };
      const idOf = (name: string): string =>
        name === 'opencode' ? `ses_${count++}` : `0d1c2b3a-0000-4000-8000-${String(count++).padStart(12, '0')}`;
      /** An agent of Claude Code runs the command; gives the log's entries of the inner session's call. */
      const start = async (name: string, way: (run: string) => string, agent: object, text: string) => {
        const id = idOf(name);
        const inner = plan(name, payloadOf(name, text, id));
        const command = way(run(inner));
        const outer = idOf('claude');
        const call = ofClaude({ tool_input: { command }, tool_use_id: 't1', ...agent }, outer);
        spawnSync('bash', ['-c', run(plan('claude', call, { command }))], { env: environment(), cwd: at('elsewhere') });
        const entry = await until(async () => (await log()).find((one) => one.session === id), 'the inner call');
        return { entry, outer };
      };
      const CODER = { agent_id: 'a1', agent_type: 'coder' };
      const plain = (command: string): string => command;

      it.each(NAMES)('is below it, and bound by what binds it: %s', async (name) => {
        const { entry, outer } = await start(name, plain, CODER, 'git push');
        expect(entry).toMatchObject({
          decision: 'deny',
          rule: 'preset:sub-agents-may-not-push:1',
          startedBy: { agent: `claude-code:${outer}:a1`, path: ['main', 'coder'] },
        });
        expect(entry.agent.who).toBe(name === 'gemini' ? 'unknown' : 'main');
      });

      it.each<[string, (run: string) => string]>([
        ['exec', (command) => `exec ${command}`],
        ['a shell in between', (command) => `sh -c '${command}; true'`],
        ['setsid and nohup', (command) => `setsid -w nohup ${command}`],
        ['an empty environment', (command) => `env -i HOME=${base} PATH=/usr/bin:/bin TROUPE_HOME=${state} ${command}`],
        ['forged variables', (command) => `TROUPE_AGENT=claude-code:s:s:main TROUPE_PARENT= CLAUDE_PID=1 ${command}`],
        [
          'words that are put together when they run',
          (command) => `$(echo ${Buffer.from(command).toString('base64')} | base64 -d)`,
        ],
      ])('is below it by %s', async (_, way) => {
        const { entry, outer } = await start('claude', way, CODER, 'rm -r x');
        expect(entry).toMatchObject({ decision: 'deny', startedBy: { agent: `claude-code:${outer}:a1` } });
      });

      it('is below an agent that is not known where it was cut off, by the variable of the host', async () => {
        const way = (command: string): string => `(CLAUDECODE=1 setsid ${command} &) ; sleep 1`;
        const { entry } = await start('claude', way, {}, 'rm -r x');
        expect(entry).toMatchObject({ decision: 'deny', startedBy: { path: expect.arrayContaining(['?']) } });
      });

      it('is below the main agent, and a sub-agent of it, where that one started it', async () => {
        const push = await start('claude', plain, {}, 'git push');
        expect(push.entry).toMatchObject({ decision: 'deny', startedBy: { path: ['main'] } });
        // Of no type: what coders may not do, it may.
        expect((await start('claude', plain, {}, 'rm -r x')).entry).toMatchObject({ decision: 'none' });
      });

      it('is its own where a person started it, also by a launcher of the host', () => {
        const id = idOf('claude');
        const inner = run(plan('claude', payloadOf('claude', 'git push', id)));
        const launcher = at('launcher.mjs');
        writeFileSync(
          launcher,
          `import { spawnSync } from 'node:child_process';\nconst [program, ...args] = '${inner}'.split(' ');\nspawnSync(program, args);\n`,
        );
        rmSync(at('out.jsonl'), { force: true });
        for (const start of [inner, `${at('bin/claude')} ${launcher}`])
          spawnSync('bash', ['-c', start], { env: environment(), cwd: at('elsewhere') });
        const printed = readFileSync(at('out.jsonl'), 'utf8').trim().split('\n');
        expect(printed.map((line) => JSON.parse(line).stdout)).toEqual(['', '']);
      });
    });
  });
}
