import { useEffect, useRef } from 'preact/hooks';
import { nameOf, nowShown, shownSession } from '../../store.ts';
import { camera, followTree, lookAt, pan, showAll, viewSize, zoom } from './camera-state.ts';
import { folds, layout, pointed, watchLooseKeys } from './graph-state.ts';
import { Stage } from './stage.tsx';
import { takeLooseKey } from './stage-input.ts';
import './graph.css';
import { computed } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { memo } from 'preact/compat';
import type { EvidenceRank } from '../../../../src/core/index.ts';
import { hueOf } from '../../parts/marks.tsx';
import { isWithin, seenBox } from './camera.ts';
import { askerText, evidenceText, kindText, nowText, statusText, tokensText } from './graph-words.ts';
import { type Box, CARD_WIDTH, type Placed } from './tree-layout.ts';

/** Who asked whom, as a tree from left to right. */
export function GraphView() {
  const session = shownSession.value;
  if (!session) return <p class="graph-empty">No session yet. Its agents will appear here.</p>;
  return (
    <section class="graph" aria-label="Graph of who asked whom">
      <Board />
      <Tools />
      <Legend />
      <Minimap />
      {session.subagents.length === 0 && (
        <p class="graph-note">No sub-agents so far. Whoever this session asks for help appears to its right.</p>
      )}
    </section>
  );
}

function Board() {
  const board = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!board.current) return;
    const stops = [watchPointing(board.current), followTree(), watchLooseKeys(document, takeLooseKey)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <div class="graph-board" ref={board}>
      {layout.value && <Stage layout={layout.value} />}
      <Hint />
    </div>
  );
}

/** Zoom and fit, for those who have no wheel. */
export function Tools() {
  return (
    <div class="graph-tools" role="toolbar" aria-label="Zoom">
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(1.25)}>
        +
      </button>
      <output class="graph-scale">{Math.round(camera.value.k * 100)} %</output>
      <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoom(0.8)}>
        −
      </button>
      <button type="button" title="Show all of it (0)" onClick={showAll}>
        Fit
      </button>
      {folds.value.size > 0 && (
        <button
          type="button"
          title="Forget what was folded and opened by hand"
          onClick={() => {
            folds.value = new Map();
          }}
        >
          Unfold
        </button>
      )}
    </div>
  );
}

const WORDS = [
  ['exact', 'certain'],
  ['strong', 'strong evidence'],
  ['guess', 'a guess'],
] as const satisfies readonly (readonly [EvidenceRank, string])[];

const ranks = computed(() => {
  const seen = new Set<EvidenceRank | undefined>();
  for (const { item } of layout.value?.placed ?? []) if (item.kind === 'agent') seen.add(item.agent.evidence?.rank);
  return WORDS.filter(([rank]) => seen.has(rank)).map(([rank]) => rank);
});

/** What the lines mean, where they do not all mean the same. */
export function Legend() {
  if (ranks.value.every((rank) => rank === 'exact')) return null;
  return (
    <ul class="graph-legend" aria-label="How links are known">
      {WORDS.filter(([rank]) => ranks.value.includes(rank)).map(([rank, word]) => (
        <li key={rank}>
          <svg width="28" height="8" aria-hidden="true" class={`graph-${rank}`}>
            <path class="graph-edge-line" d="M0,4H28" />
          </svg>
          {word}
        </li>
      ))}
    </ul>
  );
}

const WIDTH = 300;

/** Who is pointed at, in full, and how its link is known. Screen readers have it from the card. */
export function Hint() {
  const placed = layout.value?.placed;
  const one = placed?.find(({ item }) => item.key === pointed.value?.key);
  if (!placed || !one || one.item.kind !== 'agent') return null;
  const { agent } = one.item;
  const parent = placed.find(({ item }) => item.key === one.parent);
  const doing = nowText(agent);
  return (
    <div class="graph-hint" aria-hidden="true" style={placeFor(one, parent)}>
      <strong>{nameOf(agent)}</strong>
      <span class="graph-hint-facts">
        {kindText(agent)} · {statusText(agent, nowShown.value)} · context {tokensText(agent)}
      </span>
      {doing !== '' && <span class="graph-hint-doing">{doing}</span>}
      <span class="graph-hint-evidence">
        {evidenceText(agent.evidence, parent?.item.kind === 'agent' ? askerText(parent.item.agent) : undefined)}
      </span>
    </div>
  );
}

/** Below the card, or at the middle of the line; never beyond the edge. */
function placeFor({ x, y, height }: Placed, parent: Placed | undefined) {
  const view = viewSize.value;
  const isLine = pointed.value?.isLine === true && parent !== undefined;
  const at = isLine ? { x: (parent.x + CARD_WIDTH + x) / 2, y: (parent.y + y + height) / 2 + 8 } : { x, y: y + height };
  const left = at.x * camera.value.k + camera.value.x;
  const top = at.y * camera.value.k + camera.value.y + 8;
  const isLow = top > view.height - 130;
  return {
    width: `${Math.min(WIDTH, view.width - 16)}px`,
    left: `${Math.max(8, Math.min(left, view.width - WIDTH - 8))}px`,
    ...(isLow
      ? { bottom: `${Math.max(8, view.height - top + (isLine ? 24 : height * camera.value.k + 16))}px` }
      : { top: `${Math.max(8, top)}px` }),
  };
}

/** Fewer are found without a map. */
const FROM_ITEMS = 24;

/** Places change seldom, the picture often: paths are made anew only with the places. */
let made: { readonly of: Box; readonly paths: readonly HuePath[] } | undefined;
const paths = computed(() => {
  const shown = layout.value;
  if (!shown || shown.placed.length < FROM_ITEMS) return undefined;
  if (made?.of !== shown.bounds) made = { of: shown.bounds, paths: huePaths(shown.placed) };
  return made.paths;
});

