import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest } from '../../src/core/index.ts';
import { work } from './kit.ts';
import { programs, type ServedProject, serveOpencode, versionOf } from './opencode-server.ts';
import { answer, getJson, type RunningServer, startServer } from './server.ts';

// The server of the real OpenCode asks for a permission of a sub-agent, and no plugin of ours is installed: the question is heard at
// the server itself, and answered there. In the play, a sub-agent wants to remove the folder `build`.

const PASSWORD = 'open sesame';

for (const program of programs) {
  const version = versionOf(program);
  const hasDatabase = !version.startsWith('1.1.');
  const doors = ['by its address', ...(hasDatabase ? ['found by its data folder'] : [])];
  describe.each(doors)(`questions at the server of OpenCode ${version}, %s`, (door) => {
    const own = mkdtempSync(path.join(work, `opencode-questions-${version}-`));
    let host: ServedProject;
    let troupe: RunningServer | undefined;
    const asked = (end: 'open' | 'ended'): Promise<ApprovalRequest> =>
      vi.waitUntil(
        async () =>
          (await getJson<{ asks: ApprovalRequest[] }>(troupe as RunningServer, '/api/asks')).asks.findLast(
            (ask) => (ask.end === null) === (end === 'open'),
          ),
        { timeout: 60_000, interval: 100 },
      ) as Promise<ApprovalRequest>;
    const statuses = async (session: string): Promise<readonly string[]> => {
      const route = `/api/sessions/${session}`;
      const { subagents = [] } = await getJson<{ subagents?: { status: string; waitingOn: unknown }[] }>(
        troupe as RunningServer,
        route,
      );
      return subagents.map(({ status, waitingOn }) => `${status} ${waitingOn}`);
    };
    const isThere = (): boolean => existsSync(path.join(host.project, 'build', 'out.txt'));

    beforeAll(async () => {
      mkdirSync(path.join(own, 'state'), { recursive: true });
      const permission = { '*': 'allow', bash: 'ask' };
      host = await serveOpencode({ program, root: own, scenario: 'asks', permission, password: PASSWORD });
      const where = door === 'by its address' ? host.url : host.data;
      if (where === host.data) mkdirSync(where, { recursive: true });
      const env = { ...process.env, TROUPE_HOME: path.join(own, 'state'), OPENCODE_SERVER_PASSWORD: PASSWORD };
      troupe = await startServer(where, env);
    }, 120_000);
    afterAll(async () => {
      troupe?.stop();
      await host?.close();
    });

    it.each(['deny', 'allow'] as const)('are shown, and the program takes the answer: %s', async (said) => {
      const session = await host.prompt('guarded');
      const ask = await asked('open');
      expect(ask).toMatchObject({ host: 'opencode', session, tool: 'Bash', summary: 'rm -rf build', otherwise: null });
      expect(ask.agent).toMatchObject({ who: 'subagent', type: 'general', depth: 1, evidence: 'exact' });
      expect(ask.reason).toContain(`OpenCode asks for a permission: ${host.isSecond ? 'shell' : 'bash'} rm -rf build`);
      await vi.waitUntil(async () => (await statuses(session)).includes('waiting permission'), {
        timeout: 20_000,
        interval: 200,
      });
      expect(isThere()).toBe(true);
      expect(await answer(troupe as RunningServer, ask.id, said)).toBe(200);
      await host.untilIdle(session);
      expect(isThere()).toBe(said === 'deny');
      expect(await statuses(session)).not.toContain('waiting permission');
    });

    it('are taken back where the program itself was answered', async () => {
      const session = await host.prompt('guarded');
      const { id } = await asked('open');
      await host.reply('reject');
      await host.untilIdle(session);
      expect(await asked('ended')).toMatchObject({ id, end: { decision: null, by: 'withdrawn' } });
    });
  });
}
