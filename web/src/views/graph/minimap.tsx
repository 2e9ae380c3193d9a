import { computed } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { memo } from 'preact/compat';
import { hueOf } from '../../parts/hue.ts';
import { isWithin, seenBox } from './camera.ts';
import { camera, lookAt, viewSize } from './camera-state.ts';
import { layout } from './graph-state.ts';
import { type HuePath, huePaths, pointOnMap } from './minimap-paths.ts';
import type { Box } from './tree-layout.ts';

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
