import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AgentReport } from '../../../../src/core/index.ts';
import { nowShown, selected } from '../../store.ts';
import { camera, drawn, isFar, isGliding } from './camera-state.ts';
import { Card } from './card.tsx';
import { Chip } from './chip.tsx';
import { EdgeLines } from './edge-lines.tsx';
import { edgesIn, isSeen } from './edges.ts';
import type { GraphItem } from './fold.ts';
import { Frames } from './frames.tsx';
import { focused } from './graph-state.ts';
import { askerText, evidenceText } from './graph-words.ts';
import { listenTo } from './stage-input.ts';
import type { Layout, Placed } from './tree-layout.ts';

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
    const { key, count, failed, isFolded } = item;
    return <Chip id={key} count={count} failed={failed} isFolded={isFolded} {...place} />;
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
