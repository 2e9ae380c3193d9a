import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry, SessionDetail, SessionsReport, TreeReport } from '../../src/core/index.ts';
import { type AcrossHosts, addPlays, startAcrossHosts } from './across-kit.ts';
import { programsIn } from './host-kit.ts';
import { nameOf, root } from './kit.ts';
import { getJson, type RunningServer, startServer } from './server.ts';

// Programs that print no id of their session, run by a sub-agent whose commands are told who runs them: the hooks of the
// inner program hand that on. TROUPE_CLAUDE_BIN, and TROUPE_OPENCODE_BIN where that is to be run by it.

const POLICY = `version: 1
rules:
  - { tools: Bash, decision: allow, inject_identity: true }
  - { agents: { type: general-purpose }, tools: "Bash(rm:*)", decision: deny, reason: Helpers keep files. }
`;

const opencode = programsIn('TROUPE_OPENCODE_BIN').slice(0, 1);
const codex = process.platform === 'linux' ? programsIn('TROUPE_CODEX_BIN').slice(0, 1) : [];
const HOOKED = [
  { host: 'claude-code', command: 'env -u CLAUDECODE claude -p "Please do it. [[play:slow]]" --allowedTools Bash' },
  ...opencode.map(() => ({ host: 'opencode', command: 'opencode run "Please do it. [[play:slow]]"' })),
];
/** No hooks of ours, and nothing is printed: its process tells, to whoever follows it as long as it is there. */
const UNHOOKED = codex.map(() => ({
  host: 'codex',
  command: 'codex exec --skip-git-repo-check "Please do it. [[play:slow-free]]" < /dev/null > /dev/null 2>&1',
}));
const INNER = [...HOOKED, ...UNHOOKED];

for (const claude of programsIn('TROUPE_CLAUDE_BIN')) {
  describe(`guarded: ${nameOf(claude)} and the programs that it runs`, () => {
    let hosts: AcrossHosts;
    let server: RunningServer | undefined;
    let env: NodeJS.ProcessEnv = {};
    const seenAtWork = new Set<string>();
    const troupe = (...args: readonly string[]): string => {
      const ran = spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env, encoding: 'utf8' });
      if (ran.status !== 0) throw new Error(ran.stderr);
      return ran.stdout;
    };

    beforeAll(async () => {
      await addPlays(({ say, shell, agent }) => ({
        guarded: [
          { items: [agent('Ask the others', 'Ask them. [[play:guarded-asker]]')] },
          { items: [say('All were asked.')] },
        ],
        'guarded-asker': [
          ...INNER.map(({ command, host }) => ({ items: [shell(command, `Ask ${host}`)] })),
          { items: [say('They have answered.')] },
        ],
        'slow-free': [{ items: [shell('sleep 3', 'Think')] }, { items: [say('Done.')] }],
        slow: [
          { items: [shell('sleep 3', 'Think')] },
          { items: [shell('rm -rf build/out.txt', 'Remove')] },
          { items: [say('Done.')] },
        ],
      }));
      const name = `guarded-${claude.replaceAll(/[^\w.]+/g, '-')}`;
      const programs = [
        ['claude', claude] as const,
        ...opencode.map((place) => ['opencode', place] as const),
        ...codex.map((place) => ['codex', place] as const),
      ];
      hosts = await startAcrossHosts(name, new Map(programs));
      const state = path.join(hosts.home, 'troupe');
      env = { ...hosts.env, TROUPE_HOME: state };
      mkdirSync(state);
      writeFileSync(path.join(state, 'policy.yaml'), POLICY);
      for (const { host } of HOOKED) troupe('hooks', 'install', '--guard', '--scope', 'user', '--yes', '--host', host);
      troupe('guard', 'check');
      server = await startServer(undefined, env);
    }, 60_000);
    afterAll(async () => {
      server?.stop();
      await hosts?.close();
    });

    it('while they run: below the agent, by what their process was told', async () => {
      const looking = setInterval(() => void look(), 200);
      const look = async (): Promise<void> => {
        if (!server) return;
        const { sessions } = await getJson<SessionsReport>(server, '/api/sessions');
        for (const { id } of sessions) {
          const { subagents } = await getJson<SessionDetail>(server, `/api/sessions/${id}`);
          for (const one of subagents)
            if (one.kind === 'session' && one.status === 'running')
              seenAtWork.add(`${one.host} ${one.evidence?.source}`);
        }
      };
      const args = ['--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'];
      await hosts.run('claude', ['-p', 'Please do it. [[play:guarded]]', ...args, '--allowedTools', 'Agent,Task']);
      clearInterval(looking);
      expect([...seenAtWork].sort()).toEqual(INNER.map(({ host }) => `${host} environment`).sort());
    });

    it('afterwards, from the disk: the same links', () => {
      expect(JSON.parse(troupe('ls', '--json')).sessions).toHaveLength(1 + UNHOOKED.length);
      const { sessions }: SessionsReport = JSON.parse(troupe('ls', '--host', 'claude-code', '--json'));
      const outer = sessions[0]?.id ?? '';
      const { agents }: TreeReport = JSON.parse(troupe('tree', outer, '--json'));
      const asker = agents.find(({ description }) => description === 'Ask the others');
      const started = agents.filter(({ kind }) => kind === 'session');
      expect(
        started.map(({ host, parentId, evidence, toolUseId }) => [
          host,
          parentId,
          evidence?.source,
          toolUseId !== null,
        ]),
      ).toEqual(HOOKED.map(({ host }) => [host, asker?.id, 'environment', true]));
    });

    it('what the agent above may not do, they may not do either', () => {
      const lines = troupe('guard', 'log', '-n', '100', '--json')
        .split('\n')
        .filter((line) => line.startsWith('{'));
      const removals = lines
        .map((line): AuditEntry => JSON.parse(line))
        .filter(({ summary }) => summary?.startsWith('rm '));
      expect(removals.map(({ host, decision, rule }) => [host, decision, rule])).toEqual(
        HOOKED.map(({ host }) => [host, 'deny', 'user:2']),
      );
      expect(existsSync(path.join(hosts.project, 'build/out.txt'))).toBe(true);
    });
  });
}
