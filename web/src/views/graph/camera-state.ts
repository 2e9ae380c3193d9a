import { computed, effect, signal, untracked } from '@preact/signals';
import { selected, shownSession } from '../../store.ts';
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
  const stops = [followGrowth(), followSelection()];
  return () => {
    for (const stop of stops) stop();
  };
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
    if (isNew) mode = 'look';
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
}

function boxOf({ x, y, height }: Placed): Box {
  return { x, y, width: CARD_WIDTH, height };
}

/** What is looked at: a point (x, y) of the picture is seen at (x · k + camera.x, y · k + camera.y). */
interface Camera {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const SCALES = { least: 0.04, most: 2 } as const;
/** Smaller than this, words cannot be read: cards become blocks. */
const FAR = 0.5;
const MARGIN = 32;
/** So far a first look goes out; the rest is found by panning, or with «fit». */
const FIRST_LOOK_LEAST = 0.7;

export function zoomAt(camera: Camera, factor: number, at: { readonly x: number; readonly y: number }): Camera {
  const k = Math.min(SCALES.most, Math.max(SCALES.least, camera.k * factor));
  const real = k / camera.k;
  return { x: at.x - (at.x - camera.x) * real, y: at.y - (at.y - camera.y) * real, k };
}

function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x + dx, y: camera.y + dy };
}

/** All of it, in the middle, never larger than life. */
export function wholeLook(box: Box, view: Size): Camera {
  const scale = Math.min((view.width - 2 * MARGIN) / box.width, (view.height - 2 * MARGIN) / box.height, 1);
  return centre(box, view, Math.max(SCALES.least, scale));
}

/** As much as can be read; of what does not fit, the part around `first`. */
export function firstLook(box: Box, first: Box, view: Size): Camera {
  const whole = wholeLook(box, view);
  if (whole.k >= FIRST_LOOK_LEAST) return whole;
  const k = FIRST_LOOK_LEAST;
  const centred = centre(box, view, k);
  return {
    k,
    x: box.width * k > view.width - 2 * MARGIN ? MARGIN - box.x * k : centred.x,
    y: box.height * k > view.height - 2 * MARGIN ? view.height / 2 - (first.y + first.height / 2) * k : centred.y,
  };
}

/** Moves as little as needed to bring a box into sight. */
export function reveal(camera: Camera, box: Box, view: Size): Camera {
  const seen = { x: box.x * camera.k + camera.x, y: box.y * camera.k + camera.y };
  return {
    ...camera,
    x: camera.x + nudge(seen.x, box.width * camera.k, view.width),
    y: camera.y + nudge(seen.y, box.height * camera.k, view.height),
  };
}

function nudge(start: number, length: number, room: number): number {
  if (start < MARGIN || length > room - 2 * MARGIN) return MARGIN - start;
  return Math.min(0, room - MARGIN - (start + length));
}

function centre(box: Box, view: Size, k: number): Camera {
  return {
    k,
    x: view.width / 2 - (box.x + box.width / 2) * k,
    y: view.height / 2 - (box.y + box.height / 2) * k,
  };
}

/** The part of the picture that is seen. */
export function seenBox({ x, y, k }: Camera, view: Size): Box {
  return { x: -x / k, y: -y / k, width: view.width / k, height: view.height / k };
}

export function isWithin(box: Box, outer: Box): boolean {
  return (
    box.x >= outer.x &&
    box.y >= outer.y &&
    box.x + box.width <= outer.x + outer.width &&
    box.y + box.height <= outer.y + outer.height
  );
}

/** Seen, and so much around it that panning a little draws nothing anew. Changes only in steps of half a view. */
export function drawnBox(camera: Camera, view: Size): Box {
  const seen = seenBox(camera, view);
  const [stepX, stepY] = [seen.width / 2, seen.height / 2];
  return {
    x: Math.floor(seen.x / stepX - 1) * stepX,
    y: Math.floor(seen.y / stepY - 1) * stepY,
    width: seen.width + 3 * stepX,
    height: seen.height + 3 * stepY,
  };
}
