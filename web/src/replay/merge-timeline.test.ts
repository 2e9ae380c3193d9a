import { describe, expect, it } from 'vitest';
import type { TimelineReport } from '../../../src/core/index.ts';
import { openRecorded } from './testing/open-recorded.mjs';
import { mergeTimeline } from './timeline-feed.ts';

const NAMES = ['2.1.325-nested', '2.1.325-inter-team', '2.1.325-inter-compact', '2.1.325-orphan-resumed'];

describe('a timeline and the part that came after', () => {
  it('are the whole, from wherever the part begins', async () => {
    for (const name of NAMES) {
      const { timeline, timelineSince } = await openRecorded(name);
      for (const since of momentsIn(timeline)) {
        const known = until(timeline, since);
        const part = timelineSince(since);
        expect(mergeTimeline(known, part, since), `${name} since ${since}`).toEqual(timeline);
      }
    }
  });

  it('leave alone what did not change', async () => {
    const { timeline, timelineSince } = await openRecorded('2.1.325-nested');
    const since = timeline.endedAt ?? '';
    const merged = mergeTimeline(timeline, timelineSince(since), since);
    expect(merged.agents.map((agent, index) => agent === timeline.agents[index])).not.toContain(false);
  });

  it('take in an agent that is new, and drop one that is none any more', async () => {
    const { timeline, timelineSince } = await openRecorded('2.1.325-parallel');
    const [main, ...others] = timeline.agents;
    const known = { ...timeline, agents: [main!, { ...main!, id: 'a ghost' }] };
    const merged = mergeTimeline(known, timelineSince(timeline.startedAt ?? ''), timeline.startedAt ?? '');
    expect(merged.agents.map(({ id }) => id)).toEqual([main!.id, ...others.map(({ id }) => id)]);
  });
});

function momentsIn({ agents }: TimelineReport): readonly string[] {
  const times = agents.flatMap(({ calls, replies }) => [
    ...calls.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]),
    ...replies.map(({ at }) => at),
  ]);
  return times.filter((time) => time !== null).sort();
}

/** As it was told before a moment: calls that are still open then, and nothing that came later. */
function until(timeline: TimelineReport, moment: string): TimelineReport {
  const isPast = (time: string | null): boolean => (time ?? '') < moment;
  return {
    ...timeline,
    endedAt: moment,
    agents: timeline.agents.map((agent) => ({
      ...agent,
      calls: agent.calls
        .filter(({ startedAt }) => isPast(startedAt))
        .map((call) => (isPast(call.endedAt) ? call : { ...call, endedAt: null, outcome: null, spawned: null })),
      replies: agent.replies.filter(({ at }) => isPast(at)),
      compactions: agent.compactions.filter(({ at }) => isPast(at)),
    })),
  };
}
