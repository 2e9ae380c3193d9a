import type { Lane, LaneHeights } from './block.ts';

/** Where things stand in a lane, for drawing and for the pointer. All in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The columns of the race. Where it is narrow the names stand above the tracks, not beside them. */
export interface Columns {
  readonly width: number;
  readonly isStacked: boolean;
  readonly heights: LaneHeights & { readonly gap: number; readonly earlier: number };
  readonly name: Span;
  readonly track: Span;
  readonly chip: Span;
  readonly tokens: Span;
}

const EDGE = 12;
const INDENT = 14;
/** Names need room, however deep the tree is. */
const DEEPEST_INDENT = 6;
const STACKED_BELOW = 640;
const BESIDE = { session: 56, sub: 28, gap: 12, earlier: 32 } as const;
const STACKED = { session: 80, sub: 46, gap: 12, earlier: 32 } as const;

export function columnsFor(width: number): Columns {
  if (width < STACKED_BELOW) {
    const tokens = { from: width - EDGE - 68, to: width - EDGE };
    const chip = { from: tokens.from - 8 - 88, to: tokens.from - 8 };
    const name = { from: EDGE, to: chip.from - 8 };
    return { width, isStacked: true, heights: STACKED, name, track: { from: EDGE, to: width - EDGE }, chip, tokens };
  }
  const tokens = { from: width - EDGE - 72, to: width - EDGE };
  const chip = { from: tokens.from - 4 - 104, to: tokens.from - 4 };
  const name = { from: EDGE, to: Math.round(Math.min(340, Math.max(184, width * 0.26))) };
  const track = { from: name.to + 12, to: chip.from - 8 };
  return { width, isStacked: false, heights: BESIDE, name, track, chip, tokens };
}

interface LaneBoxes {
  readonly fold: Box;
  readonly name: Box;
  /** The second line of a session. */
  readonly detail: Box | undefined;
  /** How many of its sub-agents work. */
  readonly badge: Box;
  readonly band: Box;
  readonly chip: Box;
  readonly tokens: Box;
}

type LaneShape = Pick<Lane, 'depth' | 'height'>;

const LINE = 20;
/** Room for four digits: a number that is cut is a wrong number. */
const BADGE = 60;

export function boxesOf(
  columns: Columns,
  lane: Pick<Lane, 'depth' | 'height' | 'chip' | 'below'>,
  y: number,
): LaneBoxes {
  const { depth, height } = lane;
  const { isStacked, name, chip, tokens } = columns;
  const isSession = depth === 0;
  const middle = y + (height - LINE) / 2;
  const first = isStacked ? y + 2 : isSession ? middle - LINE / 2 : middle;
  const second = first + LINE;
  // Where names stand above the track, what is not there leaves its room to them.
  const right = !isStacked ? name.to : isSession || !lane.chip ? tokens.from - 8 : chip.from - 8;
  const fold = { x: name.from + indentOf(depth), y: first, w: 16, h: LINE };
  const badge = {
    x: (isStacked && isSession ? chip.from - 8 : right) - BADGE,
    y: (isSession ? second : first) + 1,
    w: BADGE,
    h: LINE - 2,
  };
  const x = fold.x + fold.w;
  const nameTo = isSession || lane.below.busy === 0 ? right : badge.x - 4;
  return {
    fold,
    name: { x, y: first, w: Math.max(0, nameTo - x), h: LINE },
    detail: isSession ? { x, y: second, w: Math.max(0, badge.x - 4 - x), h: LINE } : undefined,
    badge,
    band: bandOf(columns, lane, y),
    chip:
      isStacked && isSession
        ? boxAt({ from: chip.from, to: tokens.to }, second)
        : boxAt(chip, isStacked ? first : middle),
    tokens: { x: tokens.from, y: isStacked ? first : middle, w: tokens.to - tokens.from, h: LINE },
  };
}

function boxAt({ from, to }: Span, y: number): Box {
  return { x: from, y: y + 1, w: to - from, h: LINE - 2 };
}

function indentOf(depth: number): number {
  return Math.min(depth, DEEPEST_INDENT) * INDENT;
}

/** The track itself. */
export function bandOf({ track, isStacked }: Columns, { depth, height }: LaneShape, y: number): Box {
  const isSession = depth === 0;
  const x = track.from + indentOf(depth);
  const h = isSession ? 36 : 20;
  const top = isStacked ? y + height - h - (isSession ? 2 : 4) : y + (height - h) / 2;
  return { x, y: top, w: Math.max(40, track.to - x), h };
}

export interface CarSize {
  readonly length: number;
  readonly height: number;
  readonly trail: number;
}

export function carSize(depth: number): CarSize {
  return depth === 0 ? { length: 44, height: 22, trail: 40 } : { length: 28, height: 15, trail: 24 };
}

/** The flag at the end of the window stands behind the last place of a car. */
export const FLAG = 6;

/** Where the nose of a car is: at 0 the car stands whole on the track, at 1 it touches the flag. */
export function noseAt({ x, w }: Box, share: number, { length }: CarSize): number {
  const from = x + length + 2;
  return from + share * (x + w - FLAG - from);
}

/** Texts stand ahead of a car while there is more room, else behind it; not to and fro at the border. */
export type Side = 'ahead' | 'behind';

export function sideOf(share: number, before: Side | undefined): Side {
  if (before === 'behind') return share < 0.5 ? 'ahead' : 'behind';
  return share > 0.6 ? 'behind' : 'ahead';
}

const MARGIN = 4;

/** Room for text within a range that keeps clear of obstacles: the nearest that is wide enough, else the widest. */
export function roomFor({ from, to }: Span, side: Side, obstacles: readonly Span[], wanted: number): Span {
  const gaps: Span[] = [];
  let open = from;
  for (const wall of [...obstacles].sort((a, b) => a.from - b.from)) {
    if (wall.from - MARGIN > open) gaps.push({ from: open, to: Math.min(to, wall.from - MARGIN) });
    open = Math.max(open, wall.to + MARGIN);
  }
  if (open < to) gaps.push({ from: open, to });
  if (side === 'behind') gaps.reverse();
  const width = (gap: Span): number => gap.to - gap.from;
  const widest = gaps.reduce<Span>((best, gap) => (width(gap) > width(best) ? gap : best), { from, to: from });
  return gaps.find((gap) => width(gap) >= wanted) ?? widest;
}

/** Lengths for a style: Preact adds no unit by itself. */
export function pixels<Name extends string>(lengths: Readonly<Record<Name, number>>): Record<Name, string> {
  const named = Object.entries<number>(lengths).map(([name, length]) => [name, `${length}px`]);
  return Object.fromEntries(named);
}
