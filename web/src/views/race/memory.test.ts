import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../../src/core/index.ts';
import { makeAgent, makeSession } from '../../testing/make.ts';
import { createMemories, type Memory, remember, speedOf, trailOf } from './race-state.ts';
import { setBackTokens, spawnTokens } from './run-stage.ts';
import { openRecording } from './testing/open-recording.mjs';

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
const wrote = (output: number, over: Partial<AgentReport> = {}): AgentReport =>
  makeAgent({ usage: { ...usage, output }, ...over });

function over(...steps: readonly (readonly [at: number, agent: AgentReport])[]): Memory {
  const last = steps.reduce<Memory | undefined>((before, [at, agent]) => remember(before, agent, at), undefined);
  if (!last) throw new Error('no steps');
  return last;
}

describe('speed', () => {
  it('is what was written in the last ten seconds, and nothing for who was only just seen', () => {
    expect(speedOf(over([0, wrote(5000)]), 1000)).toBe(0);
    const memory = over([0, wrote(100)], [4000, wrote(300)], [8000, wrote(600)]);
    expect(speedOf(memory, 8000)).toBe(50);
    expect(speedOf(memory, 14_000)).toBe(30);
    expect(speedOf(memory, 18_000)).toBe(0);
  });

  it('begins anew when a replay goes back', () => {
    expect(speedOf(over([0, wrote(100)], [5000, wrote(900)], [2000, wrote(300)]), 2000)).toBe(0);
  });

  it('makes a trail between nothing and one', () => {
    expect([0, 30, 120, 5000].map(trailOf)).toEqual([0, 0.5, 1, 1]);
  });

  it('keeps a few samples, however long it goes', () => {
    let memory = over([0, wrote(0)]);
    for (let n = 1; n < 5000; n++) memory = remember(memory, wrote(n), n * 5);
    expect(memory.samples.length).toBeLessThanOrEqual(40);
  });
});

describe('a set-back', () => {
  it('leaves a mark where the car was', () => {
    const before = wrote(0, { contextTokens: 180_000 });
    const after = wrote(0, { contextTokens: 20_000, compactions: 1 });
    expect(over([0, before], [1, after]).setBacks).toEqual([180_000]);
    expect(over([0, before], [1, after], [2, before]).setBacks).toEqual([]);
  });

  it('is not every fall: without a compaction there is no mark', () => {
    expect(over([0, wrote(0, { contextTokens: 9000 })], [1, wrote(0, { contextTokens: 10 })]).setBacks).toEqual([]);
  });

  it('stands where the timeline of a real compaction says', async () => {
    const { detail, timeline } = await openRecording('2.1.325-inter-compact');
    expect(detail.main.compactions).toBe(1);
    const now = Date.parse('2030-01-01');
    const [mark] = setBackTokens(timeline, detail.main.id, now);
    expect(mark).toBe(timeline.agents[0]?.compactions[0]?.tokensBefore);
    expect(setBackTokens(timeline, detail.main.id, 0)).toEqual([]);
  });
});

describe('the point of a spawn', () => {
  it('is where the parent was when the page saw the child appear', () => {
    const memories = createMemories();
    const first = makeSession({ main: makeAgent({ id: 's1', sessionId: 's1', kind: 'main', contextTokens: 4000 }) }, [
      {},
    ]);
    memories.take([first], 0);
    memories.take([{ ...first, subagents: [...first.subagents, makeAgent({ id: 'a2', parentId: 's1' })] }], 1);
    expect(memories.of('s1/a1')?.spawnedAt).toBeUndefined();
    expect(memories.of('s1/a2')?.spawnedAt).toBe(4000);
    memories.take([], 2);
    expect(memories.of('s1/a2')).toBeUndefined();
  });

  it('is in the timeline, for every agent of the demo', async () => {
    const { detail, timeline } = await openRecording('demo');
    for (const agent of detail.subagents) {
      const parent = [detail.main, ...detail.subagents].find(({ id }) => id === agent.parentId);
      expect(spawnTokens(timeline, agent)).toBeGreaterThan(0);
      expect(spawnTokens(timeline, agent)).toBeLessThanOrEqual(parent?.contextTokens ?? 0);
    }
  });
});
