// Long things are folded: some of their units (lines, or pieces of very long lines) are shown, and gaps say how many are
// not. A gap opens in steps, so that no text, however long, stops the page.

import { splitsCharacter } from '../index.ts';

/** From the first unit to the one behind the last. */
export type Span = readonly [from: number, to: number];

export interface Units {
  readonly count: number;
  /** How many rows of the page it takes, about. */
  rows(index: number): number;
}

export interface FoldLimits {
  /** Rows that are shown from the beginning, and from the end. */
  readonly head: number;
  readonly tail: number;
}

/** A gap must hide more than its own button takes. */
const SLACK_ROWS = 4;
/** What one click opens. */
export const STEP_ROWS = 800;
/** What is shown around a place that was searched for. */
const AROUND_ROWS = 12;

export function foldUnits(units: Units, { head, tail }: FoldLimits): readonly Span[] {
  if (fits(units, 0, units.count, head + tail + SLACK_ROWS)) return everything(units);
  const upTo = advance(units, 0, head);
  const from = retreat(units, units.count, tail);
  return from <= upTo ? everything(units) : addSpan([[0, upTo]], [from, units.count]);
}

/** Only those that are worth it, and of these not more than so many rows. */
export function foldAround(units: Units, isWorth: (index: number) => boolean, head: number): readonly Span[] {
  const spans: [number, number][] = [];
  let rows = 0;
  for (let index = 0; index < units.count && rows < head; index++) {
    if (!isWorth(index)) continue;
    rows += units.rows(index);
    const last = spans.at(-1);
    if (last && index - last[1] <= 1) last[1] = index + 1;
    else spans.push([index, index + 1]);
  }
  const last = spans.at(-1);
  if (last && fits(units, last[1], units.count, SLACK_ROWS)) last[1] = units.count;
  if (spans[0] && fits(units, 0, spans[0][0], 2)) spans[0][0] = 0;
  return spans;
}

/** Opens the gap before the span of that number (or behind the last one), from its beginning. */
export function openGap(spans: readonly Span[], units: Units, gap: number): readonly Span[] {
  const from = spans[gap - 1]?.[1] ?? 0;
  const end = spans[gap]?.[0] ?? units.count;
  const to = fits(units, from, end, STEP_ROWS + SLACK_ROWS) ? end : advance(units, from, STEP_ROWS, end);
  return addSpan(spans, [from, to]);
}

/** Shows a unit and some around it. */
export function revealUnit(spans: readonly Span[], units: Units, at: number): readonly Span[] {
  if (spans.some(([from, to]) => from <= at && at < to)) return spans;
  return addSpan(spans, [retreat(units, at, AROUND_ROWS), advance(units, at + 1, AROUND_ROWS)]);
}

/** How many units are hidden before each span, and behind the last. */
export function gapSizes(spans: readonly Span[], count: number): readonly number[] {
  return [...spans.map(([from], index) => from - (spans[index - 1]?.[1] ?? 0)), count - (spans.at(-1)?.[1] ?? 0)];
}

function addSpan(spans: readonly Span[], added: Span): readonly Span[] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...spans, added].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return withoutEmpty(joined);
}

function withoutEmpty(spans: readonly Span[]): readonly Span[] {
  return spans.filter(([from, to]) => to > from);
}

function everything({ count }: Units): readonly Span[] {
  return count === 0 ? [] : [[0, count]];
}

/** At most `rows` rows: there is no need to count all of a long text. */
function fits(units: Units, from: number, to: number, rows: number): boolean {
  if (to - from > rows) return false;
  let sum = 0;
  for (let index = from; index < to; index++) sum += units.rows(index);
  return sum <= rows;
}

/** One unit at least, however many rows it takes. */
function advance(units: Units, from: number, rows: number, end = units.count): number {
  let to = from;
  for (let sum = 0; to < end && sum < rows; to++) sum += units.rows(to);
  return to;
}

function retreat(units: Units, to: number, rows: number): number {
  let from = to;
  for (let sum = 0; from > 0 && sum < rows; from--) sum += units.rows(from - 1);
  return from;
}

/** Lines of a text; of a line longer than this, pieces. */
const LONGEST_PIECE = 400;
/** Of a row of the page, in characters. */
const ROW = 80;

export interface TextUnits extends Units {
  readonly text: string;
  /** Where a piece begins. The one behind the last begins at the end of the text. */
  start(index: number): number;
  /** Of a line that begins in an earlier piece. */
  isContinued(index: number): boolean;
  /** The piece at a place in the text. */
  at(offset: number): number;
}

/** Nothing is copied: a text of megabytes has many pieces. */
export function cutText(text: string): TextUnits {
  const starts: number[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('\n', from);
    const to = next === -1 ? text.length : next + 1;
    let piece = from;
    while (to - piece > LONGEST_PIECE) {
      starts.push(piece);
      piece += splitsCharacter(text, piece + LONGEST_PIECE) ? LONGEST_PIECE - 1 : LONGEST_PIECE;
    }
    starts.push(piece);
    from = to;
  }
  const start = (index: number): number => starts[index] ?? text.length;
  return {
    text,
    count: starts.length,
    start,
    rows: (index) => Math.max(1, Math.ceil((start(index + 1) - start(index)) / ROW)),
    isContinued: (index) => index > 0 && text[start(index) - 1] !== '\n',
    at: (offset) => findLast(starts, offset),
  };
}

/** The last one that is not greater. */
function findLast(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}
