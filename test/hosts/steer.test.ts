import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPlays } from './across-kit.ts';
import { programsIn } from './host-kit.ts';
import { nameOf, root, work } from './kit.ts';
import { type ServedProject, serveOpencode, versionOf } from './opencode-server.ts';

// troupe send and troupe stop at a real OpenCode server, by its address and by its data folder. TROUPE_OPENCODE_BIN.

for (const program of programsIn('TROUPE_OPENCODE_BIN')) {
  describe(`OpenCode ${versionOf(program)} as a server`, () => {
    let served: ServedProject;
    const troupe = (...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> =>
      new Promise((resolve, reject) => {
        const env = { ...served.env, TROUPE_HOME: path.join(work, 'steer-state') };
        const child = spawn(process.execPath, [path.join(root, 'dist/troupe.js'), ...args], { env });
        let out = '';
        child.stdout.on('data', (chunk) => (out += chunk));
        child.stderr.on('data', (chunk) => (out += chunk));
        child.once('error', reject);
        child.once('close', (code) => resolve({ code: code ?? -1, out }));
      });
    const messages = (session: string) => served.messages(session);
    const childOf = async (session: string): Promise<string> => {
      await expect.poll(() => served.children(session), { timeout: 60_000 }).toHaveLength(1);
      return (await served.children(session))[0] ?? '';
    };

    beforeAll(async () => {
      await addPlays(({ say, agent, shell }) => ({
        steered: [{ items: [agent('Endless job', 'Loop. [[play:steered-sub]]')] }, { items: [say('It is over.')] }],
        'steered-sub': [{ items: [shell('sleep 60', 'Sleep long')] }, { items: [say('never reached')] }],
      }));
      const scenario = `steer-${nameOf(program).replaceAll(/[^\w.]+/g, '-')}`;
      const permission = { bash: 'allow', edit: 'allow' };
      served = await serveOpencode({ program, root: path.join(work, 'steer'), scenario, permission });
    }, 120_000);
    afterAll(() => served?.close());

    it('send: a sub-agent that has ended is told something, and answers', async () => {
      const session = await served.prompt('single');
      await served.untilIdle(session);
      const child = await childOf(session);
      const before = (await messages(child)).length;
      const where = ['--root', served.url];
      const sent = await troupe('send', child, 'Which file was it? [[play:plain]]', ...where);
      expect(sent).toEqual({ code: 0, out: expect.stringContaining('has the message') });
      await expect
        .poll(async () => JSON.stringify((await messages(child)).slice(before)), { timeout: 30_000 })
        .toContain('Hello. No sub-agents needed.');
    });

    it.skipIf(process.platform !== 'linux')(
      'stop: the server of the data folder is found, and the agent ends',
      async () => {
        const session = await served.prompt('steered');
        const child = await childOf(session);
        await expect.poll(async () => JSON.stringify(await messages(child)), { timeout: 30_000 }).toContain('sleep 60');
        const stopped = await troupe('stop', child);
        expect(stopped).toEqual({ code: 0, out: expect.stringContaining('has stopped it') });
        await served.untilIdle(session);
        expect(JSON.stringify(await messages(child))).not.toContain('never reached');
        const again = await troupe('stop', child);
        expect(again).toEqual({ code: 1, out: 'It was not stopped: it is not at work.\n' });
      },
    );
  });
}
