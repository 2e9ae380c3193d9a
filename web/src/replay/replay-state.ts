import { computed, effect, signal } from '@preact/signals';
import { type AgentReport, isSessionBusy, type SessionDetail, type TimelineReport } from '../../../src/core/index.ts';
import { replay } from '../actions.ts';
import { agentsOf, clock, currentSession, replayAt, shownSessions, timelines } from '../store.ts';

// What the replay bar knows. The moment itself is in the store: every view follows it.

export const isPlaying = signal(false);
export const speed = signal<Speed>(4);

export const range = computed<ReplayRange | undefined>(() => {
  const session = currentSession.value;
  return session && rangeOf(session, clock.value);
});

/** The past is wanted, and what is known of it has not come yet. */
export const isLoading = computed(
  () => replayAt.value !== undefined && !timelines.value.has(currentSession.value?.id ?? ''),
);

export function goTo(at: number | 'present'): void {
  const within = range.peek();
  const wish = at === 'present' || !within ? at : settle(at, within);
  if (wish === 'present') isPlaying.value = false;
  replay(wish === 'present' ? undefined : wish);
}

/** From the present it begins at the beginning. */
export function togglePlay(): void {
  const within = range.peek();
  if (!within) return;
  if (replayAt.peek() === undefined) replay(within.from);
  isPlaying.value = !isPlaying.peek();
}

/** A picture of many agents takes a while to compute: most of the time stays free for everything else. */
const LEAST_PAUSE_MS = 40;
const PAUSE_PER_COST = 3;

/** Moves the moment while it plays. Returns how to stop. */
export function runReplay(): () => void {
  let frame = 0;
  const stop = effect(() => {
    cancelAnimationFrame(frame);
    if (!isPlaying.value || isLoading.value) return;
    let last = performance.now();
    let due = last;
    const tick = (now: number): void => {
      frame = requestAnimationFrame(tick);
      if (now < due) return;
      const cost = play(now - last);
      last = now;
      due = now + Math.max(LEAST_PAUSE_MS, PAUSE_PER_COST * cost);
    };
    frame = requestAnimationFrame(tick);
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
    isPlaying.value = false;
  };
}

/** Returns how long it took, in milliseconds. */
function play(elapsedMs: number): number {
  const within = range.peek();
  const at = replayAt.peek();
  // Somebody went back to the present, or to another session.
  if (at === undefined || !within) {
    isPlaying.value = false;
    return 0;
  }
  const begin = performance.now();
  const session = currentSession.peek();
  const next = session && nextMoment(agentsOf(session), timelines.peek().get(session.id), at);
  goTo(advance({ at, range: within, speed: speed.peek(), elapsedMs, next }) ?? 'present');
  shownSessions.peek();
  return performance.now() - begin;
}

/** What can be replayed, in epoch milliseconds. */
export interface ReplayRange {
  readonly from: number;
  readonly to: number;
  /** Somebody is at work: the end is now, and moves. */
  readonly isGrowing: boolean;
}

export const SPEEDS = [1, 4, 16, 60] as const;
type Speed = (typeof SPEEDS)[number];

/** undefined: nobody wrote down when it began. */
export function rangeOf(session: SessionDetail, now: number): ReplayRange | undefined {
  if (session.startedAt === null) return undefined;
  const from = Date.parse(session.startedAt);
  const isGrowing = isSessionBusy(session);
  const end = isGrowing ? now : Date.parse(session.lastActivityAt ?? session.startedAt);
  return { from, to: Math.max(end, from + 1), isGrowing };
}

interface Advance {
  readonly at: number;
  readonly range: ReplayRange;
  readonly speed: number;
  readonly elapsedMs: number;
  /** When something happens next; undefined: nothing does. */
  readonly next?: number | undefined;
}

/** So long may nothing happen on the screen; what is longer is passed over. */
const DULL_MS = 2500;
/** A moment to see how things stood before they go on. */
const BREATH_MS = 500;

/** Where the replay is a little later. undefined: it has reached the present. */
export function advance({ at, range, speed, elapsedMs, next = range.to }: Advance): number | undefined {
  const isDull = next - at > DULL_MS * speed;
  const later = isDull ? next - BREATH_MS * speed : at + elapsedMs * speed;
  return later >= range.to ? undefined : later;
}

/** Where a press of a key leads; `present`: back to now. undefined: the key means nothing here. */
export function stepBy(key: string, isLarge: boolean, at: number, range: ReplayRange): number | 'present' | undefined {
  const step = stepOf(range) * (isLarge ? 10 : 1);
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(range.from, at - step);
    case 'ArrowRight':
    case 'ArrowUp':
      return settle(at + step, range);
    case 'PageDown':
      return Math.max(range.from, at - 10 * step);
    case 'PageUp':
      return settle(at + 10 * step, range);
    case 'Home':
      return range.from;
    case 'End':
      return 'present';
    default:
      return undefined;
  }
}

/** The end of what can be replayed is the present. */
export function settle(at: number, range: ReplayRange): number | 'present' {
  return at >= range.to ? 'present' : Math.max(range.from, at);
}

const STEPS_MS = [50, 100, 250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000];

/** About a two-hundredth of the whole, in a length that people count in. */
export function stepOf({ from, to }: ReplayRange): number {
  const wish = (to - from) / 200;
  return STEPS_MS.find((step) => step >= wish) ?? 3_600_000;
}

/** 4:05, 1:02:03; of what took seconds only, 4.5 s. */
export function formatMoment(ms: number, wholeMs: number): string {
  if (wholeMs < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  return wholeMs >= 3_600_000 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

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
