import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/core/index.ts';
import { type AcrossHosts, addPlays, type PlayWords, startAcrossHosts } from './across-kit.ts';
import { programsIn } from './host-kit.ts';
import { nameOf, root } from './kit.ts';
import { type RunningServer, startServer } from './server.ts';

// Programs that a sub-agent of Claude Code starts by a command, without `inject_identity`: what it may not do, they may not do either,
// and the audit says whose they are. TROUPE_CLAUDE_BIN; TROUPE_OPENCODE_BIN and TROUPE_CODEX_BIN where they are to be run by it.

const POLICY = `version: 1
presets: [sub-agents-may-not-push, hands-off-the-guard]
rules:
  - { agents: { type: general-purpose }, tools: "Bash(rm:*)", decision: deny, reason: Helpers keep files. }
`;

const opencode = programsIn('TROUPE_OPENCODE_BIN').slice(0, 1);
const codex = programsIn('TROUPE_CODEX_BIN').slice(0, 1);

interface Way {
  readonly name: string;
  /** `run`: the inner program with what it is to do. */
  command(run: string): string;
  /** Nobody is above it by its processes: its parent is not known by name. */
  readonly isCutOff?: boolean;
}

const KEPT = ['PATH', 'HOME', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_TMPDIR'];
const kept = KEPT.map((name) => `${name}="$${name}"`).join(' ');
const WAYS: readonly Way[] = [
  { name: 'plain', command: (run) => run },
  { name: 'exec', command: (run) => `exec ${run}` },
  { name: 'shell', command: (run) => `bash -c '${run}'` },
  { name: 'setsid', command: (run) => `setsid -w nohup ${run}` },
  { name: 'env', command: (run) => `env -i ${kept} ${run}` },
  { name: 'detached', command: (run) => `(setsid nohup ${run} &) ; sleep 12`, isCutOff: true },
];

const inner = (host: string, name: string): string =>
  ({
    'claude-code': `claude -p "Go on. [[play:nested-${name}]]" --model claude-sonnet-4-5 --allowedTools Bash < /dev/null > /dev/null 2>&1`,
    opencode: `opencode run "Go on. [[play:nested-${name}]]" < /dev/null > /dev/null 2>&1`,
    codex: `codex exec --skip-git-repo-check --dangerously-bypass-hook-trust "Go on. [[play:nested-${name}]]" < /dev/null > /dev/null 2>&1`,
  })[host] ?? '';

const RUNS = [
  ...WAYS.map((way) => ({ host: 'claude-code', way })),
  ...[...opencode.map(() => 'opencode'), ...codex.map(() => 'codex')].map((host) => ({ host, way: WAYS[0] as Way })),
].map((run) => ({ ...run, name: `${run.host}-${run.way.name}` }));

for (const claude of programsIn('TROUPE_CLAUDE_BIN')) {
  for (const isServed of [false, true]) {
    describe(`${nameOf(claude)}, ${isServed ? 'with' : 'without'} a server: sessions that a sub-agent starts`, () => {
      let hosts: AcrossHosts;
      let server: RunningServer | undefined;
      let env: NodeJS.ProcessEnv = {};
      const troupe = (...args: readonly string[]): string => {
        const ran = spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], {
          env,
          encoding: 'utf8',
        });
        return ran.stdout;
      };
      const remote = (): string => path.join(hosts.home, 'remote.git');

      beforeAll(async () => {
        await addPlays(({ say, shell, agent }: PlayWords) => ({
          'nested-outer': [
            { items: [agent('Ask the others', 'Ask them. [[play:nested-asker]]')] },
            { items: [say('All were asked.')] },
          ],
          'nested-asker': [
            ...RUNS.map(({ host, way, name }) => ({ items: [shell(way.command(inner(host, name)), `Ask ${name}`)] })),
            { items: [say('They have answered.')] },
          ],
          ...Object.fromEntries(
            RUNS.map(({ name }) => [
              `nested-${name}`,
              [
                { items: [shell(`git push origin HEAD:refs/heads/${name}`, 'Push')] },
                { items: [shell(`rm -r build/${name}`, 'Remove')] },
                { items: [say('Done.')] },
                { items: [say('Done.')] },
              ],
            ]),
          ),
        }));
        const programs = [
          ['claude', claude] as const,
          ...opencode.map((place) => ['opencode', place] as const),
          ...codex.map((place) => ['codex', place] as const),
        ];
        hosts = await startAcrossHosts(`nested-${isServed}`, new Map(programs));
        execFileSync('git', ['init', '-q', '--bare', remote()]);
        execFileSync('git', ['-C', hosts.project, 'remote', 'add', 'origin', remote()]);
        for (const { name } of RUNS) mkdirSync(path.join(hosts.project, 'build', name), { recursive: true });
        const state = path.join(hosts.home, 'troupe');
        env = { ...hosts.env, TROUPE_HOME: state };
        mkdirSync(state);
        writeFileSync(path.join(state, 'policy.yaml'), POLICY);
        for (const host of new Set(RUNS.map((run) => run.host)))
          troupe('hooks', 'install', '--guard', '--scope', 'user', '--yes', '--host', host);
        troupe('guard', 'check');
        if (isServed) server = await startServer(undefined, env);
        const args = ['--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'];
        await hosts.run('claude', ['-p', 'Go. [[play:nested-outer]]', ...args, '--allowedTools', 'Agent,Task,Bash']);
      }, 240_000);
      afterAll(async () => {
        server?.stop();
        await hosts?.close();
      });

      it('deny them what the agent above may not do, and name it', () => {
        const entries = troupe('guard', 'log', '-n', '500', '--json')
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line): AuditEntry => JSON.parse(line));
        if (process.env['TROUPE_TELL'])
          for (const { host, summary, decision, rule, reason, agent, startedBy, doubts } of entries)
            process.stdout.write(
              `${JSON.stringify({ host, summary, decision, rule, reason, path: agent.path, startedBy, doubts })}\n`,
            );
        for (const { name, host, way } of RUNS) {
          const push = entries.find(({ summary }) => summary?.endsWith(`refs/heads/${name}`));
          const removal = entries.find(({ summary }) => summary === `rm -r build/${name}`);
          const told = { host, decision: 'deny' };
          expect(push, name).toMatchObject({ ...told, rule: 'preset:sub-agents-may-not-push:1' });
          expect(removal, name).toMatchObject({ ...told, rule: 'user:1' });
          expect(push?.startedBy?.path.at(-1), name).toBe(way.isCutOff ? '?' : 'general-purpose');
        }
        expect(execFileSync('git', ['-C', remote(), 'branch'], { encoding: 'utf8' })).toBe('');
      });
    });
  }
}
