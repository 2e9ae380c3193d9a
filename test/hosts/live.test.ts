import { watch as fsWatch, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSnapshot, SessionDetail } from '../../src/reports/live-shapes.ts';
import { cannotStop, compare, dictate, leavesBackground, minor, nameOf, programs, record, work } from './kit.ts';
import { followEvents, getJson, type Heard, type RunningServer, startServer } from './server.ts';

// The built server beside the real program: every append that an independent fs.watch sees must be in the event stream
// soon after, and the picture at the end must be what the script dictated.

const PROMISED_MS = 100;
/** `many` again and again: two hundred changes are wanted. */
const SCENARIOS = ['single', 'parallel', 'many', 'nested', 'background', 'failing', 'stop', 'resume', 'many', 'many'];

for (const program of programs) {
  describe(`live, ${nameOf(program)}`, () => {
    const config = path.join(mkdtempSync(path.join(work, 'live-')), 'config');
    mkdirSync(path.join(config, 'projects'), { recursive: true });
    const appends: Append[] = [];
    const heard: Heard[] = [];
    let server: RunningServer;
    let watcher: { close(): void };

    beforeAll(async () => {
      server = await startServer(config, { ...process.env, TROUPE_HOME: path.join(config, '..', 'home') });
      await followEvents(server, heard);
      watcher = noteAppends(config, appends);
    });
    afterAll(() => {
      watcher.close();
      server.stop();
    });

    for (const [index, scenario] of SCENARIOS.entries()) {
      it(`${scenario}: the picture at the end is what the script dictated`, async () => {
        const before = new Set(await sessionIds(server));
        await record(program, {
          scenario: `live-${index}-${scenario}`,
          play: scenario,
          env: { CLAUDE_CONFIG_DIR: config },
        });
        const detail = await settled(server, before);
        const seen = { session: detail, agents: [detail.main, ...detail.subagents] };
        const version = detail.hostVersion ?? '';
        if (scenario === 'resume' && minor(version) < 190) return expect(seen.agents).toHaveLength(2);
        if ((scenario === 'background' && leavesBackground(version)) || (scenario === 'stop' && cannotStop(version)))
          return;
        const depth = Math.max(...seen.agents.map((agent) => agent.depth ?? 0));
        compare(seen as never, await dictate(scenario, scenario === 'nested' ? depth : 1));
      });
    }

    it('killed: running until then, unknown soon after', async () => {
      const before = new Set(await sessionIds(server));
      const options = { play: 'hang', killAfter: 6000, killSignal: 'SIGKILL', env: { CLAUDE_CONFIG_DIR: config } };
      await record(program, { scenario: 'live-killed', ...options });
      const detail = await settled(server, before);
      const changes = heard.flatMap(({ change }) => (change.sessionId === detail.id ? change.agents : []));
      expect(changes.map(({ status }) => status)).toContain('running');
      expect([detail.main, ...detail.subagents].map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    });

    it(`every change is in the event stream within ${PROMISED_MS} ms (95 of 100)`, () => {
      const late = latencies(appends, heard);
      const at = (share: number): number => late[Math.floor(late.length * share)] ?? Number.NaN;
      process.stdout.write(
        `${nameOf(program)}: ${late.length} changes, p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, max ${late.at(-1)?.toFixed(1)} ms\n`,
      );
      expect(late.length).toBeGreaterThan(200);
      expect(at(0.95)).toBeLessThan(PROMISED_MS);
    });
  });
}

interface Append {
  readonly source: string;
  readonly size: number;
  readonly at: number;
}

async function sessionIds(server: RunningServer): Promise<readonly string[]> {
  const { sessions } = await getJson<LiveSnapshot>(server, '/api/sessions');
  return sessions.map(({ id }) => id);
}

/** The new session, once nobody in it is at work any more and nothing has changed for a moment. */
async function settled(server: RunningServer, before: ReadonlySet<string>): Promise<SessionDetail> {
  for (let tries = 0; tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const id = (await sessionIds(server)).find((one) => !before.has(one));
    const detail = id === undefined ? undefined : await getJson<SessionDetail>(server, `/api/sessions/${id}`);
    if (detail && detail.running === 0) return detail;
  }
  throw new Error('the session did not come to rest');
}

/** An independent pair of eyes: Node's own recursive watch. */
function noteAppends(config: string, appends: Append[]): { close(): void } {
  return fsWatch(path.join(config, 'projects'), { recursive: true }, (_event, name) => {
    const at = performance.now();
    if (!name?.endsWith('.jsonl')) return;
    const source = `projects/${name.split(path.sep).join('/')}`;
    const size = statSync(path.join(config, source), { throwIfNoEntry: false })?.size ?? 0;
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
