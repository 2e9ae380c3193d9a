import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest, AuditEntry, CoverageReport } from '../../src/core/index.ts';
import { isAtLeast } from '../../src/lib/version-number.ts';
import { kit, root, work } from './kit.ts';
import { isSecondProgram, programs, type ServedProject, serveOpencode, versionOf } from './opencode-server.ts';
import { answer, getJson, type RunningServer, startServer } from './server.ts';

// The plugin as `troupe hooks install --host opencode --guard` writes it, inside the real OpenCode. In the play, a sub-agent
// wants to remove the folder `build`.

const RULE = `  - name: no removals by helpers
    agents: { type: general }
    tools: "Bash(rm:*)"
    reason: Ask a person to do it.
`;
const policy = (decision: string): string => `version: 1\nrules:\n${RULE}    decision: ${decision}\n`;

for (const program of programs) {
  const version = versionOf(program);
  describe(`the guard inside OpenCode ${version}`, () => {
    const own = mkdtempSync(path.join(work, `opencode-guard-${version}-`));
    const state = path.join(own, 'state');
    let host: ServedProject;
    let server: RunningServer | undefined;

    const troupe = (...args: readonly string[]): string => {
      const env = { ...process.env, ...host?.env, TROUPE_HOME: state };
      const options = { env, cwd: host?.project ?? own, encoding: 'utf8' } as const;
      return spawnSync(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], options).stdout;
    };
    const start = async (scenario: string, permission: object, settings: object = {}): Promise<void> => {
      host = await serveOpencode({
        program,
        root: own,
        scenario,
        permission: { '*': 'allow', ...permission },
        settings,
        prepare(env, project) {
          host = { env, project } as ServedProject;
          troupe('hooks', 'install', '--host', 'opencode', '--guard', '--yes', '--host-version', version);
        },
      });
    };
    const serve = async (): Promise<RunningServer> => {
      server = await startServer(host.data, { ...process.env, TROUPE_HOME: state });
      return server;
    };
    const isThere = (): boolean => existsSync(path.join(host.project, 'build', 'out.txt'));
    const entriesOf = (session: string, summary: RegExp): readonly AuditEntry[] =>
      troupe('guard', 'log', '--session', session, '-n', '100', '--json')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as AuditEntry)
        .filter((entry) => entry.tool === 'Bash' && summary.test(entry.summary ?? ''));
    const removals = (session: string): readonly AuditEntry[] => entriesOf(session, /^rm -rf build$/);
    const asked = (running: RunningServer): Promise<ApprovalRequest> =>
      vi.waitUntil(
        async () =>
          (await getJson<{ asks: ApprovalRequest[] }>(running, '/api/asks')).asks.find(({ end }) => end === null),
        { timeout: 60_000, interval: 100 },
      ) as Promise<ApprovalRequest>;
    const resultOf = (session: string): Promise<string> => host.commandOf(session);

    beforeAll(() => mkdirSync(state, { recursive: true }));
    afterAll(() => server?.stop());

    describe('where the program itself allows everything', () => {
      beforeAll(() => start('allows', {}), 120_000);
      afterAll(() => host.close());

      it('a denied command does not run, with and without a server, and the log names the agent', async () => {
        writeFileSync(path.join(state, 'policy.yaml'), policy('deny'));
        for (const isServed of [false, true]) {
          if (isServed) await serve();
          const session = await host.prompt('guarded');
          await host.untilIdle(session);
          expect(isThere()).toBe(true);
          expect(await resultOf(session)).toMatch(/^error: .*Ask a person to do it/s);
          const [entry] = removals(session);
          expect(entry).toMatchObject({ decision: 'deny', rule: 'user:1', tool: 'Bash', host: 'opencode' });
          expect(entry?.agent).toMatchObject({ who: 'subagent', type: 'general', depth: 1, evidence: 'exact' });
          expect(entry?.agent.path).toEqual(['main', 'Clean up']);
          const coverage: CoverageReport = JSON.parse(troupe('guard', 'coverage', session, '--json'));
          expect([coverage.missed, coverage.unresolved, coverage.heard]).toEqual([[], [], coverage.ran]);
          expect(coverage.ran).toBeGreaterThan(1);
        }
      });

      it('a command that is asked about runs when a person says yes on the page', async () => {
        const served = server ?? (await serve());
        writeFileSync(path.join(state, 'policy.yaml'), policy('ask'));
        const session = await host.prompt('guarded');
        const ask = await asked(served);
        expect(ask).toMatchObject({ tool: 'Bash', summary: 'rm -rf build', rule: 'user:1', otherwise: 'deny' });
        expect(isThere()).toBe(true);
        expect(await answer(served, ask.id, 'allow')).toBe(200);
        await host.untilIdle(session);
        expect(isThere()).toBe(false);
        expect(removals(session)[0]).toMatchObject({ decision: 'allow', answeredBy: 'page' });
      });
    });

    describe('where agents may have agents', () => {
      const agent = { general: { permission: { task: 'allow', subagent: 'allow' } } };
      beforeAll(async () => {
        server?.stop();
        server = undefined;
        await addDeepPlays();
        const depth = isSecondProgram(program) ? { experimental: { subagent_depth: 3 } } : { subagent_depth: 3 };
        await start('deep', {}, { ...(isAtLeast(version, '1.18.2') && depth), agent });
      }, 120_000);
      afterAll(() => host.close());

      const deepest = isAtLeast(version, '1.18.2') ? DEPTHS : [1, 2];
      const files = () => readdirSync(path.join(host.project, 'build')).toSorted();
      const fileAt = (depth: number): string => `depth-${depth}`;
      /** Each agent of a chain removes the file of its own depth. */
      const playAt = async (
        rule: string,
        mode: string,
      ): Promise<{ session: string; entries: readonly AuditEntry[] }> => {
        writeFileSync(path.join(state, 'policy.yaml'), rule);
        for (const depth of [0, ...deepest]) writeFileSync(path.join(host.project, 'build', fileAt(depth)), '');
        const session = await host.prompt(`deep-${mode}-${deepest.length}`);
        const entries = () => entriesOf(session, /^rm build/);
        await vi.waitUntil(() => entries().length > deepest.length, { timeout: 60_000, interval: 500 });
        await host.untilIdle(session);
        return { session, entries: entries() };
      };
      const labels = ['main', 'Lead', 'Helper', 'Worker'];

      describe.each(['no server', 'a server', 'a server of another folder'])('with %s', (which) => {
        beforeAll(async () => {
          if (which === 'a server') await serve();
          if (which === 'a server of another folder')
            server = await startServer(own, { ...process.env, TROUPE_HOME: state });
        });
        afterAll(() => {
          server?.stop();
          server = undefined;
        });

        it.each(which === 'no server' ? deepest : [2])(
          'denies by the depth %i, and allows all other depths',
          async (depth) => {
            const { entries } = await playAt(rule(`depth: ${depth}`), 'foreground');
            expect(files()).toEqual(['out.txt', fileAt(depth)].toSorted());
            const seen = entries.map(({ agent: { depth: at, path: labelled }, decision, rule: by }) => ({
              at,
              labelled,
              decision,
              by,
            }));
            const expected = [0, ...deepest].map((at) => ({
              at,
              labelled: labels.slice(0, at + 1),
              decision: at === depth ? 'deny' : 'none',
              by: at === depth ? 'user:1' : null,
            }));
            expect(seen.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))).toEqual(expected);
          },
        );
      });

      it.each(['foreground', 'background'])('denies agents of agents in the %s, all calls covered', async (mode) => {
        server ??= await serve();
        const { session, entries } = await playAt(rule('depth: ">=2"'), mode);
        expect(files()).toEqual(['out.txt', ...deepest.slice(1).map(fileAt)].toSorted());
        for (const entry of entries.filter(({ decision }) => decision === 'deny'))
          expect(entry.agent).toMatchObject({ who: 'subagent', type: 'general', evidence: 'exact' });
        const shown = () => JSON.parse(troupe('tree', session, '--json'));
        const agents = () =>
          shown()
            .agents.map((one: Shown) => `${one.depth} ${one.description} ${one.status}`)
            .slice(1);
        const expected = deepest.map((depth) => `${depth} ${labels[depth]} completed`);
        await vi
          .waitUntil(() => agents().join() === expected.join(), { timeout: 60_000, interval: 500 })
          .catch(() => undefined);
        expect(agents()).toEqual(expected);
        const coverage: CoverageReport = JSON.parse(troupe('guard', 'coverage', session, '--json'));
        expect([coverage.missed, coverage.unresolved, coverage.heard]).toEqual([[], [], coverage.ran]);
      });

      it('leaves nothing behind when it is uninstalled, and nothing is guarded then', async () => {
        const config = path.join(host.env['XDG_CONFIG_HOME'] ?? '', 'opencode');
        const left = () => readdirSync(config, { recursive: true }).filter((name) => /troupe/i.test(String(name)));
        expect(left()).not.toEqual([]);
        troupe('hooks', 'uninstall', '--host', 'opencode', '--yes');
        expect(left()).toEqual([]);
        expect(readFileSync(path.join(config, 'opencode.json'), 'utf8')).not.toMatch(/troupe/i);
      });
    });

    describe('where the program itself asks', () => {
      beforeAll(async () => {
        rmSync(path.join(state, 'policy.yaml'), { force: true });
        await start('asks', { bash: 'ask' });
        server?.stop();
        await serve();
      }, 120_000);
      afterAll(() => host.close());

      it('the question of a sub-agent is shown, and the answer reaches the program', async () => {
        const served = server as RunningServer;
        for (const said of ['deny', 'allow'] as const) {
          const session = await host.prompt('guarded');
          const ask = await asked(served);
          expect(ask).toMatchObject({ tool: 'Bash', summary: 'rm -rf build', rule: null, otherwise: null });
          expect(ask.reason).toContain(
            `OpenCode asks for a permission: ${host.isSecond ? 'shell' : 'bash'} rm -rf build`,
          );
          await vi.waitUntil(() => statusesIn(troupe('tree', session, '--json')).includes('waiting permission'), {
            timeout: 20_000,
            interval: 500,
          });
          expect(isThere()).toBe(true);
          expect(await answer(served, ask.id, said)).toBe(200);
          await host.untilIdle(session);
          expect(isThere()).toBe(said === 'deny');
          // What was said with a no is not in the error since 2.0.
          const denied = host.isSecond
            ? /^error: Unable to execute command/
            : /^error: .*A person was asked and denied it/s;
          if (said === 'deny') expect(await resultOf(session)).toMatch(denied);
          expect(removals(session).at(-1)).toMatchObject({ decision: said, answeredBy: 'page' });
        }
      });

      it('a question that is answered in the program itself is taken back', async () => {
        const served = server as RunningServer;
        const session = await host.prompt('guarded');
        const ask = await asked(served);
        await host.reply('once');
        await host.untilIdle(session);
        const { asks } = await getJson<{ asks: ApprovalRequest[] }>(served, '/api/asks');
        expect(asks.find(({ id }) => id === ask.id)?.end).toMatchObject({ decision: null, by: 'withdrawn' });
      });
    });
  });
}

