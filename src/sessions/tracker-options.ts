import { STALLED_AFTER, type StalledAfter } from '../core/index.ts';
import type { Config } from './settings.ts';
import { LIVE_WINDOW, type TrackerOptions } from './tracker.ts';

/** The wishes of the person as the tracker takes them. */
export function trackerOptionsOf({ live = {} }: Config): Omit<TrackerOptions, 'clock' | 'onError'> {
  const { windowHours, windowSessions, sweepSeconds } = live;
  return {
    window: {
      ms: windowHours === undefined ? LIVE_WINDOW.ms : windowHours * 3_600_000,
      sessions: windowSessions ?? LIVE_WINDOW.sessions,
    },
    ...(sweepSeconds !== undefined && { sweepEveryMs: sweepSeconds * 1000 }),
    stalledAfter: stalledAfterOf(live),
  };
}

function stalledAfterOf({ stalledAfterSeconds = {} }: NonNullable<Config['live']>): StalledAfter {
  const ms = (seconds: number | undefined, otherwise: number): number =>
    seconds === undefined ? otherwise : seconds * 1000;
  const { start, reply, tool } = stalledAfterSeconds;
  return {
    start: ms(start, STALLED_AFTER.start),
    reply: ms(reply, STALLED_AFTER.reply),
    tool: ms(tool, STALLED_AFTER.tool),
  };
}
