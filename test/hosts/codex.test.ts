import { watch as fsWatch, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codex } from '../../src/adapters/codex/index.ts';
import { computeTree } from '../../src/reports/compute-tree.ts';
import type { LiveSnapshot, SessionDetail } from '../../src/reports/live-shapes.ts';
import type { AgentReport } from '../../src/reports/shapes.ts';
import { createSessions } from '../../src/tracker/sessions.ts';
import { type CodexHost, codexPrograms, type DictatedAgent, dictateCodex, startCodex } from './codex-kit.ts';
import { followEvents, getJson, type Heard, type RunningServer, startServer } from './server.ts';

// The built server beside the real program: the picture at the end is what the script dictated, and every append that
// an independent watch sees is in the event stream soon after.

const PROMISED_MS = 300;

for (const program of codexPrograms) {
  describe(`Codex at ${program.split(path.sep).slice(1, 4).join('/')}`, () => {
    const heard: Heard[] = [];
    const appends: Append[] = [];
    let host: CodexHost;
    let server: RunningServer;
    let watcher: { close(): void };

    beforeAll(async () => {
      host = await startCodex(program);
      server = await startServer(host.home, { ...process.env, TROUPE_HOME: path.join(host.home, '..', 'troupe') });
      await followEvents(server, heard);
      watcher = noteAppends(host.home, appends);
    });
    afterAll(async () => {
      watcher.close();
      server.stop();
      await host.close();
    });

    const newest = async (before: ReadonlySet<string>): Promise<SessionDetail> => settled(server, before);
    // Before, the tool that waits had another name: the script cannot wait, and its agents are cut off.
    const hasAgents = (): boolean => numberOf(host.version) >= numberOf('0.118.0');
    /** Who holds them, only Linux tells. */
    const holdsLocks = (): boolean => process.platform === 'linux' && numberOf(host.version) >= numberOf('0.155.0');
    const hasVersion2 = (): boolean => numberOf(host.version) >= numberOf('0.144.0');

    for (const play of ['plain', 'single', 'parallel', 'nested', 'failing']) {
      it(`${play}: the picture at the end is what the script dictated`, async ({ skip }) => {
        if (!hasAgents() && play !== 'plain') skip(`${host.version} has no agents that this script could wait for`);
        const before = new Set(await sessionIds(server));
        await host.run({ play });
        compare(await newest(before), await dictateCodex(play, 3), ({ prompt }) => prompt);
      });
    }

    for (const play of ['single', 'parallel']) {
      it(`${play} with the second version of its agent tools`, async ({ skip }) => {
        if (!hasVersion2()) skip(`${host.version} has one version of them`);
        const before = new Set(await sessionIds(server));
        await host.run({ play, version2: true });
        compare(await newest(before), await dictateCodex(play, 1), ({ description }) => nameOf(description));
      });
    }

    it('interrupted: stopped; killed: unknown', async ({ skip }) => {
      if (!hasAgents()) skip(`${host.version} has no agents that this script could wait for`);
      for (const [killSignal, status] of [
        ['SIGINT', 'stopped'],
        ['SIGKILL', 'unknown'],
      ] as const) {
        const before = new Set(await sessionIds(server));
        await host.run({ play: 'hang', killAfter: 6_000, killSignal });
        const id = (await sessionIds(server)).find((one) => !before.has(one));
        if (holdsLocks()) {
          const { main, subagents } = await settled(server, before);
          expect([main, ...subagents].map((agent) => agent.status)).toEqual([status, status]);
          continue;
        }
        // It keeps no record of its processes: a last line counts as recent for five minutes.
        const clock = (): number => Date.now() + 86_400_000;
        const opened = await createSessions([{ adapter: codex, root: host.home, forced: false }], { clock }).open(id);
        expect(computeTree(opened, { internal: false }).agents.map((agent) => agent.status)).toEqual([status, status]);
      }
    });

    it(`every change is in the event stream within ${PROMISED_MS} ms (95 of 100)`, ({ skip }) => {
      if (!hasAgents()) skip(`${host.version} wrote too little`);
      const late = latencies(appends, heard);
      const at = (share: number): number => late[Math.floor(late.length * share)] ?? Number.NaN;
      process.stdout.write(
        `Codex ${host.version}: ${late.length} changes, p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, max ${late.at(-1)?.toFixed(1)} ms\n`,
      );
      expect(late.length).toBeGreaterThan(10);
      expect(at(0.95)).toBeLessThan(PROMISED_MS);
    });
  });
}

