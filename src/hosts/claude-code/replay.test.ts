import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AgentNode, nativeId, type SessionTree } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import type { ReplayStep } from '../index.ts';
import { claudeCode } from './index.ts';
import { rename, retime, schedule } from './replay.ts';

const demo = fileURLToPath(new URL('../../../demo/', import.meta.url));
const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}/`, import.meta.url));

const later =
  (ms: number) =>
  (at: number): number =>
    at + ms;

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('replay');
});

function play(steps: readonly ReplayStep[]): void {
  for (const { file, shape, text } of steps) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    if (shape === 'gone') rmSync(place);
    else if (shape === 'lines') appendFileSync(place, text);
    else writeFileSync(place, text);
  }
}

async function open(root: string, now: number): Promise<SessionTree> {
  return (await createSessions([{ adapter: claudeCode, root, forced: false }], { clock: () => now }).open()).tree;
}

describe('the schedule of a recording', () => {
  it('writes every file of it, byte for byte, and takes the record of the process away at the end', async () => {
    for (const root of [demo, fixture('2.1.325-workflow'), fixture('2.1.20-inter-single'), fixture('1.0.60-nested')]) {
      const steps = await schedule(root);
      play(steps);
      expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted((a, b) => a - b));
      for (const file of new Set(steps.filter(({ shape }) => shape !== 'gone').map((step) => step.file))) {
        if (file.startsWith('sessions/')) expect(() => readFileSync(path.join(folder, file))).toThrow();
        else expect(readFileSync(path.join(folder, file), 'utf8')).toBe(readFileSync(path.join(root, file), 'utf8'));
      }
      rmSync(folder, { recursive: true });
    }
  });

  it('says of no agent that it has ended before it has, and loses none', async () => {
    const now = Date.now();
    const whole = await schedule(demo);
    const shiftMs = now - whole[0]!.at;
    const steps = whole.map((step) => ({ ...step, at: step.at + shiftMs, text: retime(step.text, later(shiftMs)) }));
    play(steps);
    const final = new Map((await open(folder, now)).agents.map((agent) => [agent.id, agent]));
    rmSync(folder, { recursive: true });
    const cuts = Array.from({ length: 40 }, (_, index) => Math.floor(((index + 1) * (steps.length - 1)) / 40));
    let played = 0;
    for (const cut of cuts) {
      play(steps.slice(played, cut));
      played = cut;
      const at = steps[cut - 1]!.at;
      for (const agent of (await open(folder, at)).agents) expectTimely(agent, final.get(agent.id)!, at);
    }
    expect(final.size).toBe(10);
  });

  /** Of each run: at work until it ends, and then what it came to. Its caller hears of the end a moment after its own last line. */
  function expectTimely(agent: AgentNode, final: AgentNode, at: number): void {
    for (const [index, run] of agent.runs.entries()) {
      const { status, endedAt = 0 } = final.runs[index]!;
      const isAtWork = ['spawning', 'running', 'waiting'].includes(run.status);
      if (endedAt > at + 500 || agent.depth === 0) expect(isAtWork, `${agent.description} ${run.status}`).toBe(true);
      else if (endedAt <= at) expect(run.status).toBe(status);
      else expect([status, 'running', 'waiting']).toContain(run.status);
    }
  }

  it('writes a sidecar just before its transcript, and lets it go on when the agent is woken', async () => {
    const steps = await schedule(demo);
    const sidecars = new Set(steps.map(({ file }) => file).filter((file) => file.endsWith('.meta.json')));
    expect(sidecars.size).toBe(9);
    for (const sidecar of sidecars) {
      const first = steps.findIndex(({ file }) => file === sidecar);
      expect(steps[first]?.text).not.toContain('finished');
      const transcript = sidecar.replace('.meta.json', '.jsonl');
      expect(steps.findIndex(({ file }) => file === transcript)).toBeGreaterThan(first);
    }
    const said = (description: string) =>
      steps
        .filter(({ file, text }) => sidecars.has(file) && text.includes(description))
        .map(({ text }) => text.includes('finished'));
    expect(said('Measure the load')).toEqual([false, true, false, true]);
    expect(said('Build the limiter')).toEqual([false, true]);
    expect(said('Try a shared store')).toEqual([false]);
  });

  it('gives the journal of a workflow the times of its agents, and its manifest the end', async () => {
    const steps = await schedule(fixture('2.1.325-workflow'));
    const journal = steps.filter(({ file }) => file.endsWith('journal.jsonl'));
    expect(journal).toHaveLength(7);
    for (const { at, text } of journal) {
      const { type, agentId } = JSON.parse(text);
      const times = steps.filter(({ file }) => file.endsWith(`agent-${agentId}.jsonl`)).map((step) => step.at);
      if (type !== 'launched') expect(at).toBe(type === 'started' ? times[0] : times.at(-1));
    }
    const manifest = steps.find(({ file }) => file.endsWith('wf_74dc193c-c6d.json'));
    expect(manifest?.at).toBe(Date.parse('2026-11-15T07:21:53.593Z'));
  });

  it.each([
    ['2.1.325-inter-team', ['busy', 'idle', 'busy', 'idle', 'busy', 'idle']],
    ['2.1.325-background', ['busy']],
  ])(
    '%s: the process is idle between the turns of a terminal, and busy all through a run without one',
    async (name, expected) => {
      const records = (await schedule(fixture(name))).filter(({ file }) => file.startsWith('sessions/'));
      const states = records.map(({ shape, text }) => (shape === 'gone' ? 'gone' : JSON.parse(text).status));
      expect(states).toEqual([...expected, 'gone']);
      expect(records[0]?.file).toBe(`sessions/${process.pid}.json`);
    },
  );
});

describe('times', () => {
  const HOUR = 3_600_000;

  it('moves those of the program, and leaves everything else as it is, whatever it looks like', () => {
    const looksLikeOne = '{"timestamp":"2026-11-15T07:00:00.000Z"}';
    const line = (at: string): string =>
      `{"parentUuid":null, "timestamp":"${at}","type":"user","message":{"role":"user","timestamp":"2026-11-15T07:00:00.000Z",` +
      `"content":[{"type":"tool_use","input":{"timestamp":"2026-11-15T07:00:00.000Z","startTime":1794727311720,"note":${JSON.stringify(looksLikeOne)}}},` +
      `"timestamp","2026-11-15T07:00:00.000Z"]},"attachment":{"timestamp":"${at}"},"n":1.50,"é":"\\u00e9 \\"timestamp\\":"}\n`;
    expect(retime(line('2026-11-15T07:21:53.593Z'), later(HOUR))).toBe(line('2026-11-15T08:21:53.593Z'));
    expect(retime(line('2026-11-15T23:59:59.999Z'), later(1))).toBe(line('2026-11-16T00:00:00.000Z'));
  });

  it('knows milliseconds where the program writes them, and no others', () => {
    const text = '{"startTime":1794727311720,"workflowProgress":[{"queuedAt":1794727311778,"tokens":1794727311778}]}';
    const moved = '{"startTime":1794730911720,"workflowProgress":[{"queuedAt":1794730911778,"tokens":1794727311778}]}';
    expect(retime(text, later(HOUR))).toBe(moved);
  });

  it.each([
    '',
    '\n',
    'not json',
    '{"timestamp":"yesterday"}',
    '{"timestamp":null}',
    '{"timestamp":"2026-11-15T07',
    '}}]"',
  ])('leaves what it does not understand alone: %j', (text) => expect(retime(text, later(HOUR))).toBe(text));
});

describe('ids', () => {
  it('are others in each take, and the same all through it', async () => {
    const steps = await schedule(demo);
    const texts = [0, 1, 2].map((take) => steps.map(({ file, text }) => rename(file + text, take)).join(''));
    expect(texts[0]).toBe(steps.map(({ file, text }) => file + text).join(''));
    expect(texts[1]).toHaveLength(texts[0]!.length);
    const agents = (await open(demo, Date.now())).agents.map(({ id }) => nativeId(id));
    for (const id of agents) {
      const count = (text: string, what: string): number => text.split(what).length - 1;
      expect(count(texts[1]!, id)).toBe(0);
      expect(count(texts[1]!, rename(id, 1))).toBe(count(texts[0]!, id));
      expect(rename(id, 2)).not.toBe(rename(id, 1));
    }
  });

  it('keep their notation, and a name that an agent was given', () => {
    expect(rename('agent-aalice-c57bf7172d0759e4.jsonl', 1)).toMatch(/^agent-aalice-[0-9a-f]{16}\.jsonl$/);
    expect(rename('aalice-c57bf7172d0759e4', 1)).toBe(
      rename('agent-aalice-c57bf7172d0759e4', 1).slice('agent-'.length),
    );
    expect(rename('toolu_01FuEnKNaF8SDKXw2ZB7LVzE', 1)).toMatch(/^toolu_01\w{22}$/);
    expect(rename('a plain text, -home-dev-shop-api and 1234', 1)).toBe('a plain text, -home-dev-shop-api and 1234');
  });
});
