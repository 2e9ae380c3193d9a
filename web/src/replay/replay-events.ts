import type { AgentReport, SessionDetail, TimelineReport } from '../../../src/core/index.ts';

/** A mark on the track of the slider. */
export interface Mark {
  readonly at: number;
  readonly kind: 'spawn' | 'end' | 'failure';
}

/** When sub-agents were set to work, and when they ended. */
export function marksOf({ subagents }: SessionDetail): readonly Mark[] {
  return subagents.flatMap(({ runs }) =>
    runs.flatMap(({ startedAt, endedAt, status }): readonly Mark[] => [
      ...(startedAt === null ? [] : [{ at: Date.parse(startedAt), kind: 'spawn' as const }]),
      ...(endedAt === null
        ? []
        : [{ at: Date.parse(endedAt), kind: status === 'failed' ? ('failure' as const) : ('end' as const) }]),
    ]),
  );
}

/** Marks of one kind as a path in a picture of the given width and height; those that would fall together are one. */
export function marksPath(
  marks: readonly Mark[],
  kind: Mark['kind'],
  range: { readonly from: number; readonly to: number },
  picture: { readonly width: number; readonly top: number; readonly bottom: number },
): string {
  const places = new Set<number>();
  for (const mark of marks) {
    if (mark.kind !== kind || mark.at < range.from || mark.at > range.to) continue;
    places.add(Math.round((picture.width * (mark.at - range.from)) / (range.to - range.from)));
  }
  return [...places].map((x) => `M${x},${picture.top}V${picture.bottom}`).join('');
}

/**
 * When something happens next after a moment: somebody begins or ends, replies, or calls a tool. Replay passes over
 * what lies far between. Times are compared as texts, and what is in order is halved: it is asked for many times a second.
 */
export function nextMoment(
  agents: readonly AgentReport[],
  timeline: TimelineReport | undefined,
  at: number,
): number | undefined {
  const now = new Date(at).toISOString();
  let next: string | undefined;
  const offer = (time: string | null | undefined): void => {
    if (time && time > now && (next === undefined || time < next)) next = time;
  };
  for (const { runs } of agents) {
    for (const { startedAt, endedAt } of runs) {
      offer(startedAt);
      offer(endedAt);
    }
  }
  for (const { calls, replies, compactions } of timeline?.agents ?? []) {
    offer(calls[firstAfter(calls, now, ({ startedAt, endedAt }) => startedAt ?? endedAt)]?.startedAt);
    offer(replies[firstAfter(replies, now, (reply) => reply.at)]?.at);
    for (const { at: time } of compactions) offer(time);
  }
  return next === undefined ? undefined : Date.parse(next);
}

/** Index of the first that is later, in a list that is in order. */
function firstAfter<T>(list: readonly T[], now: string, timeOf: (one: T) => string | null): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = list[middle];
    if (one !== undefined && (timeOf(one) ?? '') <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}