const numberOf = (version: string): number => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);

/** The kit names an agent's task after what it is for. */
const nameOf = (description: string | null): string | null =>
  description?.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_') ?? null;

function compare(
  detail: SessionDetail,
  dictated: readonly DictatedAgent[],
  labelOf: (agent: DictatedAgent) => string | null,
): void {
  const agents: readonly AgentReport[] = [detail.main, ...detail.subagents];
  const labels = new Map(agents.map(({ id, kind, label }) => [id, kind === 'main' ? null : label]));
  const keys = new Map(dictated.map((agent) => [agent.key, labelOf(agent)]));
  // A notice may come after a parent's last words, and is answered: the script has one token for what it does not know.
  const slackOf = (label: string | null): number =>
    dictated.filter(({ parent }) => (keys.get(parent ?? '') ?? null) === label).length;
  expect(
    agents.map((agent) => ({
      label: labels.get(agent.id),
      parent: labels.get(agent.parentId ?? '') ?? null,
      depth: agent.depth,
      kind: agent.kind,
      // `exec` is over when its turn is.
      status: agent.status,
      calls: agent.toolCallCount,
      output: agent.usage?.output,
    })),
  ).toEqual(
    dictated.map((agent) => ({
      label: labelOf(agent),
      parent: keys.get(agent.parent ?? '') ?? null,
      depth: agent.depth,
      kind: agent.kind,
      status: agent.endStatus,
      calls: agent.toolCalls,
      output: expect.toSatisfy(
        (output: number) => output >= agent.outputTokens && output <= agent.outputTokens + slackOf(labelOf(agent)),
      ),
    })),
  );
}

async function sessionIds(server: RunningServer): Promise<readonly string[]> {
  const { sessions } = await getJson<LiveSnapshot>(server, '/api/sessions');
  return sessions.map(({ id }) => id);
}

/** The new session, once nobody in it is at work any more. */
async function settled(server: RunningServer, before: ReadonlySet<string>): Promise<SessionDetail> {
  for (let tries = 0; tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const id = (await sessionIds(server)).find((one) => !before.has(one));
    const detail = id === undefined ? undefined : await getJson<SessionDetail>(server, `/api/sessions/${id}`);
    if (detail && detail.running === 0) return detail;
  }
  throw new Error('the session did not come to rest');
}

interface Append {
  readonly source: string;
  readonly size: number;
  readonly at: number;
}

/** An independent pair of eyes: Node's own recursive watch. */
function noteAppends(home: string, appends: Append[]): { close(): void } {
  return fsWatch(path.join(home, 'sessions'), { recursive: true }, (_event, name) => {
    const at = performance.now();
    if (!name?.endsWith('.jsonl')) return;
    const source = `sessions/${name.split(path.sep).join('/')}`;
    const size = statSync(path.join(home, source), { throwIfNoEntry: false })?.size ?? 0;
    const isNews = size > 0 && appends.findLast((one) => one.source === source)?.size !== size;
    if (isNews) appends.push({ source, size, at });
  });
}

/** Sorted. A change that was never heard of counts as endless. */
function latencies(appends: readonly Append[], heard: readonly Heard[]): readonly number[] {
  const late = appends.map(({ source, size, at }) => {
    const event = heard.find(({ change }) => change.sources.some((one) => one.source === source && one.bytes >= size));
    return event ? Math.max(0, event.at - at) : Number.POSITIVE_INFINITY;
  });
  return late.toSorted((a, b) => a - b);
}
