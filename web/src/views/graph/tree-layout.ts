import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy';
import { standingsText } from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';
import type { GraphItem, ShownForest } from './fold.ts';

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
  return b.kind === 'finished' && standingsText(a.standings) === standingsText(b.standings);
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

/** Around siblings that belong to one workflow or team. */
export function framesOf(placed: readonly Placed[]): readonly Frame[] {
  const frames = new Map<string, Frame>();
  for (const one of placed) {
    const { group } = one.item;
    if (!group) continue;
    const key = `${one.parent ?? ''} ${group.id}`;
    const before = frames.get(key);
    frames.set(key, { key, kind: group.kind, name: group.name, ...around(one, before) });
  }
  return [...frames.values()];
}

function around({ x, y, height }: Placed, before: Frame | undefined) {
  const { padding, heading } = FRAME;
  const left = Math.min(before?.x ?? Number.POSITIVE_INFINITY, x - padding);
  const top = Math.min(before?.y ?? Number.POSITIVE_INFINITY, y - padding - heading);
  const right = Math.max(before ? before.x + before.width : 0, x + CARD_WIDTH + padding);
  const bottom = Math.max(before ? before.y + before.height : Number.NEGATIVE_INFINITY, y + height + padding);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

// What has a place of its own in the tree: an item, or a pack of many that hang on one branch and carry nothing.

export interface Twig {
  /** One, or those of a pack; nobody at the root of the orphans, and where a pack reaches over the next columns. */
  readonly members: readonly Member[];
  /** Of a pack. */
  readonly rows: number;
  readonly columns: number;
  readonly height: number;
  /** Of the workflow or team. */
  readonly group: string | undefined;
  /** Counted from top to bottom, a parent before its children. */
  readonly order: number;
  readonly children: readonly Twig[];
}

export interface Member {
  readonly item: GraphItem;
  readonly position: number;
  readonly siblings: number;
}

export interface Sizes {
  readonly card: number;
  readonly chip: number;
  readonly gap: number;
  /** Whether many that carry nothing are packed. */
  readonly packs: boolean;
  /** How many columns of the tree a pack with so many columns reaches over. */
  readonly reach: (columns: number) => number;
}

/** Fewer stand one below the other. */
const PACK_FROM = 8;
/** So high may a pack be: in steps, so that its cards seldom change places while it grows. */
const ROWS = [4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96] as const;

export function growTwigs(root: GraphItem | undefined, orphans: readonly GraphItem[], sizes: Sizes): Twig {
  let order = 0;
  const visit = (members: readonly Member[]): Twig => {
    const item = members[0]?.item;
    const own = order++;
    if (members.length > 1) return packOf(members, own, sizes, () => order++);
    const children = item ? item.children : orphans;
    return {
      members,
      rows: 1,
      columns: 1,
      height: item?.kind === 'finished' ? sizes.chip : sizes.card,
      group: item?.group?.id,
      order: own,
      children: bundle(children, sizes.packs).map(visit),
    };
  };
  return visit(root ? [{ item: root, position: 1, siblings: 1 }] : []);
}

/** Siblings as they come; those that can be packed, together at the place of the first. */
function bundle(items: readonly GraphItem[], packs: boolean): readonly (readonly Member[])[] {
  const carrying = new Set(items.filter(isCarrying).map(({ group }) => group?.id));
  const bundles = groupBy(items, (item) => (packs ? packKey(item, carrying.has(item.group?.id)) : item.key));
  const twigs = [...bundles.values()].flatMap((bundled) =>
    bundled.length >= PACK_FROM ? [bundled] : bundled.map((item) => [item]),
  );
  let position = 0;
  return twigs.map((twig) => twig.map((item) => ({ item, position: ++position, siblings: items.length })));
}

function isCarrying(item: GraphItem): boolean {
  return item.kind === 'agent' && item.below > 0;
}

/** Packed are those whose links are known in the same way: one line stands for all. A frame is packed whole or not at all. */
function packKey(item: GraphItem, isAmongCarrying: boolean): string {
  const isAlone = item.kind === 'finished' || isCarrying(item) || (item.group !== null && isAmongCarrying);
  return isAlone ? item.key : `pack ${item.agent.evidence?.rank ?? ''} ${item.group?.id ?? ''}`;
}

function packOf(members: readonly Member[], order: number, { card, gap, reach }: Sizes, next: () => number): Twig {
  const least = 1.2 * Math.sqrt(members.length);
  const rows = Math.min(members.length, ROWS.find((one) => one >= least) ?? 96);
  const columns = Math.ceil(members.length / rows);
  const height = rows * (card + gap) - gap;
  const group = members[0]?.item.group?.id;
  /** It keeps the place free that it needs in the columns to its right. */
  const reserve = (left: number): readonly Twig[] =>
    left <= 0 ? [] : [{ members: [], rows, columns: 1, height, group, order: next(), children: reserve(left - 1) }];
  return { members, rows, columns, height, group, order, children: reserve(reach(columns) - 1) };
}
