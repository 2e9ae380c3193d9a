import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type AgentReport, type EvidenceRank, isOver, standingOf, standingsText } from '../../../../src/core/index.ts';
import { groupBy } from '../../../../src/lib/group.ts';
import { hueOf } from '../../parts/marks.tsx';
import { nowShown, selected } from '../../store.ts';
import { camera, drawn, isFar, isGliding } from './camera-state.ts';
import { Card } from './card.tsx';
import type { FinishedItem, GraphItem } from './fold.ts';
import { focused } from './graph-state.ts';
import { askerText, evidenceText, groupText } from './graph-words.ts';
import { listenTo } from './stage-input.ts';
import { type Box, CARD_WIDTH, type Frame, type Layout, type Placed } from './tree-layout.ts';

/** So few are drawn whole, seen or not: one finds them with a screen reader or the browser's search. */
const DRAWN_WHOLE = 150;

/** The picture itself: frames, lines and cards, moved by the camera. */
export function Stage({ layout }: { readonly layout: Layout }) {
  const { placed, frames, orphansAt, bounds, isDense } = layout;
  const region = placed.length > DRAWN_WHOLE ? drawn.value : bounds;
  const edges = useMemo(() => edgesIn(placed, region), [placed, region]);
  const agents = useMemo(() => new Map(placed.map(({ item }) => [item.key, agentOf(item)])), [placed]);
  const focusable = placed.some(({ item }) => item.key === focused.value) ? focused.value : placed[0]?.item.key;
  const cards = useMemo(
    () => placed.filter((one) => isSeen(one, region) || one.item.key === focusable),
    [placed, region, focusable],
  );
  return (
    <Layer>
      <Frames frames={frames} orphansAt={orphansAt} />
      <EdgeLines edges={edges} bounds={bounds} isFar={isFar.value} />
      <Tree>
        {cards.map((one) => (
          <Item
            key={one.item.key}
            one={one}
            asker={agents.get(one.parent ?? '')}
            isFocusable={one.item.key === focusable}
            isDense={isDense}
          />
        ))}
      </Tree>
    </Layer>
  );
}

/** Only this is redrawn where the camera moves a little. */
function Layer({ children }: { readonly children: ComponentChildren }) {
  const { x, y, k } = camera.value;
  return (
    <div
      class={isGliding.value ? 'graph-layer graph-gliding' : 'graph-layer'}
      style={{ transform: `translate(${x}px, ${y}px) scale(${k})` }}
    >
      {children}
    </div>
  );
}

function Tree({ children }: { readonly children: ComponentChildren }) {
  const tree = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (tree.current ? listenTo(tree.current) : undefined), []);
  return (
    <div role="tree" aria-label="Agents" class="graph-tree" ref={tree}>
      {children}
    </div>
  );
}

interface ItemProps {
  readonly one: Placed;
  /** Who asked for it. */
  readonly asker: AgentReport | undefined;
  readonly isFocusable: boolean;
  readonly isDense: boolean;
}

const Item = memo(Itself, (a, b) => {
  // How the one who asked is doing does not matter here.
  const isSameAsker = a.asker?.id === b.asker?.id && a.asker?.label === b.asker?.label;
  return isSameAsker && a.one === b.one && a.isFocusable === b.isFocusable && a.isDense === b.isDense;
});

function Itself({ one, asker, isFocusable, isDense }: ItemProps) {
  const { item, x, y, level, position, siblings } = one;
  const place = { x, y, level, position, siblings, isFocusable };
  if (item.kind === 'finished') {
    const { key, standings, isFolded } = item;
    return <Chip id={key} standings={standings} isFolded={isFolded} {...place} />;
  }
  const { agent, below, isFolded } = item;
  return (
    <Card
      agent={agent}
      below={below}
      isFolded={isFolded}
      isSelected={selected.value?.agent === agent.id}
      isFar={isFar.value}
      isDense={isDense}
      evidence={evidenceText(agent.evidence, asker && askerText(asker))}
      now={agent.stalled ? nowShown.value : 0}
      {...place}
    />
  );
}

