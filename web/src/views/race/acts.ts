import type { Lane } from './block.ts';
import { type Box, boxesOf, type Columns } from './geometry.ts';
import { chipRow, EARLIER, type Layout, laneOfRow, placesWithin, type Row } from './layout.ts';

/** What a key or a click in the race asks for. */
export type Act =
  | { readonly kind: 'go'; readonly row: string }
  | { readonly kind: 'fold'; readonly lane: string; readonly isFolded: boolean }
  | { readonly kind: 'finished'; readonly lane: string; readonly isOpen: boolean }
  | { readonly kind: 'earlier'; readonly isOpen: boolean }
  | { readonly kind: 'select' | 'read'; readonly session: string; readonly agent: string };

const PAGE = 10;

/** What a key does on a row; undefined: it is not ours. */
export function actOfKey(key: string, rows: readonly Row[], active: string | undefined): Act | undefined {
  const at = Math.max(
    0,
    rows.findIndex((row) => row.key === active),
  );
  const row = rows[at];
  if (!row) return undefined;
  const go = (to: number): Act | undefined => {
    const target = rows[Math.min(rows.length - 1, Math.max(0, to))];
    return target && { kind: 'go', row: target.key };
  };
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return go(at + 1);
    case 'ArrowUp':
    case 'k':
      return go(at - 1);
    case 'PageDown':
      return go(at + PAGE);
    case 'PageUp':
      return go(at - PAGE);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'ArrowRight':
      return inward(row, rows, at);
    case 'ArrowLeft':
      return outward(row);
    case 'Enter':
      return row.kind === 'lane' ? onLane('read', row.lane) : toggle(row);
    case ' ':
      return row.kind === 'lane' ? onLane('select', row.lane) : toggle(row);
    default:
      return undefined;
  }
}

/** Opens what is closed; where all is open, goes to the first below. */
function inward(row: Row, rows: readonly Row[], at: number): Act | undefined {
  if (row.kind !== 'lane') return row.kind === 'chip' && isOpenChip(row) ? undefined : toggleTo(row, true);
  const { lane } = row;
  if (lane.fold === 'folded') return { kind: 'fold', lane: lane.key, isFolded: false };
  if (lane.fold === 'leaf' && lane.chip) return { kind: 'finished', lane: lane.key, isOpen: true };
  const next = rows[at + 1];
  return lane.fold === 'open' && next ? { kind: 'go', row: next.key } : undefined;
}

/** Closes what is open; where nothing is, goes to the one above. */
function outward(row: Row): Act | undefined {
  if (row.kind === 'earlier') return toggleTo(row, false);
  if (row.kind === 'chip') return isOpenChip(row) ? toggleTo(row, false) : { kind: 'go', row: row.lane.key };
  const { lane } = row;
  if (lane.fold === 'open') return { kind: 'fold', lane: lane.key, isFolded: true };
  return lane.parent === undefined ? undefined : { kind: 'go', row: lane.parent };
}

function isOpenChip(row: Row): boolean {
  return row.kind === 'chip' && row.chip.isOpen;
}

function toggle(row: Row): Act | undefined {
  return toggleTo(row, row.kind === 'earlier' ? !row.isOpen : !isOpenChip(row));
}

function toggleTo(row: Row, isOpen: boolean): Act | undefined {
  if (row.kind === 'earlier') return { kind: 'earlier', isOpen };
  if (row.kind === 'lane') return undefined;
  if (row.chip.kind === 'folded') return { kind: 'fold', lane: row.lane.key, isFolded: !isOpen };
  return { kind: 'finished', lane: row.lane.key, isOpen };
}

export function actOfClick({ row: key, part }: Hit, rows: readonly Row[], isDouble: boolean): Act | undefined {
  const row = rows.find((one) => one.key === key);
  if (!row) return undefined;
  if (row.kind !== 'lane') return isDouble ? undefined : toggle(row);
  if (part === 'fold')
    return isDouble ? undefined : { kind: 'fold', lane: laneOfRow(key), isFolded: row.lane.fold === 'open' };
  return onLane(isDouble ? 'read' : 'select', row.lane);
}

function onLane(kind: 'select' | 'read', { agent }: Lane): Act {
  return { kind, session: agent.sessionId, agent: agent.id };
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
