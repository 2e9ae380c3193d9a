import { type AgentReport, type EvidenceRank, isOver, standingOf } from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';
import { type Box, CARD_WIDTH, type Placed } from './tree-layout.ts';

/** A line from who asked to who was asked. */
export interface Edge {
  /** Key of who was asked; of a pack, of the first. */
  readonly child: string;
  readonly path: string;
  /** How the link is known; a chip's line is nobody's. */
  readonly rank: EvidenceRank | undefined;
  readonly isLive: boolean;
  readonly isOver: boolean;
  readonly hue: number | null;
  readonly middle: { readonly x: number; readonly y: number };
}

/** The lines that are in sight, at least in part: one for each that stands alone, one for each pack. */
export function edgesIn(placed: readonly Placed[], region: Box): readonly Edge[] {
  const byKey = new Map(placed.map((one) => [one.item.key, one]));
  return [...groupBy(placed, ({ pack, item }) => pack ?? item.key).values()].flatMap((children) => {
    const parent = byKey.get(children[0]?.parent ?? '');
    return parent && isCrossed(parent, children, region) ? [edgeTo(parent, children)] : [];
  });
}

/** Half of the gap between a pack and the line at its side. */
const BRACKET_PX = 6;

function edgeTo(parent: Placed, children: readonly Placed[]): Edge {
  const agents = children.flatMap(({ item }) => (item.kind === 'agent' ? [item.agent] : []));
  const isPack = children.length > 1;
  const { left, top, bottom } = extentOf(children);
  const from = { x: parent.x + CARD_WIDTH, y: parent.y + parent.height / 2 };
  const to = { x: isPack ? left - BRACKET_PX : left, y: (top + bottom) / 2 };
  const half = (from.x + to.x) / 2;
  const bracket = isPack ? `M${left},${top}H${to.x}V${bottom}H${left}` : '';
  return {
    child: children[0]?.item.key ?? '',
    path: `M${from.x},${from.y}C${half},${from.y} ${half},${to.y} ${to.x},${to.y}${bracket}`,
    rank: agents[0]?.evidence?.rank,
    isLive: agents.some(isMoving),
    isOver: agents.every(({ status }) => isOver(status)),
    hue: isPack ? null : (agents[0]?.hue ?? null),
    middle: { x: half, y: (from.y + to.y) / 2 },
  };
}

function extentOf(children: readonly Placed[]): { left: number; top: number; bottom: number } {
  let [left, top, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y, height } of children) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + height);
  }
  return { left, top, bottom };
}

function isMoving(agent: AgentReport): boolean {
  const standing = standingOf(agent);
  return standing === 'running' || standing === 'spawning';
}

function isCrossed(parent: Placed, children: readonly Placed[], region: Box): boolean {
  const { left, top, bottom } = extentOf(children);
  return (
    parent.x + CARD_WIDTH <= region.x + region.width &&
    left >= region.x &&
    Math.min(parent.y, top) <= region.y + region.height &&
    Math.max(parent.y + parent.height, bottom) >= region.y
  );
}

export function isSeen({ x, y, height }: Placed, region: Box): boolean {
  return (
    x <= region.x + region.width &&
    x + CARD_WIDTH >= region.x &&
    y <= region.y + region.height &&
    y + height >= region.y
  );
}
