import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { computeTree, type LiveTrees, nativeId } from '../../src/core/index.ts';
import { opencode } from '../../src/hosts/opencode/index.ts';
import { type DataFolder, startTracker } from '../../src/sessions/index.ts';
import { compare, type DictatedAgent, kit, work } from './kit.ts';
import { programs, type ServedProject, serveOpencode, versionOf, writtenAt } from './opencode-server.ts';

// A running server of the real OpenCode, by its address alone: what it says must be in a tree soon after it wrote it.

const PROMISED_MS = 300;
const PASSWORD = 'open sesame';

for (const program of programs) {
  const version = versionOf(program);
  describe(`the server of OpenCode ${version}`, () => {
    for (const play of ['parallel', 'failing'])
      it(`${play}: followed in time, with a password, and at the end what the script dictated`, async () => {
        vi.stubEnv('OPENCODE_SERVER_PASSWORD', PASSWORD);
        const served = await serve(play, { '*': 'allow' });
        const delays: Promise<number>[] = [];
        const tracker = startTracker([placeOf(served.url)], { clock: Date.now, sweepEveryMs: 60_000 });
        try {
          const seen = new Set<string>();
          tracker.subscribe((change) => {
            if (change.kind !== 'tree') return;
            const at = Date.now();
            for (const { id } of tracker.ledgerOf(change.tree.id)?.calls.values() ?? [])
              if (!seen.has(id)) {
                seen.add(id);
                // At once: the time is that of the last change. Versions without a database do not say it.
                if (existsSync(databaseIn(served.data)))
                  delays.push(writtenAt(served.data, id).then((written) => at - written));
              }
          });
          await isListed(tracker);
          await served.untilIdle(await served.prompt(play));
          await expect.poll(() => tracker.current()[0]?.agents[0]?.status, { timeout: 10_000 }).not.toBe('running');
          const [tree] = tracker.current();
          const report = tree && computeTree({ tree, ignoredFiles: 0 }, { internal: false });
          const settled = report?.agents.map((one) =>
            one.kind === 'main' && one.status === 'waiting' ? { ...one, status: 'completed' } : one,
          );
          compare({ session: report?.session, agents: settled } as never, await dictated(play));
          if (!existsSync(databaseIn(served.data))) return;
          const late = (await Promise.all(delays)).sort((a, b) => a - b);
          process.stdout.write(`${version} ${play}: ${late.length} calls, seen after ${late.join(', ')} ms\n`);
          expect(late.length).toBeGreaterThan(0);
          expect(late[Math.floor((late.length - 1) * 0.95)]).toBeLessThan(PROMISED_MS);
        } finally {
          tracker.close();
          await served.close();
          vi.unstubAllEnvs();
        }
      });

    it('a question shows as waiting; through the database as well, it is one session', async () => {
      vi.stubEnv('OPENCODE_SERVER_PASSWORD', PASSWORD);
      const served = await serve('guarded', { '*': 'allow', bash: 'ask' });
      const places = [placeOf(served.url), placeOf(served.data)];
      const tracker = startTracker(places, { clock: Date.now, sweepEveryMs: 60_000 });
      try {
        await isListed(tracker);
        const session = await served.prompt('guarded');
        const statuses = (): readonly string[] =>
          tracker.current().flatMap(({ agents }) => agents.map(({ status, waitingOn }) => `${status} ${waitingOn}`));
        await vi.waitUntil(() => statuses().includes('waiting permission'), { timeout: 60_000 });
        await served.reply('once');
        await served.untilIdle(session);
        await vi.waitUntil(() => !statuses().includes('waiting permission'), { timeout: 5_000 });
        expect(tracker.current().map(({ id }) => nativeId(id))).toEqual([session]);
        expect(tracker.current()[0]?.agents.map(({ toolCallCount }) => toolCallCount)).toEqual([1, 2]);
      } finally {
        tracker.close();
        await served.close();
        vi.unstubAllEnvs();
      }
    });

    const serve = (play: string, permission: Readonly<Record<string, string>>): Promise<ServedProject> => {
      const root = path.join(work, `opencode-door-${version}`);
      return serveOpencode({ program, root, scenario: play, play, permission, password: PASSWORD });
    };
  });
}

/** A server that has just started answers its first question late: it sets up its project. */
async function isListed(tracker: LiveTrees): Promise<void> {
  await vi.waitUntil(() => tracker.listing().isComplete, { timeout: 20_000 });
}

function placeOf(root: string): DataFolder {
  return { adapter: opencode, root, forced: false };
}

async function dictated(play: string): Promise<readonly DictatedAgent[]> {
  const truth = await import(pathToFileURL(path.join(kit, 'truth.mjs')).href);
  return truth.dictate(play, { maxDepth: 1, knownTypes: [] }).agents;
}

function databaseIn(data: string): string {
  return path.join(data, 'opencode.db');
}