function agentOf(item: GraphItem): AgentReport | undefined {
  return item.kind === 'agent' ? item.agent : undefined;
}

/** Around the agents of a workflow or team, and the heading of those without a parent. */
export const Frames = memo(function Frames({ frames, orphansAt }: Pick<Layout, 'frames' | 'orphansAt'>) {
  return (
    <>
      {frames.map((frame) => (
        <FrameBox key={frame.key} frame={frame} />
      ))}
      {orphansAt && (
        <h2 class="graph-orphans" style={{ transform: `translate(${orphansAt.x}px, ${orphansAt.y}px)` }}>
          No parent known
        </h2>
      )}
    </>
  );
});

function FrameBox({ frame: { x, y, width, height, kind, name } }: { readonly frame: Frame }) {
  const text = groupText({ kind, name });
  return (
    <div
      class="graph-frame"
      style={{ transform: `translate(${x}px, ${y}px)`, width: `${width}px`, height: `${height}px` }}
    >
      <span class="graph-frame-name" title={text}>
        {text}
      </span>
    </div>
  );
}

export interface ChipProps extends Pick<FinishedItem, 'standings' | 'isFolded'> {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  readonly isFocusable: boolean;
}

/** Stands for many that have finished, and opens. */
export const Chip = memo(function Chip(props: ChipProps) {
  const { id, x, y, level, position, siblings, isFocusable, isFolded, standings } = props;
  return (
    <div
      role="treeitem"
      class="graph-chip"
      data-key={id}
      data-fold={isFolded ? 'open' : 'fold'}
      tabIndex={isFocusable ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={!isFolded}
      aria-selected={false}
      style={{ transform: `translate(${x}px, ${y}px)` }}
    >
      <span class={standings.has('failed') ? 'graph-chip-failed' : ''} aria-hidden="true">
        {standingsText(standings)}
      </span>
      <span class="visually-hidden">{standingsText(standings, { words: true })}</span>
      <span class="graph-chip-open" aria-hidden="true">
        {isFolded ? 'show' : 'hide'}
      </span>
    </div>
  );
});

/** The lines, and a second sheet above them that holds only the live ones: its glow costs one layer, not one per line. */
export const EdgeLines = memo(function EdgeLines({
  edges,
  bounds,
  isFar,
}: {
  readonly edges: readonly Edge[];
  readonly bounds: Box;
  readonly isFar: boolean;
}) {
  const sheet = {
    width: bounds.width,
    height: bounds.height,
    viewBox: `${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`,
    style: { left: `${bounds.x}px`, top: `${bounds.y}px` },
  } as const;
  return (
    <>
      <svg class="graph-lines" aria-hidden="true" {...sheet}>
        {edges.map((edge) => (
          <EdgeLine key={edge.child} {...edge} isFar={isFar} />
        ))}
      </svg>
      <svg class="graph-lines graph-glow" aria-hidden="true" {...sheet}>
        {edges
          .filter(({ isLive }) => isLive)
          .map(({ child, path, hue }) => (
            <path key={child} d={path} style={{ stroke: hueOf(hue) }} />
          ))}
      </svg>
    </>
  );
});

const EdgeLine = memo(
  function EdgeLine({ path, rank, isLive, isOver, hue, middle, isFar, child }: Edge & { readonly isFar: boolean }) {
    const known = rank ?? 'exact';
    return (
      <g class={`graph-edge graph-${known}${isOver ? ' graph-edge-over' : ''}`}>
        <path class="graph-edge-line" d={path} style={isLive ? { stroke: hueOf(hue) } : {}} />
        {!isFar && <path class="graph-edge-reach" d={path} data-edge={child} />}
        {rank === 'guess' && !isFar && (
          <text class="graph-edge-doubt" x={middle.x} y={middle.y}>
            ?
          </text>
        )}
      </g>
    );
  },
  (a, b) =>
    a.path === b.path && a.rank === b.rank && a.isLive === b.isLive && a.isOver === b.isOver && a.isFar === b.isFar,
);

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
