import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/core/index.ts';
import { isAtLeast } from '../../src/lib/version-number.ts';
import { type GuardedProgram, RECIPES, startGuarded } from './guarded-hosts.ts';
import { programsIn } from './host-kit.ts';
import { type RunningServer, startServer } from './server.ts';

// One policy file for every host: sub-agents remove nothing, and nor does anybody whom no one knows. The main agent may.
// TROUPE_CODEX_BIN, TROUPE_COPILOT_BIN, TROUPE_GEMINI_BIN, TROUPE_QWEN_BIN (with Node 22 first in the PATH): one or more programs each.

const POLICY = `version: 1
defaults: { unknown: deny }
rules:
  - name: no removals by helpers
    agents: { kind: subagent }
    tools: "Bash(rm:*)"
    decision: deny
    reason: Ask a person to do it.
`;

/** From which version on main is told from sub-agents, without a server and with one; none: never. */
const NAMES_SINCE: Readonly<Record<string, readonly [alone: string, served: string]>> = {
  codex: ['0.124.0', '0.124.0'],
  copilot: ['1.0.50', '1.0.50'],
  // In 0.21 by the file in which the call stands: a moment later, which a server waits for.
  qwen: ['0.23.0', '0.21.0'],
};

for (const recipe of RECIPES) {
  const { host } = recipe;
  for (const bin of programsIn(`TROUPE_${host.toUpperCase()}_BIN`)) {
    const [version = ''] = /\d+\.\d+\.\d+/.exec(bin) ?? [];
    describe(`the guard of ${host} ${version}`, () => {
      let program: GuardedProgram;
      let server: RunningServer | undefined;
      const removalOf = (who: string): AuditEntry | undefined =>
        program.log().findLast(({ summary }) => summary === `rm -r build/${who}`);

      beforeAll(async () => {
        program = await startGuarded(recipe, bin);
        program.setPolicy(POLICY);
        program.troupe('guard', 'check');
      }, 120_000);
      afterAll(async () => {
        await program.close();
        server?.stop();
      });

      it('is in order, by status and by doctor', () => {
        const status = JSON.parse(program.troupe('hooks', 'status', '--host', host, '--json'));
        expect(status).toMatchObject({ hostVersion: version, isComplete: true, beforeCalls: [{ role: 'guard' }] });
        const { findings } = JSON.parse(program.troupe('doctor', '--json'));
        const codes = findings.map(({ code }: { code: string }) => code);
        expect(codes).toContain('hooks-proven');
        expect(codes).not.toContain('hooks-misnamed');
      });

      for (const isServed of [false, true]) {
        const [alone, served] = NAMES_SINCE[host] ?? [];
        const since = isServed ? served : alone;
        const names = since !== undefined && isAtLeast(version, since);
        const namesNobody = served === undefined || !isAtLeast(version, served);
        describe(isServed ? 'with a server' : 'without a server', () => {
          beforeAll(async () => {
            if (isServed) server = await startServer(program.data, { ...process.env, ...program.env });
          });

          it.runIf(names)('a sub-agent is denied what main may do, and the log names both', async () => {
            const left = await program.run('guarded-both');
            expect([left.includes('main'), left.includes('helper')]).toEqual([false, true]);
            const [main, helper] = [removalOf('main'), removalOf('helper')];
            expect(main).toMatchObject({ host, tool: 'Bash', decision: 'none', agent: { who: 'main' } });
            expect(helper).toMatchObject({ host, tool: 'Bash', decision: 'deny', rule: 'user:1' });
            expect(helper?.reason).toContain('Ask a person to do it.');
            expect(helper?.agent).toMatchObject({ who: 'subagent', evidence: 'exact', depth: 1 });
            expect(helper?.agent.path).toHaveLength(2);
            expect(helper?.session).toBe(main?.session);
          });

          it.runIf(names)('so is an agent of an agent', async ({ skip }) => {
            const left = await program.run('guarded-nested');
            const leaf = removalOf('leaf');
            if (!leaf) skip(`${version} lets no agents nest`);
            expect(left).toContain('leaf');
            expect(leaf).toMatchObject({ decision: 'deny', agent: { who: 'subagent', depth: 2 } });
            expect(leaf?.agent.path).toHaveLength(3);
          });

          it.runIf(namesNobody)('the default for unknown agents decides, whoever it is', async () => {
            const decided = async (policy: string): Promise<readonly string[]> => {
              program.setPolicy(policy);
              program.troupe('guard', 'check');
              return program.run('guarded-both');
            };
            // A rule that may be about an unknown agent holds for it.
            expect(await decided(POLICY.replace('unknown: deny', 'unknown: none'))).toContain('main');
            const hasAgents = removalOf('helper') !== undefined;
            for (const who of hasAgents ? ['main', 'helper'] : ['main'])
              expect(removalOf(who)).toMatchObject({ decision: 'deny', rule: 'user:1', agent: { who: 'unknown' } });
            await decided('version: 1\ndefaults: { unknown: deny }\n');
            expect(removalOf('main')).toMatchObject({ decision: 'deny', rule: null, agent: { who: 'unknown' } });
            const left = await decided('version: 1\ndefaults: { unknown: none, main: deny, subagent: deny }\n');
            for (const who of hasAgents ? ['main', 'helper'] : ['main']) {
              expect(left).not.toContain(who);
              expect(removalOf(who)).toMatchObject({ decision: 'none', agent: { who: 'unknown' } });
            }
            program.setPolicy(POLICY);
            program.troupe('guard', 'check');
          });
        });
      }
    });
  }
}
