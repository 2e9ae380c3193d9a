import type { Box } from './tree-layout.ts';

/** What is looked at: a point (x, y) of the picture is seen at (x · k + camera.x, y · k + camera.y). */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const SCALES = { least: 0.04, most: 2 } as const;
/** Smaller than this, words cannot be read: cards become blocks. */
export const FAR = 0.5;
const MARGIN = 32;
/** So far a first look goes out; the rest is found by panning, or with «fit». */
const FIRST_LOOK_LEAST = 0.7;

export function zoomAt(camera: Camera, factor: number, at: { readonly x: number; readonly y: number }): Camera {
  const k = Math.min(SCALES.most, Math.max(SCALES.least, camera.k * factor));
  const real = k / camera.k;
  return { x: at.x - (at.x - camera.x) * real, y: at.y - (at.y - camera.y) * real, k };
}

export function panBy(camera: Camera, dx: number, dy: number): Camera {
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
