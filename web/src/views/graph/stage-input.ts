import { read, select } from '../../actions.ts';
import { shownSession } from '../../store.ts';
import { bringIntoSight, pan, showAll, viewSize, zoom } from './camera-state.ts';
import { focused, layout, pointed, setFolded } from './graph-state.ts';
import type { Placed } from './tree-layout.ts';

// What mouse and keyboard do on the cards. One set of listeners serves all of them.

export function listenTo(tree: HTMLElement): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  tree.addEventListener('click', ({ target }) => click(target), { signal });
  tree.addEventListener('dblclick', ({ target }) => open(keyAt(target)), { signal });
  tree.addEventListener('keydown', (event) => press(event, tree), { signal });
  tree.addEventListener('focusin', ({ target }) => takeFocus(target), { signal });
  tree.addEventListener('focusout', () => point(undefined), { signal });
  tree.parentElement?.addEventListener('pointerover', ({ target }) => point(pointedBy(target)), { signal });
  tree.parentElement?.addEventListener('pointerleave', () => point(undefined), { signal });
  return () => stop.abort();
}

function click(target: EventTarget | null): void {
  const key = keyAt(target);
  const placed = find(key);
  if (!placed) return;
  const isOnFold = target instanceof Element && target.closest('[data-fold]') !== null;
  if (isOnFold) toggle(placed);
  else selectKey(placed.item.key);
}

function press(event: KeyboardEvent, tree: HTMLElement): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const key = keyAt(event.target);
  const isDone = moveCamera(event) || (key !== undefined && (act(event.key, key) || walk(event.key, key, tree)));
  if (!isDone) return;
  event.preventDefault();
  event.stopPropagation();
}

const PAN_PX = 120;
const PANS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [PAN_PX, 0],
  ArrowRight: [-PAN_PX, 0],
  ArrowUp: [0, PAN_PX],
  ArrowDown: [0, -PAN_PX],
};

/** Where nobody has the focus: the camera moves, and an arrow goes to the tree. */
export function takeLooseKey(event: KeyboardEvent): boolean {
  if (moveCamera(event)) return true;
  if (!/^(Arrow|[jk]$)/.test(event.key)) return false;
  const item = document.querySelector<HTMLElement>('.graph-tree [tabindex="0"]');
  item?.focus({ preventScroll: true });
  return item !== null;
}

function moveCamera({ key, shiftKey }: KeyboardEvent): boolean {
  const way = shiftKey ? PANS[key] : undefined;
  if (way) pan(...way, true);
  else if (key === '+' || key === '=') zoom(1.25);
  else if (key === '-' || key === '_') zoom(0.8);
  else if (key === '0') showAll();
  else return false;
  return true;
}

function act(pressed: string, key: string): boolean {
  const placed = find(key);
  if (!placed || (pressed !== 'Enter' && pressed !== ' ')) return false;
  if (placed.item.kind === 'finished') toggle(placed);
  else if (pressed === 'Enter') open(key);
  else selectKey(key);
  return true;
}

function walk(pressed: string, key: string, tree: HTMLElement): boolean {
  const step = stepBy(pressed, layout.value?.placed ?? [], key);
  if (!step) return false;
  if (step.fold) setFolded(step.fold.key, step.fold.isFolded);
  if (step.focus !== undefined) focusOn(step.focus, tree);
  return true;
}

/** It is drawn before it gets the focus: far away it may not have been. */
function focusOn(key: string, tree: HTMLElement): void {
  focused.value = key;
  const placed = find(key);
  if (placed) bringIntoSight(placed);
  requestAnimationFrame(() =>
    tree.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true }),
  );
}

function takeFocus(target: EventTarget | null): void {
  const key = keyAt(target);
  if (key === undefined || !(target instanceof Element)) return;
  focused.value = key;
  if (!target.matches(':focus-visible')) return;
  const placed = find(key);
  if (placed) bringIntoSight(placed);
  point({ key, isLine: false });
}

function open(key: string | undefined): void {
  const session = shownSession.value;
  if (session && find(key)?.item.kind === 'agent' && key !== undefined) read({ session: session.id, agent: key });
}

function selectKey(key: string): void {
  const session = shownSession.value;
  if (session && find(key)?.item.kind === 'agent') select({ session: session.id, agent: key });
}

function toggle(placed: Placed): void {
  const state = foldState(placed);
  if (state !== undefined) setFolded(placed.item.key, state === 'open');
}

function find(key: string | undefined): Placed | undefined {
  return key === undefined ? undefined : layout.value?.placed.find(({ item }) => item.key === key);
}

function point(next: typeof pointed.value): void {
  const now = pointed.value;
  if (now?.key !== next?.key || now?.isLine !== next?.isLine) pointed.value = next;
}

function pointedBy(target: EventTarget | null): typeof pointed.value {
  if (!(target instanceof Element)) return undefined;
  const line = target.closest('[data-edge]')?.getAttribute('data-edge');
  if (line) return { key: line, isLine: true };
  const key = keyAt(target);
  return key === undefined ? undefined : { key, isLine: false };
}

function keyAt(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element)) return undefined;
  return target.closest('[data-key]')?.getAttribute('data-key') ?? undefined;
}

/** What a key does in a tree, as people know it from file trees. */
interface Step {
  readonly focus?: string;
  readonly fold?: { readonly key: string; readonly isFolded: boolean };
}

/** `placed`: in the order in which they are read, parents first. */
export function stepBy(key: string, placed: readonly Placed[], focused: string): Step | undefined {
  const at = placed.findIndex(({ item }) => item.key === focused);
  const here = placed[at];
  if (!here) return undefined;
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return focusRow(placed[at + 1]);
    case 'ArrowUp':
    case 'k':
      return focusRow(placed[at - 1]);
    case 'Home':
      return focusRow(placed[0]);
    case 'End':
      return focusRow(placed.at(-1));
    case 'ArrowRight':
      if (isFolded(here)) return { fold: { key: focused, isFolded: false } };
      return focusRow(placed.find(({ parent }) => parent === focused));
    case 'ArrowLeft':
      if (isOpen(here)) return { fold: { key: focused, isFolded: true } };
      return focusRow(placed.find(({ item }) => item.key === here.parent));
    default:
      return undefined;
  }
}

/** undefined: there is nothing to fold. */
function foldState({ item }: Placed): 'folded' | 'open' | undefined {
  if (item.kind === 'agent' && item.below === 0) return undefined;
  return item.isFolded ? 'folded' : 'open';
}

function isFolded(placed: Placed): boolean {
  return foldState(placed) === 'folded';
}

function isOpen(placed: Placed): boolean {
  return foldState(placed) === 'open';
}

function focusRow(placed: Placed | undefined): Step {
  return placed ? { focus: placed.item.key } : {};
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
