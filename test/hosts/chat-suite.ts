// The built server beside a real program: the picture at the end is what the script dictated, and every append that an
// independent watch sees is in the event stream soon after.
import { watch as fsWatch, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceAdapter } from '../../src/adapters/adapter.ts';
import { computeTree } from '../../src/reports/compute-tree.ts';
import type { LiveSnapshot, SessionDetail } from '../../src/reports/live-shapes.ts';
import { createSessions } from '../../src/tracker/sessions.ts';
import { type ChatHost, dictateChat, type PromptedAgent } from './chat-kit.ts';
import { followEvents, getJson, type Heard, type RunningServer, startServer } from './server.ts';

const PROMISED_MS = 300;

export interface ChatSuite {
  readonly adapter: SourceAdapter;
  readonly program: string;
  readonly plays: readonly string[];
  readonly maxDepth: number;
  start(): Promise<ChatHost>;
  /** What people call an agent on this host. */
  labelOf(agent: PromptedAgent): string | null;
  /** Calls of the host's own that the script does not know, or that it did not let an agent make. */
  callsOf(agent: PromptedAgent, play: string): number;
}

export function describeChats({ adapter, program, plays, maxDepth, start, labelOf, callsOf }: ChatSuite): void {
  describe(`${adapter.title} at ${program.split(path.sep).slice(1, 4).join('/')}`, () => {
    const heard: Heard[] = [];
    const appends: Append[] = [];
    let host: ChatHost;
    let server: RunningServer;
    let watcher: { close(): void };

    beforeAll(async () => {
      host = await start();
      server = await startServer(host.home, { ...process.env, TROUPE_HOME: path.join(host.home, '..', 'troupe') });
      await followEvents(server, heard);
      watcher = noteAppends(host.home, appends);
    });
    afterAll(async () => {
      watcher.close();
      server.stop();
      await host.close();
    });

    const idsNow = async (): Promise<readonly string[]> =>
      (await getJson<LiveSnapshot>(server, '/api/sessions')).sessions.map(({ id }) => id);

    for (const play of plays) {
      it(`${play}: the picture at the end is what the script dictated`, async () => {
        const before = new Set(await idsNow());
        await host.run({ play });
        const { main, subagents } = await atRest(server, idsNow, before);
        const agents = [main, ...subagents];
        const labels = new Map(agents.map(({ id, kind, label }) => [id, kind === 'main' ? null : label]));
        const dictated = await dictateChat(play, maxDepth);
        const keys = new Map(dictated.map((agent) => [agent.key, labelOf(agent)]));
        expect(
          agents.map((agent) => ({
            label: labels.get(agent.id) ?? null,
            parent: labels.get(agent.parentId ?? '') ?? null,
            depth: agent.depth,
            kind: agent.kind,
            // Nobody writes down that the program ended: for five minutes its main agent may go on.
            status: agent.kind === 'main' && agent.status === 'waiting' ? 'completed' : agent.status,
            calls: agent.toolCallCount,
            output: agent.usage?.output,
          })),
        ).toEqual(
          expect.arrayContaining(
            dictated.map((agent) => ({
              label: labelOf(agent),
              parent: keys.get(agent.parent ?? '') ?? null,
              depth: agent.depth,
              kind: agent.kind,
              status: agent.endStatus,
              calls: callsOf(agent, play),
              output: agent.outputTokens,
            })),
          ),
        );
        expect(agents).toHaveLength(dictated.length);
      });
    }

    it('killed: unknown', async () => {
      const before = new Set(await idsNow());
      await host.run({ play: 'hang', killAfter: 20_000, killSignal: 'SIGKILL' });
      const id = (await idsNow()).find((one) => !before.has(one));
      expect(id).toBeDefined();
      // It keeps no record of its processes: a last line counts as recent for five minutes.
      const clock = (): number => Date.now() + 86_400_000;
      const opened = await createSessions([{ adapter, root: host.home, forced: false }], { clock }).open(id);
      expect(computeTree(opened, { internal: false }).agents.map((agent) => agent.status)).toEqual([
        'unknown',
        'unknown',
      ]);
    });

    it(`every change is in the event stream within ${PROMISED_MS} ms (95 of 100)`, () => {
      const late = latencies(appends, heard);
      const at = (share: number): number => late[Math.floor(late.length * share)] ?? Number.NaN;
      process.stdout.write(
        `${adapter.title} ${host.version}: ${late.length} changes, p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, max ${late.at(-1)?.toFixed(1)} ms\n`,
      );
      expect(late.length).toBeGreaterThan(10);
      expect(at(0.95)).toBeLessThan(PROMISED_MS);
    });
  });
}

/** The new session, once nobody in it is at work any more. */
async function atRest(
  server: RunningServer,
  idsNow: () => Promise<readonly string[]>,
  before: ReadonlySet<string>,
): Promise<SessionDetail> {
  for (let tries = 0; tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const id = (await idsNow()).find((one) => !before.has(one));
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
  return fsWatch(home, { recursive: true }, (_event, name) => {
    const at = performance.now();
    const source = name?.split(path.sep).join('/') ?? '';
    if (!/\/(?:chats|subagents)\/.*\.jsonl$/.test(source)) return;
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
