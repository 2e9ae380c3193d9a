import type { Chip, Lane } from './block.ts';
import { factsOf } from './facts.ts';
import type { Pointers, Traces } from './frame.ts';
import { type Box, boxesOf, type Columns } from './geometry.ts';
import { type Layout, placesWithin } from './layout.ts';
import type { Palette } from './palette.ts';

/** What the keyboard walks through, from top to bottom: lanes, the chips at their ends, and the row of earlier sessions. */
export type Row =
  | { readonly kind: 'lane'; readonly key: string; readonly lane: Lane; readonly y: number }
  | { readonly kind: 'chip'; readonly key: string; readonly lane: Lane; readonly chip: Chip; readonly y: number }
  | {
      readonly kind: 'earlier';
      readonly key: string;
      readonly count: number;
      readonly isOpen: boolean;
      readonly y: number;
    };

export const EARLIER = 'earlier';
/** Not a character of any id. */
const CHIP = '\u0000chip';

export function rowsOf({ blocks, earlier }: Layout): readonly Row[] {
  const rows: Row[] = [];
  let isEarlierDue = earlier !== undefined;
  const takeEarlier = (): void => {
    if (earlier && isEarlierDue) rows.push({ kind: 'earlier', key: EARLIER, ...earlier });
    isEarlierDue = false;
  };
  for (const { block, top } of blocks) {
    if (earlier && top > earlier.y) takeEarlier();
    for (const lane of block.lanes) {
      const y = top + lane.y;
      rows.push({ kind: 'lane', key: lane.key, lane, y });
      if (lane.chip) rows.push({ kind: 'chip', key: chipRow(lane.key), lane, chip: lane.chip, y });
    }
  }
  takeEarlier();
  return rows;
}

export function chipRow(lane: string): string {
  return `${lane}${CHIP}`;
}

export function isChipRow(row: string): boolean {
  return row.endsWith(CHIP);
}

/** The lane that a row belongs to. */
export function laneOfRow(row: string): string {
  return isChipRow(row) ? row.slice(0, -CHIP.length) : row;
}

/** What the pointer is on. */
export interface Hit {
  /** Key of the row. */
  readonly row: string;
  readonly part: 'lane' | 'fold' | 'chip' | 'earlier';
}

/** `y` counts from the top of all lanes, in sight or not. */
export function hitAt(layout: Layout, columns: Columns, x: number, y: number): Hit | undefined {
  const { earlier } = layout;
  if (earlier && y >= earlier.y && y < earlier.y + earlier.height) return { row: EARLIER, part: 'earlier' };
  const place = placesWithin(layout, y, y).find((one) => y >= one.y && y < one.y + one.lane.height);
  if (!place) return undefined;
  const { lane } = place;
  const boxes = boxesOf(columns, lane, place.y);
  if (lane.fold !== 'leaf' && isWithin(boxes.fold, x, y)) return { row: lane.key, part: 'fold' };
  if (lane.chip && isWithin(boxes.chip, x, y)) return { row: chipRow(lane.key), part: 'chip' };
  return { row: lane.key, part: 'lane' };
}

/** Fingers are not as exact as arrows of a mouse. */
const SLACK = 3;

function isWithin({ x, y, w, h }: Box, px: number, py: number): boolean {
  return px >= x - SLACK && px < x + w + SLACK && py >= y - SLACK && py < y + h + SLACK;
}

/** What the stage is told whenever something changed. */
export interface Scene {
  readonly layout: Layout;
  readonly columns: Columns;
  readonly viewHeight: number;
  readonly pointers: Pointers;
  readonly now: number;
  /** Cars jump, and hazard lights stay on. */
  readonly isStill: boolean;
  readonly palette: Palette;
  readonly trailOf: (lane: Lane) => number;
  /** It appeared while somebody looked: it comes from the start. */
  readonly isNew: (lane: Lane) => boolean;
  readonly tracesOf: (lane: Lane) => Traces;
  /** What `tracesOf` knows from elsewhere than the lanes: another object, where it knows more. */
  readonly traces: unknown;
}

/** Whether it has to be drawn, whatever its cars do. */
export function isDifferent(a: Scene, b: Scene): boolean {
  return (
    a.layout !== b.layout ||
    a.columns !== b.columns ||
    a.viewHeight !== b.viewHeight ||
    a.palette !== b.palette ||
    a.isStill !== b.isStill ||
    a.traces !== b.traces ||
    a.pointers.hovered !== b.pointers.hovered ||
    a.pointers.focused !== b.pointers.focused ||
    a.pointers.selected !== b.pointers.selected
  );
}

/** How a lane is set apart, as a number for each mixture. */
export function accentsOf(lane: Lane, { hovered, focused, selected }: Pointers, isOn: boolean): number {
  return (
    (hovered === lane.key ? 1 : 0) +
    (selected === lane.key ? 2 : 0) +
    (focused === lane.key ? 4 : 0) +
    (focused !== undefined && focused !== lane.key && laneOfRow(focused) === lane.key ? 8 : 0) +
    (isOn && isSilent(lane) ? 16 : 0)
  );
}

export function isSilent({ agent }: Lane): boolean {
  return factsOf(agent).standing === 'silent';
}
