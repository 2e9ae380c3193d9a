import type { Chip, Lane } from './block.ts';
import type { Layout } from './layout.ts';

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
