import { computed, signal } from '@preact/signals';
import { range as sessionRange } from '../../replay/replay-state.ts';
import { clock, currentSession, timelines, timelineZoom } from '../../store.ts';
import { computeRows, type Row } from './rows.ts';
import { panWindow, revealIn, wholeWindow, zoomWindow } from './time-window.ts';
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

export const shownWindow = computed<Span>(() =>
  isWhole.value ? wholeWindow(range.value) : (timelineZoom.value ?? range.value),
);

export const isWhole = computed(() => {
  const zoomed = timelineZoom.value;
  return zoomed === undefined || zoomed.session !== currentSession.value?.id;
});

export function setWindow(window: Span | undefined): void {
  timelineZoom.value = window && { session: currentSession.peek()?.id, from: window.from, to: window.to };
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
