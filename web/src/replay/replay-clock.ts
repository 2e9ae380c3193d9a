import { isSessionBusy, type SessionDetail } from '../../../src/core/index.ts';

/** What can be replayed, in epoch milliseconds. */
export interface ReplayRange {
  readonly from: number;
  readonly to: number;
  /** Somebody is at work: the end is now, and moves. */
  readonly isGrowing: boolean;
}

export const SPEEDS = [1, 4, 16, 60] as const;
export type Speed = (typeof SPEEDS)[number];

/** undefined: nobody wrote down when it began. */
export function rangeOf(session: SessionDetail, now: number): ReplayRange | undefined {
  if (session.startedAt === null) return undefined;
  const from = Date.parse(session.startedAt);
  const isGrowing = isSessionBusy(session);
  const end = isGrowing ? now : Date.parse(session.lastActivityAt ?? session.startedAt);
  return { from, to: Math.max(end, from + 1), isGrowing };
}

export interface Advance {
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
