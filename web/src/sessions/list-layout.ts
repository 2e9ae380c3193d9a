import type { SessionListGroup } from '../../../src/core/index.ts';

// Where each row of the list is, in pixels. All rows are of one height, so this is a matter of arithmetic.

export const HEAD_PX = 34;

export interface PlacedGroup extends SessionListGroup {
  readonly key: string;
  /** The number of its first session. */
  readonly first: number;
  readonly top: number;
  readonly height: number;
  readonly headPx: number;
  readonly isFolded: boolean;
}

export interface Layout {
  readonly groups: readonly PlacedGroup[];
  readonly rowPx: number;
  readonly height: number;
}

export function placeGroups(groups: readonly SessionListGroup[], folded: ReadonlySet<string>, rowPx: number): Layout {
  let [first, top] = [0, 0];
  const placed = groups.map((group): PlacedGroup => {
    const key = `${group.kind} ${group.name ?? ''}`;
    const isFolded = folded.has(key);
    // A list that is not grouped needs no heading.
    const headPx = group.kind === 'all' ? 0 : HEAD_PX;
    const height = headPx + (isFolded ? 0 : group.count * rowPx);
    const one = { ...group, key, first, top, height, headPx, isFolded };
    first += group.count;
    top += height;
    return one;
  });
  return { groups: placed, rowPx, height: top };
}

export interface SeenGroup {
  readonly group: PlacedGroup;
  /** Numbers of its sessions that are in sight, `to` not included. */
  readonly from: number;
  readonly to: number;
}

/** What is between two places, from top to bottom. */
export function groupsWithin({ groups, rowPx }: Layout, top: number, bottom: number): readonly SeenGroup[] {
  const begin = firstReaching(groups, top);
  const seen: SeenGroup[] = [];
  for (let at = begin; at < groups.length; at++) {
    const group = groups[at];
    if (!group || group.top >= bottom) break;
    const rowsTop = group.top + group.headPx;
    const numberAt = (px: number): number => Math.max(0, Math.min(group.count, px));
    const [from, to] = group.isFolded
      ? [0, 0]
      : [numberAt(Math.floor((top - rowsTop) / rowPx)), numberAt(Math.ceil((bottom - rowsTop) / rowPx))];
    seen.push({ group, from: group.first + from, to: group.first + to });
  }
  return seen;
}

/** The first that does not end above a place. */
function firstReaching(groups: readonly PlacedGroup[], top: number): number {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const group = groups[middle];
    if (group && group.top + group.height <= top) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Undefined if it is folded away, or there is no such row. */
export function topOfRow({ groups, rowPx }: Layout, index: number): number | undefined {
  const group = groups.find(({ first, count }) => index >= first && index < first + count);
  if (!group || group.isFolded) return undefined;
  return group.top + group.headPx + (index - group.first) * rowPx;
}
