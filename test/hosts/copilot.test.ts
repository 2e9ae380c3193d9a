import { watch as fsWatch, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSnapshot, SessionDetail } from '../../src/reports/live-shapes.ts';
import type { AgentReport } from '../../src/reports/shapes.ts';
import { type CopilotHost, copilotPrograms, type DictatedAgent, dictateCopilot, startCopilot } from './copilot-kit.ts';
import { followEvents, getJson, type Heard, type RunningServer, startServer } from './server.ts';

// The built server beside the real program: the picture at the end is what the script dictated, and every append that
// an independent watch sees is in the event stream soon after.

const PROMISED_MS = 300;

for (const program of copilotPrograms) {
  describe(`Copilot CLI at ${program.split(path.sep).slice(1, 4).join('/')}`, () => {
    const heard: Heard[] = [];
    const appends: Append[] = [];
    let host: CopilotHost;
    let server: RunningServer;
    let watcher: { close(): void };

    beforeAll(async () => {
      host = await startCopilot(program);
      server = await startServer(host.home, { ...process.env, TROUPE_HOME: path.join(host.home, '..', 'troupe') });
      await followEvents(server, heard);
      watcher = noteAppends(host.home, appends);
    });
    afterAll(async () => {
      watcher.close();
      server.stop();
      await host.close();
    });

    for (const play of ['plain', 'single', 'parallel', 'nested', 'failing', 'background', 'many']) {
      it(`${play}: the picture at the end is what the script dictated`, async () => {
        const before = new Set(await sessionIds(server));
        await host.run({ play });
        compare(await settled(server, before), await dictateCopilot(play), play);
      });
    }

    it('killed: unknown, at once', async () => {
      const before = new Set(await sessionIds(server));
      await host.run({ play: 'hang', killAfter: 8_000, killSignal: 'SIGKILL' });
      const { main, subagents } = await settled(server, before);
      expect([main, ...subagents].map((agent) => agent.status)).toEqual(['unknown', 'unknown']);
    });

    it(`every change is in the event stream within ${PROMISED_MS} ms (95 of 100)`, () => {
      const late = latencies(appends, heard);
      const at = (share: number): number => late[Math.floor(late.length * share)] ?? Number.NaN;
      process.stdout.write(
        `Copilot CLI ${host.version}: ${late.length} changes, p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, max ${late.at(-1)?.toFixed(1)} ms\n`,
      );
      expect(late.length).toBeGreaterThan(10);
      expect(at(0.95)).toBeLessThan(PROMISED_MS);
    });
  });
}

function compare(detail: SessionDetail, dictated: readonly DictatedAgent[], play: string): void {
  const agents: readonly AgentReport[] = [detail.main, ...detail.subagents];
  const described = new Map(agents.map(({ id, description }) => [id, description]));
  const keys = new Map(dictated.map((agent) => [agent.key, agent.description]));
  const seen = agents.map((agent) => ({
    description: agent.description,
    parent: described.get(agent.parentId ?? '') ?? null,
    depth: agent.depth,
    kind: agent.kind,
    status: agent.status,
    // When an agent in the background has ended, the host may call for its answer in the main agent's place.
    ...(play !== 'background' && { calls: agent.toolCallCount, output: agent.usage?.output }),
  }));
  const wanted = dictated.map((agent) => ({
    description: agent.description,
    parent: keys.get(agent.parent ?? '') ?? null,
    depth: agent.depth,
    kind: agent.kind,
    status: agent.endStatus,
    ...(play !== 'background' && { calls: agent.toolCalls, output: agent.outputTokens }),
  }));
  expect(seen).toEqual(wanted);
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
  return fsWatch(path.join(home, 'session-state'), { recursive: true }, (_event, name) => {
    const at = performance.now();
    if (!name?.endsWith('events.jsonl')) return;
    const source = `session-state/${name.split(path.sep).join('/')}`;
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
