import { groupBy } from '../../../../src/lib/group.ts';
import type { GraphItem } from './fold.ts';

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
