import { describe, expect, it } from 'vitest';
import { openRecorded } from '../../replay/testing/open-recorded.mjs';
import { callText, callTitle, compactionText, computeRows, rowText } from './rows.ts';

async function open(name: string) {
  const { detail, timeline } = await openRecorded(name);
  const range = { from: Date.parse(detail.startedAt!), to: Date.parse(detail.lastActivityAt!) };
  return { rows: computeRows(detail, timeline, range.to), range };
}

describe('rows and calls in words', () => {
  it('say how an agent did, and when', async () => {
    const { rows, range } = await open('2.1.325-inter-team');
    expect(rowText(rows[1]!, rows[1]!.agent, range)).toBe('completed, 2 runs, 3 calls, from 0.2 s to 3.8 s');
  });

  it('say what a call did, how it ended and how long it took', async () => {
    const { rows, range } = await open('2.1.325-nested-deep');
    const refused = rows[3]!.track.calls[0]!;
    expect(callTitle(refused)).toMatch(/^Agent /);
    expect(callText(refused, range)).toBe('ended with an error after 0.0 s, at 0.9 s');
    const open_ = { ...refused, to: undefined };
    expect(callText(open_, range)).toBe('no result so far, at 0.9 s');
  });

  it('show nothing hostile', async () => {
    const { rows } = await open('2.1.325-xss');
    for (const { track } of rows) {
      for (const mark of track.calls) expect(callTitle(mark)).not.toMatch(/[\u001b\u202e\u0007\n]/);
    }
  });

  it('do not make a number of what is not known', () => {
    const compaction = { at: null, tokensBefore: 160_000, tokensAfter: null };
    expect(compactionText({ at: 0, compaction })).toBe('Context compacted: from 160k to ? tokens');
  });
});
