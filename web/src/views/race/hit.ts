import { type Box, boxesOf, type Columns } from './geometry.ts';
import { type Layout, placesWithin } from './layout.ts';
import { chipRow, EARLIER } from './rows.ts';

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
