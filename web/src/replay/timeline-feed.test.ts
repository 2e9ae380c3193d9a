import { describe, expect, it } from 'vitest';
import { openRecorded } from './testing/open-recorded.mjs';
import { sinceOf } from './timeline-feed.ts';

describe('from when on a timeline is asked for again', () => {
  it('is a minute before its end while somebody is at work', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested');
    const atWork = { ...detail, main: { ...detail.main, status: 'running' as const } };
    expect(sinceOf(timeline, atWork)).toBe(new Date(Date.parse(timeline.endedAt!) - 60_000).toISOString());
    expect(sinceOf(timeline, detail)).toBeUndefined();
  });

  it('is the beginning where an agent from before was found only now', async () => {
    const { detail, timeline } = await openRecorded('2.1.325-nested');
    const atWork = { ...detail, main: { ...detail.main, status: 'running' as const } };
    const late = { ...detail.subagents[0]!, id: 'late', startedAt: '2026-01-01T00:00:00.000Z' };
    expect(sinceOf(timeline, { ...atWork, subagents: [...detail.subagents, late] })).toBeUndefined();
    const fresh = { ...late, startedAt: timeline.endedAt };
    expect(sinceOf(timeline, { ...atWork, subagents: [...detail.subagents, fresh] })).toBeDefined();
  });
});
