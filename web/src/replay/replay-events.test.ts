import { describe, expect, it } from 'vitest';
import { marksOf, marksPath, rangeOf } from './replay-state.ts';
import { openRecorded } from './testing/open-recorded.mjs';

describe('marks on the track', () => {
  it('say when sub-agents were set to work and when they ended', async () => {
    const { detail } = await openRecorded('2.1.325-failing');
    const marks = marksOf(detail);
    const runs = detail.subagents.flatMap((agent) => agent.runs);
    expect(marks.filter(({ kind }) => kind === 'spawn')).toHaveLength(runs.length);
    expect(marks.filter(({ kind }) => kind === 'failure')).toHaveLength(
      runs.filter(({ status }) => status === 'failed').length,
    );
  });

  it('are one line where they fall together, and none outside of the track', async () => {
    const { detail } = await openRecorded('2.1.325-parallel');
    const range = rangeOf(detail, 0)!;
    const many = Array.from({ length: 1000 }, (_, index) => ({ at: range.from + index / 1000, kind: 'end' as const }));
    const path = marksPath([...many, { at: range.to + 9, kind: 'end' }], 'end', range, {
      width: 100,
      top: 0,
      bottom: 5,
    });
    expect(path).toBe('M0,0V5');
  });
});
