// Does a rule hold at this time, by the local clock?

import type { GuardedCall } from '../guarded-call.ts';
import type { TimeWindow } from '../policy.ts';
import type { Answer } from './agent.ts';

const DAY_MINUTES = 1440;

export function isInWindow(
  window: TimeWindow | null,
  { at, offsetMinutes }: Pick<GuardedCall, 'at' | 'offsetMinutes'>,
): Answer {
  if (window === null) return 'yes';
  // A clock that says nothing: denies hold, allows do not.
  if (!Number.isFinite(at) || !Number.isFinite(offsetMinutes)) return 'maybe';
  if (window.from !== null && at < window.from) return 'no';
  if (window.until !== null && at >= window.until) return 'no';
  const minutes = Math.floor(at / 60_000 + offsetMinutes);
  const ofDay = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  // The first of January 1970 was a Thursday.
  const day = (((Math.floor(minutes / DAY_MINUTES) + 4) % 7) + 7) % 7;
  if (window.minutes === null) return isDay(window, day) ? 'yes' : 'no';
  const [start, end] = window.minutes;
  if (start <= end) return isDay(window, day) && ofDay >= start && ofDay < end ? 'yes' : 'no';
  // Over midnight the hours after it belong to the day before.
  if (ofDay >= start) return isDay(window, day) ? 'yes' : 'no';
  return ofDay < end && isDay(window, (day + 6) % 7) ? 'yes' : 'no';
}

function isDay({ days }: TimeWindow, day: number): boolean {
  return days === null || days.includes(day);
}