/** The whole picture in small, where it is larger than the view. For the eye and the mouse: keys walk the tree itself. */
export function Minimap() {
  const bounds = layout.value?.bounds;
  const seen = seenBox(camera.value, viewSize.value);
  if (!bounds || !paths.value || isWithin(bounds, seen)) return null;
  const sheet = `${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`;
  return (
    <div
      class="graph-map"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event, bounds);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) go(event, bounds);
      }}
    >
      <Cards paths={paths.value} sheet={sheet} />
      <svg viewBox={sheet} aria-hidden="true">
        <rect class="graph-map-seen" x={seen.x} y={seen.y} width={seen.width} height={seen.height} />
      </svg>
    </div>
  );
}

interface CardsProps {
  readonly paths: readonly HuePath[];
  readonly sheet: string;
}

/** A sheet of its own: where only the part that is seen moves, it is not drawn again. */
const Cards = memo(function Cards({ paths: all, sheet }: CardsProps) {
  return (
    <svg class="graph-map-cards" viewBox={sheet} aria-hidden="true">
      {all.map(({ hue, path }) => (
        <path key={hue} d={path} style={{ fill: hueOf(hue) }} />
      ))}
    </svg>
  );
});

function go(event: TargetedPointerEvent<HTMLElement>, bounds: Box): void {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  const { x, y } = pointOnMap({ x: event.clientX - left, y: event.clientY - top }, { width, height }, bounds);
  lookAt(x, y);
}

export interface HuePath {
  readonly hue: number | null;
  readonly path: string;
}

/** All cards as one path for each colour: a thousand of them are thirteen shapes. Cards of one colour that touch at this size flow into one. */
export function huePaths(placed: readonly Placed[]): readonly HuePath[] {
  const paths = new Map<number | null, string>();
  for (const { item, x, y, height } of placed) {
    const hue = item.kind === 'agent' ? item.agent.hue : null;
    paths.set(hue, `${paths.get(hue) ?? ''}M${x},${y}h${CARD_WIDTH}v${height}h${-CARD_WIDTH}z`);
  }
  return [...paths].map(([hue, path]) => ({ hue, path }));
}

/** Where a point of the map is in the picture. The map is drawn as large as fits, in the middle. */
export function pointOnMap(
  at: { readonly x: number; readonly y: number },
  map: { readonly width: number; readonly height: number },
  bounds: Box,
): { x: number; y: number } {
  const scale = Math.min(map.width / bounds.width, map.height / bounds.height);
  return {
    x: bounds.x + bounds.width / 2 + (at.x - map.width / 2) / scale,
    y: bounds.y + bounds.height / 2 + (at.y - map.height / 2) / scale,
  };
}

/** Before this, a hand that shakes while it clicks. */
const DRAG_FROM_PX = 4;

/** Wheel, drag and pinch on the stage, and its size. Returns how to stop. */
export function watchPointing(stage: HTMLElement): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const sizes = new ResizeObserver(() => {
    viewSize.value = { width: stage.clientWidth, height: stage.clientHeight };
  });
  sizes.observe(stage);
  stage.addEventListener('wheel', (event) => turnWheel(event, stage), { passive: false, signal });
  watchDrags(stage, signal);
  // The browser scrolls what gets the focus into sight; here the camera does that.
  stage.addEventListener('scroll', () => stage.scrollTo(0, 0), { signal });
  return () => {
    stop.abort();
    sizes.disconnect();
  };
}

function turnWheel(event: WheelEvent, stage: HTMLElement): void {
  event.preventDefault();
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
  // A pinch on a touchpad comes as a wheel with ctrl, in small steps.
  const strength = event.ctrlKey ? 0.01 : 0.0016;
  if (event.shiftKey) pan(0, -(dy || dx));
  else if (Math.abs(dx) > Math.abs(dy)) pan(-dx, 0);
  else zoom(Math.exp(-Math.max(-200, Math.min(200, dy)) * strength), placeOf(event, stage));
}

function watchDrags(stage: HTMLElement, signal: AbortSignal): void {
  const points = new Map<number, { x: number; y: number }>();
  let isDragging = false;
  let travelled = 0;
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    points.set(event.pointerId, placeOf(event, stage));
    if (points.size === 1) [isDragging, travelled] = [false, 0];
  };
  const onMove = (event: PointerEvent): void => {
    const before = points.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event, stage);
    travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (!isDragging && travelled < DRAG_FROM_PX) return;
    if (!isDragging) {
      isDragging = true;
      stage.setPointerCapture(event.pointerId);
      stage.classList.add('graph-dragging');
    }
    const other = [...points].find(([id]) => id !== event.pointerId)?.[1];
    points.set(event.pointerId, now);
    if (!other) {
      pan(now.x - before.x, now.y - before.y);
      return;
    }
    const spread = distance(now, other) / Math.max(1, distance(before, other));
    pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    zoom(spread, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  };
  const onUp = (event: PointerEvent): void => {
    points.delete(event.pointerId);
    if (points.size === 0) stage.classList.remove('graph-dragging');
  };
  stage.addEventListener('pointerdown', onDown, { signal });
  stage.addEventListener('pointermove', onMove, { signal });
  for (const name of ['pointerup', 'pointercancel'] as const) stage.addEventListener(name, onUp, { signal });
  // What was dragged was not clicked.
  stage.addEventListener(
    'click',
    (event) => {
      if (isDragging) event.stopPropagation();
      isDragging = false;
    },
    { capture: true, signal },
  );
}

function placeOf(event: MouseEvent, stage: HTMLElement): { x: number; y: number } {
  const { left, top } = stage.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
