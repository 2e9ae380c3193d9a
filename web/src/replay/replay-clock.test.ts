import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  formatMoment,
  nextMoment,
  type ReplayRange,
  rangeOf,
  settle,
  stepBy,
  stepOf,
} from './replay-state.ts';
import { openRecorded } from './testing/open-recorded.mjs';

const RANGE: ReplayRange = { from: 1_000_000, to: 1_074_000, isGrowing: false };

describe('what can be replayed', () => {
  it('ends with the last sign of life, and with now while somebody is at work', async () => {
    const { detail } = await openRecorded('2.1.325-nested');
    const over = rangeOf(detail, Date.parse('2030-01-01'));
    expect(over).toEqual({
      from: Date.parse(detail.startedAt!),
      to: Date.parse(detail.lastActivityAt!),
      isGrowing: false,
    });
    const atWork = { ...detail, main: { ...detail.main, status: 'running' as const } };
    expect(rangeOf(atWork, over!.to + 5000)).toMatchObject({ to: over!.to + 5000, isGrowing: true });
    expect(rangeOf({ ...detail, startedAt: null }, 0)).toBeUndefined();
  });
});

describe('the clock', () => {
  it('goes on by the time that passed, times the speed', () => {
    const next = RANGE.from + 900;
    expect(advance({ at: RANGE.from, range: RANGE, speed: 4, elapsedMs: 50, next })).toBe(RANGE.from + 200);
    expect(advance({ at: RANGE.from, range: RANGE, speed: 60, elapsedMs: 50, next })).toBe(RANGE.from + 3000);
  });

  it('passes over a long silence, to shortly before it ends', () => {
    const next = RANGE.from + 60_000;
    const at = advance({ at: RANGE.from, range: RANGE, speed: 4, elapsedMs: 50, next });
    expect(at).toBe(next - 2000);
    expect(advance({ at: at!, range: RANGE, speed: 4, elapsedMs: 50, next })).toBe(next - 1800);
  });

  it('arrives at the present, never stands still, never goes back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 73_999 }),
        fc.constantFrom(1, 4, 16, 60),
        fc.integer({ min: 1, max: 500 }),
        fc.option(fc.integer({ min: 1, max: 80_000 }), { nil: undefined }),
        (offset, speed, elapsedMs, ahead) => {
          const at = RANGE.from + offset;
          const next = ahead === undefined ? undefined : at + ahead;
          const later = advance({ at, range: RANGE, speed, elapsedMs, next });
          expect(later === undefined || (later > at && later < RANGE.to)).toBe(true);
        },
      ),
    );
    expect(advance({ at: RANGE.to - 1, range: RANGE, speed: 1, elapsedMs: 50 })).toBeUndefined();
  });

  it('visits every moment of a recording at which something begins', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-inter-compact');
    const range = rangeOf(detail, 0)!;
    const agents = [detail.main, ...detail.subagents];
    const seen = new Set<string>();
    let at: number | undefined = range.from;
    for (let steps = 0; at !== undefined && steps < 5000; steps++) {
      for (const agent of detail.subagents) if (Date.parse(agent.startedAt!) <= at) seen.add(agent.id);
      at = advance({ at, range, speed: 4, elapsedMs: 40, next: nextMoment(agents, timeline, at) });
    }
    expect(at).toBeUndefined();
    expect([...seen]).toEqual(detail.subagents.map(({ id }) => id));
  });
});

describe('the next moment', () => {
  it('is the earliest of all that comes after', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested');
    const agents = [detail.main, ...detail.subagents];
    const all = [
      ...agents.flatMap(({ runs }) => runs.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt])),
      ...timeline.agents.flatMap(({ calls }) => calls.map(({ startedAt }) => startedAt)),
      ...timeline.agents.flatMap(({ replies }) => replies.map((reply) => reply.at)),
    ].flatMap((time) => (time === null ? [] : [Date.parse(time)]));
    const { from, to } = rangeOf(detail, 0)!;
    for (let at = from - 10; at <= to; at += 7) {
      const later = all.filter((time) => time > at);
      expect(nextMoment(agents, timeline, at)).toBe(later.length > 0 ? Math.min(...later) : undefined);
    }
  });
});

describe('keys on the slider', () => {
  it('step by a round length, ten times as far with shift, and to the ends', () => {
    const at = RANGE.from + 30_000;
    expect(stepOf(RANGE)).toBe(500);
    expect(stepBy('ArrowRight', false, at, RANGE)).toBe(at + 500);
    expect(stepBy('ArrowLeft', true, at, RANGE)).toBe(at - 5000);
    expect(stepBy('ArrowLeft', true, RANGE.from + 1, RANGE)).toBe(RANGE.from);
    expect(stepBy('Home', false, at, RANGE)).toBe(RANGE.from);
    expect(stepBy('End', false, at, RANGE)).toBe('present');
    expect(stepBy('ArrowRight', true, RANGE.to - 1, RANGE)).toBe('present');
    expect(stepBy('a', false, at, RANGE)).toBeUndefined();
  });

  it('never leave what can be replayed', () => {
    expect(settle(0, RANGE)).toBe(RANGE.from);
    expect(settle(RANGE.to, RANGE)).toBe('present');
  });
});

describe('a moment in words', () => {
  it('is as exact as the whole is long', () => {
    expect(formatMoment(1234, 2500)).toBe('1.2 s');
    expect(formatMoment(74_000, 74_000)).toBe('1:14');
    expect(formatMoment(5000, 7_200_000)).toBe('0:00:05');
    expect(formatMoment(-5, 74_000)).toBe('0:00');
  });
});