interface Shown {
  readonly depth: number;
  readonly description: string | null;
  readonly status: string;
}

const DEPTHS = [1, 2, 3];

const rule = (selector: string): string => `version: 1
rules:
  - name: no removals at this depth
    agents: { ${selector} }
    tools: "Bash(rm:*)"
    reason: Ask a person to do it.
    decision: deny
    own_calls_only: true
`;

/** Chains of agents, in which each one removes the file of its depth. */
async function addDeepPlays(): Promise<void> {
  const { PLAYS, agent, say, shell } = await import(pathToFileURL(path.join(kit, 'plays.mjs')).href);
  const names = ['', 'Lead', 'Helper', 'Worker'];
  for (const mode of ['foreground', 'background'])
    for (const deepest of [2, 3])
      for (const depth of [0, ...DEPTHS.slice(0, deepest)]) {
        const of = (at: number): string => (at === 0 ? `deep-${mode}-${deepest}` : `deep-${mode}-${deepest}-${at}`);
        const background = mode === 'background' && depth === 0;
        const next = agent(names[depth + 1], `Have it removed. [[play:${of(depth + 1)}]]`, { background });
        const own = shell(`rm build/depth-${depth}`, 'Remove a file');
        const items = depth < deepest ? [own, next] : [own];
        const done = { items: [say('Done.')] };
        PLAYS[of(depth)] = [{ items }, done, done, done];
      }
}

function statusesIn(tree: string): readonly string[] {
  const { agents = [] } = tree.trim() === '' ? {} : JSON.parse(tree);
  return agents.map(({ status, waitingOn }: { status: string; waitingOn: string | null }) => `${status} ${waitingOn}`);
}
