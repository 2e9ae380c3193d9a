import { pan, viewSize, zoom } from './camera-state.ts';

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
