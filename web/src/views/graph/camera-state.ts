import { computed, effect, signal, untracked } from '@preact/signals';
import { graphZoom, selected, shownSession } from '../../store.ts';
import {
  type Camera,
  drawnBox,
  FAR,
  firstLook,
  isWithin,
  panBy,
  reveal,
  type Size,
  seenBox,
  wholeLook,
  zoomAt,
} from './camera.ts';
import { focused, layout, unfoldAbove } from './graph-state.ts';
import { type Box, CARD_WIDTH, type Placed } from './tree-layout.ts';

// Where the person looks. It follows the growing tree by itself until somebody pans or zooms.

export const camera = signal<Camera>({ x: 0, y: 0, k: 1 });
export const viewSize = signal<Size>({ width: 0, height: 0 });
/** The camera moves to where it is told instead of being there at once. */
export const isGliding = signal(false);

/** `look`: what can be read. `fit`: all of it. `free`: where the person left it. */
let mode: 'look' | 'fit' | 'free' = 'look';
let session: string | undefined;

export const isFar = computed(() => camera.value.k < FAR);

/** What is drawn. The same object until the camera has gone far enough. */
let lastDrawn: Box = { x: 0, y: 0, width: 0, height: 0 };
export const drawn = computed<Box>(() => {
  const next = drawnBox(camera.value, viewSize.value);
  const isSame = next.x === lastDrawn.x && next.y === lastDrawn.y && next.width === lastDrawn.width;
  if (!isSame || next.height !== lastDrawn.height) lastDrawn = next;
  return lastDrawn;
});

export function zoom(factor: number, at?: { readonly x: number; readonly y: number }): void {
  mode = 'free';
  const { width, height } = viewSize.value;
  move(zoomAt(camera.value, factor, at ?? { x: width / 2, y: height / 2 }), at === undefined);
}

export function pan(dx: number, dy: number, glides = false): void {
  mode = 'free';
  move(panBy(camera.value, dx, dy), glides);
}

export function showAll(): void {
  mode = 'fit';
  const bounds = layout.value?.bounds;
  if (bounds) move(wholeLook(bounds, viewSize.value), true);
}

/** Brings somebody into sight, if it is not. */
export function bringIntoSight(placed: Placed): void {
  const next = reveal(camera.value, boxOf(placed), viewSize.value);
  if (Math.abs(next.x - camera.value.x) < 1 && Math.abs(next.y - camera.value.y) < 1) return;
  mode = 'free';
  move(next, true);
}

/** Looks at a point of the picture. */
export function lookAt(x: number, y: number): void {
  const { k } = camera.value;
  const { width, height } = viewSize.value;
  mode = 'free';
  move({ k, x: width / 2 - x * k, y: height / 2 - y * k }, false);
}

/** While the graph is shown: the growing tree, and who is selected somewhere else. */
export function followTree(): () => void {
  const stops = [followAddress(), followGrowth(), followSelection()];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The address may say where the person looked. */
function followAddress(): () => void {
  return effect(() => {
    const kept = graphZoom.value;
    if (!kept || kept.session !== shownSession.value?.id) return;
    const { x, y, k } = kept;
    const now = camera.peek();
    if (mode === 'free' && now.x === x && now.y === y && now.k === k) return;
    session = kept.session;
    mode = 'free';
    camera.value = { x, y, k };
  });
}

function followSelection(): () => void {
  let last: string | undefined;
  return effect(() => {
    const agent = selected.value?.agent;
    if (!layout.value || viewSize.value.width === 0 || agent === last) return;
    last = agent;
    if (agent !== undefined) untracked(() => lookFor(agent));
  });
}

function lookFor(agent: string): void {
  focused.value = agent;
  unfoldAbove(agent);
  const placed = layout.value?.placed ?? [];
  const one = placed.find(({ item }) => item.key === agent);
  // Main is where the first look goes anyway.
  if (one && one !== placed[0]) bringIntoSight(one);
}

function followGrowth(): () => void {
  return effect(() => {
    const { width, height } = viewSize.value;
    const shown = layout.value;
    const id = shownSession.value?.id;
    if (!shown || id === undefined || width === 0 || height === 0) return;
    const isNew = id !== session;
    session = id;
    if (isNew) mode = graphZoom.peek()?.session === id ? 'free' : 'look';
    follow(shown.bounds, shown.placed[0], isNew);
  });
}

/** Smaller steps are not worth the unrest. */
const LEAST_MOVE = 24;

function follow(bounds: Box, main: Placed | undefined, isNew: boolean): void {
  if (mode === 'free' || !main) return;
  const now = camera.peek();
  const size = viewSize.peek();
  const target = mode === 'fit' ? wholeLook(bounds, size) : firstLook(bounds, boxOf(main), size);
  const isStill = target.k === now.k && Math.hypot(target.x - now.x, target.y - now.y) < LEAST_MOVE;
  if (!isNew && (isStill || isWithin(bounds, seenBox(now, size)))) return;
  move(target, !isNew);
}

const GLIDE_MS = 260;
let glideEnd: ReturnType<typeof setTimeout> | undefined;

function move(next: Camera, glides: boolean): void {
  clearTimeout(glideEnd);
  isGliding.value = glides;
  if (glides) glideEnd = setTimeout(() => (isGliding.value = false), GLIDE_MS);
  camera.value = next;
  graphZoom.value = mode === 'free' ? { session: shownSession.peek()?.id, ...next } : undefined;
}

function boxOf({ x, y, height }: Placed): Box {
  return { x, y, width: CARD_WIDTH, height };
}
