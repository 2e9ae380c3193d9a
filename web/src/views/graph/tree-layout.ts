import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy';
import type { GraphItem, ShownForest } from './fold.ts';
import { framesOf } from './group-frames.ts';
import { growTwigs, type Sizes, type Twig } from './twigs.ts';

// Where everything stands, in pixels of an unzoomed picture: a tidy tree from left to right, orphans below it.

export const CARD_WIDTH = 236;
const COLUMN = CARD_WIDTH + 76;
const PACK_COLUMN = CARD_WIDTH + 12;
const COUSIN_GAP = 24;
export const FRAME = { padding: 10, heading: 24 } as const;
const ORPHANS = { gap: 48, heading: 36 } as const;

const reach = (columns: number): number => Math.ceil((columns * PACK_COLUMN) / COLUMN);
const ROOMY: Sizes = { card: 68, chip: 32, gap: 12, packs: false, reach };
/** Cards of one line, in packs. */
const DENSE: Sizes = { card: 32, chip: 32, gap: 8, packs: true, reach };

/** More than these stand densely. */
const DENSE_FROM = 60;

export interface Placed {
  readonly item: GraphItem;
  readonly x: number;
  readonly y: number;
  readonly height: number;
  /** Key of the one it hangs on; none: main, or an orphan. */
  readonly parent: string | undefined;
  /** As a screen reader counts: from 1. */
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** Key of its pack: one line leads to all of them. */
  readonly pack: string | undefined;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Frame extends Box {
  readonly key: string;
  readonly kind: string;
  readonly name: string | null;
}

export interface Layout {
  /** A parent before its children, from top to bottom. */
  readonly placed: readonly Placed[];
  readonly frames: readonly Frame[];
  /** Where the heading of the orphans stands, if there are any. */
  readonly orphansAt: { readonly x: number; readonly y: number } | undefined;
  readonly bounds: Box;
  /** Cards have one line. */
  readonly isDense: boolean;
}

export function layOut({ main, orphans }: ShownForest): Layout {
  const isDense = [main, ...orphans].reduce((sum, item) => sum + countIn(item), 0) > DENSE_FROM;
  const sizes = isDense ? DENSE : ROOMY;
  const trunk = shiftTo(place(growTwigs(main, [], sizes), 1, sizes), 0);
  const above = boundsOf([...trunk, ...framesOf(trunk)]);
  const orphansAt = orphans.length > 0 ? { x: 0, y: above.y + above.height + ORPHANS.gap } : undefined;
  const loose = orphansAt
    ? shiftTo(place(growTwigs(undefined, orphans, sizes), 0, sizes), orphansAt.y + ORPHANS.heading)
    : [];
  const placed = [...trunk, ...loose];
  const frames = framesOf(placed);
  return { placed, frames, orphansAt, bounds: boundsOf([...placed, ...frames]), isDense };
}

/** Says all that places depend on. */
export function shapeOf({ main, orphans }: ShownForest): string {
  const write = (item: GraphItem): string =>
    `${item.key}|${item.group?.id ?? ''}|${item.kind === 'agent' ? `${item.below > 0} ${item.agent.evidence?.rank}` : ''}(${item.children.map(write).join()})`;
  return [main, ...orphans].map(write).join();
}

/** The same places for new items of the same shape. Who did not change stays the same object. */
export function renew(layout: Layout, { main, orphans }: ShownForest): Layout {
  const items = new Map([main, ...orphans].flatMap(flatten).map((item) => [item.key, item]));
  const placed = layout.placed.map((one) => {
    const item = items.get(one.item.key) ?? one.item;
    return isSame(item, one.item) ? one : { ...one, item };
  });
  return { ...layout, placed };
}

function isSame(a: GraphItem, b: GraphItem): boolean {
  if (a.isFolded !== b.isFolded) return false;
  if (a.kind === 'agent') return b.kind === 'agent' && a.agent === b.agent && a.below === b.below;
  return b.kind === 'finished' && a.count === b.count && a.failed === b.failed;
}

function flatten(item: GraphItem): readonly GraphItem[] {
  return item.children.length === 0 ? [item] : [item, ...item.children.flatMap(flatten)];
}

function countIn(item: GraphItem): number {
  return item.children.reduce((sum, child) => sum + countIn(child), 1);
}

function place(root: Twig, firstLevel: number, sizes: Sizes): readonly Placed[] {
  const lay = tree<Twig>()
    .nodeSize([1, 1])
    .separation((a, b) => (a.data.order < b.data.order ? distance(a, b, sizes) : distance(b, a, sizes)));
  const placed: Placed[] = [];
  lay(hierarchy(root)).eachBefore((node) => {
    const { members, rows } = node.data;
    const level = node.depth + firstLevel;
    const top = node.x - node.data.height / 2;
    const pack = members.length > 1 ? members[0]?.item.key : undefined;
    for (const [index, { item, position, siblings }] of members.entries()) {
      const [column, row] = [Math.floor(index / rows), index % rows];
      placed.push({
        item,
        x: (level - 1) * COLUMN + column * PACK_COLUMN,
        y: top + row * (sizes.card + sizes.gap),
        height: item.kind === 'finished' ? sizes.chip : sizes.card,
        parent: node.parent?.data.members[0]?.item.key,
        level,
        position,
        siblings,
        pack,
      });
    }
  });
  return placed;
}

/** Between the middles of two that stand one below the other. */
function distance(upper: HierarchyPointNode<Twig>, lower: HierarchyPointNode<Twig>, { gap }: Sizes): number {
  const [above, below] = [upper.data, lower.data];
  const isSibling = upper.parent === lower.parent;
  const isOneFrame = isSibling && above.group === below.group;
  const paddings = isOneFrame
    ? 0
    : (above.group === undefined ? 0 : FRAME.padding) + (below.group === undefined ? 0 : FRAME.padding + FRAME.heading);
  return (above.height + below.height) / 2 + (isSibling ? gap : COUSIN_GAP) + paddings;
}

/** The topmost is at `top`: what grows below leaves it there. */
function shiftTo(placed: readonly Placed[], top: number): readonly Placed[] {
  const up = boundsOf([...placed, ...framesOf(placed)]).y - top;
  return placed.map((one) => ({ ...one, y: one.y - up }));
}

function boundsOf(boxes: readonly (Omit<Box, 'width'> & { readonly width?: number })[]): Box {
  let [left, top] = [0, Number.POSITIVE_INFINITY];
  let [right, bottom] = [0, Number.NEGATIVE_INFINITY];
  for (const { x, y, height, width = CARD_WIDTH } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
