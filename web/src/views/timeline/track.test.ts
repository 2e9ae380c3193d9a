import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiply } from '../../replay/testing/multiply.ts';
import { openRecorded } from '../../replay/testing/open-recorded.mjs';
import { computeRows, histogramOf, linksIn } from './rows.ts';
import { barsOf, callAt, type Span, silencesBetween, trackOf, weightOf, without } from './track.ts';

const MINUTE = 60_000;

describe('rows of a recorded session', () => {
  it('are one for each agent, with all of their calls in order', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested');
    const rows = computeRows(detail, timeline, 0);
    expect(rows.map(({ agent }) => agent.id)).toEqual([detail.main, ...detail.subagents].map(({ id }) => id));
    for (const [index, { track }] of rows.entries()) {
      expect(track.calls.map(({ call }) => call)).toEqual(timeline.agents[index]!.calls);
      const begins = track.calls.map(({ from }) => from);
      expect(begins).toEqual([...begins].sort((a, b) => a - b));
    }
  });

  it('know that a parent waited for its child as long as the call took', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested-deep');
    const { waits } = computeRows(detail, timeline, 0)[0]!.bars;
    const call = timeline.agents[0]!.calls[0]!;
    expect(waits).toEqual([{ from: Date.parse(call.startedAt!), to: Date.parse(call.endedAt!), on: 'child' }]);
  });

  it('have a bar for each run, and lines from who asked and back', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-inter-team');
    const rows = computeRows(detail, timeline, 0);
    const alice = rows[1]!;
    expect(alice.bars.runs).toHaveLength(2);
    expect(linksIn(rows, 0, 2).filter(({ child }) => child === 1)).toEqual(
      alice.bars.runs.flatMap(({ from, to }) => [
        { at: from, parent: 0, child: 1, kind: 'spawn' },
        { at: to, parent: 0, child: 1, kind: 'result' },
      ]),
    );
  });

  it('of an agent whose end nobody saw reach to its last sign of life, and have no answer', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-orphan-killed');
    const rows = computeRows(detail, timeline, Date.parse('2030-01-01'));
    const { bars, track } = rows[1]!;
    expect(bars.runs).toMatchObject([{ to: track.lastSign, isOpen: false }]);
    expect(linksIn(rows, 0, 1).map(({ kind }) => kind)).toEqual(['spawn']);
  });

  it('without a timeline are there already', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    const rows = computeRows(detail, undefined, 0);
    expect(rows[1]!.bars.runs).toHaveLength(1);
    expect(rows[1]!.track.calls).toEqual([]);
  });

  it('are read once for each version of an agent', async () => {
    const { timeline } = await openRecorded('2.1.325-parallel');
    expect(trackOf(timeline.agents[1]!)).toBe(trackOf(timeline.agents[1]!));
  });
});

describe('waits and silences of the present', () => {
  it('are drawn to now', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-parallel');
    const track = trackOf(timeline.agents[1]!);
    const now = track.lastSign! + 30 * MINUTE;
    const agent = detail.subagents[0]!;
    const open = [{ ...agent.runs[0]!, status: 'running' as const, endedAt: null }];
    const asked = { ...agent, status: 'waiting' as const, waitingOn: 'permission' as const, runs: open };
    expect(barsOf(asked, track, now).waits.at(-1)).toEqual({
      from: Date.parse(agent.lastActivityAt!),
      to: now,
      on: 'person',
    });
    const silent = { ...agent, status: 'running' as const, stalled: true, runs: open };
    const { silences, pieces } = barsOf(silent, track, now);
    expect(silences.at(-1)).toEqual({ from: track.lastSign, to: now });
    expect(pieces.at(-1)!.to).toBe(track.lastSign);
  });
});

describe('stretches of time', () => {
  const spans = fc
    .array(fc.tuple(fc.nat(1000), fc.nat(50)), { maxLength: 30 })
    .map((list) => list.map(([from, ms]): Span => ({ from, to: from + ms })).sort((a, b) => a.from - b.from));

  it('have gaps only where nothing is', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 100 }), (list, ms) => {
        for (const gap of silencesBetween(list, [], ms)) {
          expect(gap.to - gap.from).toBeGreaterThan(ms);
          for (const { from, to } of list) expect(to <= gap.from || from >= gap.to).toBe(true);
        }
      }),
    );
  });

  it('and what is taken out of them are the whole', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const gaps = silencesBetween(list, [], 10);
        const whole = { from: 0, to: 1100 };
        const left = without(whole, gaps);
        const length = (all: readonly Span[]): number => all.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(length(left) + length(gaps)).toBe(1100);
      }),
    );
  });

  it('are silent only where no reply came either', () => {
    const calls = [
      { from: 0, to: 10 },
      { from: 500, to: 510 },
    ];
    expect(silencesBetween(calls, [200, 700], 100)).toEqual([
      { from: 10, to: 200 },
      { from: 200, to: 500 },
      { from: 510, to: 700 },
    ]);
  });

  it('weigh by their digits', () => {
    expect([0, 100, 5000, 300_000, 9e9].map((ms) => Math.round(weightOf(ms) * 100))).toEqual([0, 0, 49, 100, 100]);
  });
});

describe('the call under the mouse', () => {
  it('is found at its place, in every recorded call', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested');
    for (const { track, bars } of computeRows(detail, timeline, 0)) {
      for (const mark of track.calls) {
        const hit = callAt(track, mark.from, 1, bars.runs.at(-1)!.to);
        expect(hit!.from).toBeLessThanOrEqual(mark.from + 1);
        expect((hit!.to ?? mark.from) - hit!.from).toBeLessThanOrEqual((mark.to ?? Number.MAX_VALUE) - mark.from);
      }
      expect(callAt(track, 0, 1, 0)).toBeUndefined();
    }
  });
});

describe('the overview', () => {
  it('has its highest bin where most calls began', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested');
    const rows = computeRows(detail, timeline, 0);
    const range = { from: Date.parse(detail.startedAt!), to: Date.parse(detail.lastActivityAt!) + 1 };
    const bins = histogramOf(rows, range, 20);
    expect(bins).toHaveLength(20);
    expect(Math.max(...bins)).toBe(1);
    expect(
      histogramOf(
        computeRows(
          multiply(detail, 3, () => -1),
          undefined,
          0,
        ),
        range,
        5,
      ),
    ).toEqual([0, 0, 0, 0, 0]);
  });
});
