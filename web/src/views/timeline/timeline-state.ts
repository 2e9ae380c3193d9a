import { computed, signal } from '@preact/signals';
import { range as sessionRange } from '../../replay/replay-state.ts';
import { clock, currentSession, timelines } from '../../store.ts';
import { computeRows, type Row } from './rows.ts';
import type { CallMark, CompactionMark, Span } from './track.ts';

// What the timeline shows of the store, and where the person looks in it. It shows the whole session, also in a replay:
// the replayed moment is a line in it.

export const ROW_HEIGHT = 28;

export const range = computed<Span>(() => sessionRange.value ?? { from: 0, to: 1 });

/** Of a session in which nobody is at work, time does not go on. */
const now = computed(() => (sessionRange.value?.isGrowing ? clock.value : range.value.to));

export const rows = computed<readonly Row[]>(() => {
  const session = currentSession.value;
  return session ? computeRows(session, timelines.value.get(session.id), now.value) : [];
});

/** What the person zoomed into, and in which session. */
const zoomed = signal<{ readonly session: string | undefined; readonly window: Span } | undefined>(undefined);

export const shownWindow = computed<Span>(() => {
  const wish = zoomed.value;
  return wish && wish.session === currentSession.value?.id ? wish.window : wholeWindow(range.value);
});

export const isWhole = computed(() => zoomed.value?.session !== currentSession.value?.id);

export function setWindow(window: Span | undefined): void {
  zoomed.value = window && { session: currentSession.peek()?.id, window };
}

export function zoom(factor: number, share = 0.5): void {
  const next = zoomWindow(shownWindow.peek(), factor, share, range.peek());
  const whole = wholeWindow(range.peek());
  setWindow(next.to - next.from >= (whole.to - whole.from) * 0.999 ? undefined : next);
}

export function pan(share: number): void {
  if (!isWhole.peek()) setWindow(panWindow(shownWindow.peek(), share, range.peek()));
}

/** Where the rows are seen, in pixels. */
export const scrollTop = signal(0);
export interface Area {
  /** Of the tracks: left of it are the names. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}
export const area = signal<Area>({ left: 0, width: 0, height: 0 });

/** A row, and a call in it, that mouse or keyboard points at. */
export interface Spot {
  readonly row: number;
  readonly mark: CallMark | undefined;
  readonly compaction?: CompactionMark | undefined;
  /** Where the mouse is, in the tracks; the keyboard is at the call. */
  readonly x?: number;
}
export const spot = signal<Spot | undefined>(undefined);
/** What is being brushed. */
export const brush = signal<Span | undefined>(undefined);
/** Id of the agent whose row has the keyboard. */
export const focused = signal<string | undefined>(undefined);

/** The rows that are in sight. */
export const seenRows = computed(() => {
  const first = Math.floor(scrollTop.value / ROW_HEIGHT);
  const last = Math.min(rows.value.length - 1, Math.ceil((scrollTop.value + area.value.height) / ROW_HEIGHT));
  return { first: Math.max(0, first), last };
});

export function pointAt(next: Spot | undefined): void {
  spot.value = next;
}

/** Points at a call by keyboard: it comes into sight. */
export function visit(row: number, mark: CallMark | undefined): void {
  spot.value = { row, mark };
  if (mark && !isWhole.peek()) setWindow(revealIn(shownWindow.peek(), mark.from, range.peek()));
}

export function xOf(at: number, { from, to }: Span, width: number): number {
  return ((at - from) / (to - from)) * width;
}

export function timeAt(x: number, { from, to }: Span, width: number): number {
  return from + (x / Math.max(1, width)) * (to - from);
}

// The part of a session's time that is looked at.

const SHORTEST_MS = 20;
/** So much more than the whole may be seen. */
const SLACK = 0.04;

/** All of it, with a little air at both ends. */
export function wholeWindow({ from, to }: Span): Span {
  const air = Math.max(1, to - from) * SLACK;
  return { from: from - air, to: to + air };
}

/** `share`: where the point that stays is, 0 at the left, 1 at the right. */
export function zoomWindow(window: Span, factor: number, share: number, range: Span): Span {
  const span = (window.to - window.from) / factor;
  const fixed = window.from + (window.to - window.from) * share;
  return keepWithin({ from: fixed - span * share, to: fixed + span * (1 - share) }, range);
}

/** `share`: of the window's length, to the right. */
export function panWindow({ from, to }: Span, share: number, range: Span): Span {
  const by = (to - from) * share;
  return keepWithin({ from: from + by, to: to + by }, range);
}

/** From one point to another, in either order. */
export function brushWindow(a: number, b: number, range: Span): Span {
  return keepWithin({ from: Math.min(a, b), to: Math.max(a, b) }, range);
}

/** Moves it as little as needed, so that a moment is in it. */
export function revealIn(window: Span, at: number, range: Span): Span {
  const margin = (window.to - window.from) * 0.1;
  if (at < window.from + margin) return shift(window, at - margin - window.from, range);
  if (at > window.to - margin) return shift(window, at + margin - window.to, range);
  return window;
}

function shift({ from, to }: Span, by: number, range: Span): Span {
  return keepWithin({ from: from + by, to: to + by }, range);
}

function keepWithin({ from, to }: Span, range: Span): Span {
  const whole = wholeWindow(range);
  const middle = (from + to) / 2;
  const span = Math.min(whole.to - whole.from, Math.max(SHORTEST_MS, to - from));
  const start = Math.min(whole.to - span, Math.max(whole.from, middle - span / 2));
  return { from: start, to: start + span };
}

const STEPS_MS = [
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
  1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
];

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Marks of the ruler, at round distances from the beginning of the session. */
export function ticksIn({ from, to }: Span, begin: number, most: number): readonly Tick[] {
  const step = STEPS_MS.find((one) => (to - from) / one <= most) ?? 604_800_000;
  const ticks: Tick[] = [];
  for (let at = begin + Math.ceil((from - begin) / step) * step; at <= to; at += step)
    if (at >= begin) ticks.push({ at, text: formatOffset(at - begin, step) });
  return ticks;
}

/** As exact as the step needs. */
function formatOffset(ms: number, step: number): string {
  if (step < 1000) return `${(ms / 1000).toFixed(step < 100 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
