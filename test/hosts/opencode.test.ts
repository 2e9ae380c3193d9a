import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { computeTree, type LiveTrees, nativeId } from '../../src/core/index.ts';
import { opencode } from '../../src/hosts/opencode/index.ts';
import { startTracker } from '../../src/sessions/index.ts';
import { compare, type DictatedAgent, work } from './kit.ts';
import { isSecondProgram, programs, versionOf, writtenAt } from './opencode-server.ts';

// The real OpenCode beside the tracker: what it writes into its database or its files must be in a tree soon after, and the
// tree at the end must be what the script dictated. TROUPE_OPENCODE_BIN: one or more programs.

const kit = process.env['TROUPE_LIVE_KIT'] ?? '';

const PROMISED_MS = 300;
/** `local`: without a server beside it, whose requests would slow it down. */
const SCENARIOS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['single', {}],
  ['parallel', {}],
  ['failing', {}],
  ['resume', {}],
  ['many', {}],
];
/** `run` ends before its agents in the background do, and its own server with it. */
const SECOND_SCENARIOS: typeof SCENARIOS = [
  [
    'nested',
    { config: { experimental: { subagent_depth: 3 }, agent: { general: { permission: { subagent: 'allow' } } } } },
  ],
];
const KILLED = { play: 'hang', killAfter: 25_000, killSignal: 'SIGKILL', timeout: 60_000 };

for (const program of programs) {
  describe(`OpenCode ${versionOf(program)}`, () => {
    for (const [play, options] of isSecondProgram(program) ? [...SCENARIOS, ...SECOND_SCENARIOS] : SCENARIOS)
      it(`${play}: followed in time, and at the end what the script dictated`, async () => {
        const { tracker, data, delays, stop } = follow(program, play);
        await run(program, play, options);
        await expect.poll(() => tracker.current()[0]?.agents[0]?.status, { timeout: 10_000 }).not.toBe('running');
        const tree = tracker.current()[0];
        const truth = await import(pathToFileURL(path.join(kit, 'truth.mjs')).href);
        const dictated: readonly DictatedAgent[] = truth.dictate(play, {
          maxDepth: play === 'nested' ? 3 : 1,
          knownTypes: [],
        }).agents;
        const report = tree && computeTree({ tree, ignoredFiles: 0 }, { internal: false });
        // Its process is gone, or has been quiet for a moment only: an open prompt is no end.
        const settled = report?.agents.map((one) =>
          one.kind === 'main' && one.status === 'waiting' ? { ...one, status: 'completed' } : one,
        );
        compare({ session: report?.session, agents: settled } as never, dictated);
        const late = (await delays()).sort((a, b) => a - b);
        process.stdout.write(`${play}: ${late.length} calls, seen after ${late.map(Math.round).join(', ')} ms\n`);
        expect(late.length).toBeGreaterThan(0);
        expect(late[Math.floor((late.length - 1) * 0.95)]).toBeLessThan(PROMISED_MS);
        const before = await hashes(data);
        stop();
        expect(await hashes(data)).toEqual(before);
      });

    it('killed: running until then, at rest soon after', async () => {
      const { tracker, stop, statuses } = follow(program, 'killed');
      await run(program, 'killed', KILLED);
      expect(statuses()).toContain('running');
      // The server of OpenCode 2 outlives its client by a moment, and may stop what it does.
      const isAtRest = isSecondProgram(program) ? /^(?:unknown|stopped) (?:unknown|stopped)$/ : /^unknown unknown$/;
      await expect
        .poll(
          () =>
            tracker
              .current()[0]
              ?.agents.map(({ status }) => status)
              .join(' '),
          { timeout: 60_000 },
        )
        .toMatch(isAtRest);
      stop();
    });
  });
}

interface Following {
  readonly tracker: LiveTrees;
  readonly data: string;
  /** For each call: how long after the program wrote it, by its own clock, it was first in a tree. */
  delays(): Promise<number[]>;
  statuses(): readonly string[];
  stop(): void;
}

function follow(program: string, scenario: string): Following {
  const data = path.join(rootOf(program), scenario, 'data', 'opencode');
  mkdirSync(path.join(data, '..', '..'), { recursive: true });
  const place = { adapter: opencode, root: data, forced: false };
  const tracker = startTracker([place], { clock: Date.now, sweepEveryMs: 2_000 });
  const seen = new Map<string, Promise<readonly [number, number]>>();
  const statuses = new Set<string>();
  tracker.subscribe((change) => {
    if (change.kind !== 'tree') return;
    for (const { status, kind } of change.tree.agents) if (kind !== 'main') statuses.add(status);
    const ledger = tracker.ledgerOf(change.tree.id);
    for (const call of ledger?.calls.values() ?? [])
      if (!seen.has(call.id)) seen.set(call.id, Promise.all([Date.now(), writtenAt(data, call.id)]));
  });
  return {
    tracker,
    data,
    delays: async () => (await Promise.all(seen.values())).map(([seenAt, at]) => seenAt - at),
    statuses: () => [...statuses],
    stop: () => tracker.close(),
  };
}

function rootOf(program: string): string {
  return path.join(work, `opencode-${versionOf(program)}`);
}

async function run(program: string, scenario: string, options: Record<string, unknown>): Promise<void> {
  const file = isSecondProgram(program) ? 'record-opencode2.mjs' : 'record-opencode.mjs';
  const recorder = await import(pathToFileURL(path.join(kit, file)).href);
  const record = recorder.recordOpencode ?? recorder.record;
  const root = rootOf(program);
  await record({
    bin: program,
    out: path.join(root, `${scenario}-out`),
    root,
    scenario,
    local: true,
    ...options,
  });
}

async function hashes(data: string): Promise<readonly string[]> {
  const { sessions } = await opencode.locate(data);
  const files = new Set(sessions.flatMap(({ sources }) => sources.map(({ path: file }) => file)));
  return [...files]
    .filter((file) => file.endsWith('.db'))
    .map(
      (file) =>
        `${nativeId(sessions[0]?.id ?? ('' as never))} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
    );
}
