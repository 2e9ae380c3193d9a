import type { Lane } from './block.ts';
import type { Box, Columns, Side } from './geometry.ts';
import type { Layout } from './layout.ts';
import type { Palette } from './palette.ts';

/** All that one picture is drawn from. */
export interface Frame {
  readonly ctx: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly columns: Columns;
  readonly layout: Layout;
  readonly pointers: Pointers;
  /** Of the lanes that are in sight, and their height. */
  readonly scrollTop: number;
  readonly viewHeight: number;
  /** The time that silences are counted to. */
  readonly now: number;
  readonly isBlinkOn: boolean;
  readonly carOf: (key: string) => Car | undefined;
  readonly sideOf: (key: string) => Side;
  readonly tracesOf: (lane: Lane) => Traces;
  readonly cut: (text: string, font: string, room: number) => Fitted;
}

/** What happened in a lane, in tokens. */
export interface Traces {
  /** Of its parent's context, when it was asked for. */
  readonly spawnedAt: number | undefined;
  readonly setBacks: readonly number[];
}

/** Keys of rows: see `rows.ts`. */
export interface Pointers {
  readonly hovered: string | undefined;
  readonly focused: string | undefined;
  readonly selected: string | undefined;
}

export function putText(
  { ctx, cut }: Frame,
  text: string,
  box: Box,
  {
    font,
    colour,
    align = 'left',
  }: { readonly font: string; readonly colour: string; readonly align?: 'left' | 'right' },
): number {
  const { text: shown, width } = cut(text, font, box.w);
  if (shown === '') return 0;
  ctx.font = font;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = 'middle';
  ctx.fillText(shown, align === 'left' ? box.x : box.x + box.w, box.y + box.h / 2 + 0.5);
  return width;
}

/** A car on its way. What is not on the screen is not moved: `at` says when it last was, and it catches up. */
export interface Car {
  /** Of the way along its lane. */
  readonly share: number;
  /** Of the top of its lane. */
  readonly y: number;
  readonly alpha: number;
  /** Length of the trail, 0 to 1. */
  readonly trail: number;
  readonly at: number;
}

export type Goal = Omit<Car, 'at'>;

/** How fast it gets there: after this many milliseconds two thirds of the way are done. */
const PACE = { share: 220, setBack: 520, y: 90, alpha: 140, trail: 300 } as const;
/** Nearer than this is there. */
const NEAR = { share: 0.0004, y: 0.4, alpha: 0.01, trail: 0.01 } as const;
/** A fall by more than this is a set-back that people should see. */
const FALL = 0.01;

/** Where it is now. It slows down as it gets near and never goes too far, however often the goal changes. */
export function advance(car: Car, goal: Goal, now: number, isStill = false): Car {
  if (isStill || isThere(car, goal)) return { ...goal, at: now };
  const ms = Math.max(0, now - car.at);
  const pace = goal.share < car.share - FALL ? PACE.setBack : PACE.share;
  return {
    share: approach(car.share, goal.share, ms, pace, NEAR.share),
    y: approach(car.y, goal.y, ms, PACE.y, NEAR.y),
    alpha: approach(car.alpha, goal.alpha, ms, PACE.alpha, NEAR.alpha),
    trail: approach(car.trail, goal.trail, ms, PACE.trail, NEAR.trail),
    at: now,
  };
}

export function isThere(car: Car, goal: Goal): boolean {
  return car.share === goal.share && car.y === goal.y && car.alpha === goal.alpha && car.trail === goal.trail;
}

function approach(value: number, goal: number, ms: number, pace: number, near: number): number {
  const next = goal + (value - goal) * Math.exp(-ms / pace);
  return Math.abs(next - goal) <= near ? goal : next;
}

/** How wide a text is in a font. */
type Measure = (text: string, font: string) => number;

/** A text cut to a width, and how wide it is then. */
interface Fitted {
  readonly text: string;
  readonly width: number;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** No lane is as wide as this many characters. */
const LONGEST = 500;
/** The same texts are drawn frame after frame. */
const MOST_KNOWN = 3000;

/** Cuts texts with … at the width they have, never through a grapheme. */
export function createFitter(measure: Measure): (text: string, font: string, room: number) => Fitted {
  const widths = new Map<string, number>();
  const cuts = new Map<string, Fitted>();
  const widthOf = (text: string, font: string): number => recall(widths, `${font}\n${text}`, () => measure(text, font));
  return (text, font, room) => {
    const whole = text.length > LONGEST ? text.slice(0, LONGEST) : text;
    const width = whole.length === text.length ? widthOf(whole, font) : Number.POSITIVE_INFINITY;
    if (width <= room) return { text, width };
    // Whole pixels: a moving car would otherwise ask for a new cut in every frame.
    const pixels = Math.floor(room);
    return recall(cuts, `${pixels}\n${font}\n${whole}`, () => cutTo(whole, pixels, (part) => measure(part, font)));
  };
}

function recall<T>(known: Map<string, T>, key: string, make: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

function cutTo(text: string, room: number, measure: (text: string) => number): Fitted {
  const graphemes = [...segmenter.segment(text)].map(({ segment }) => segment);
  const head = (count: number): string => `${graphemes.slice(0, count).join('').trimEnd()}…`;
  if (measure('…') > room) return { text: '', width: 0 };
  let [low, high] = [0, graphemes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(head(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const cut = head(low);
  return { text: cut, width: measure(cut) };
}
