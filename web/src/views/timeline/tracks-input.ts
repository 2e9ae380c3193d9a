import { isEqual } from '../../../../src/lib/json.ts';
import { read, select } from '../../actions.ts';
import type { Backend } from '../../backend.ts';
import { currentSession } from '../../store.ts';
import { findCall } from '../read/find-call.ts';
import {
  type Area,
  area,
  brush,
  brushWindow,
  focused,
  pan,
  pointAt,
  ROW_HEIGHT,
  range,
  rows,
  type Spot,
  scrollTop,
  setWindow,
  shownWindow,
  spot,
  timeAt,
  visit,
  zoom,
} from './timeline-state.ts';
import { type CallMark, callAt } from './track.ts';

// What wheel, mouse and fingers do on the tracks. The rows scroll by themselves.

const REACH_PX = 4;
const DRAG_FROM_PX = 5;

export function watchTracks(body: HTMLElement, backend: Backend): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const sizes = new ResizeObserver(() => measure(body));
  sizes.observe(body);
  for (const list of body.querySelectorAll('ul')) sizes.observe(list);
  body.addEventListener('scroll', () => (scrollTop.value = body.scrollTop), { passive: true, signal });
  body.addEventListener('wheel', (event) => turnWheel(event, body), { passive: false, signal });
  body.addEventListener('pointerleave', () => pointAt(undefined), { signal });
  watchDrags(body, backend, signal);
  return () => {
    stop.abort();
    sizes.disconnect();
  };
}

function measure(body: HTMLElement): void {
  const left = labelsWidth(body);
  const next: Area = { left, width: body.clientWidth - left, height: body.clientHeight };
  if (!isEqual(next, area.peek())) area.value = next;
  scrollTop.value = body.scrollTop;
}

/** Plain, it scrolls the rows if there are more than fit, and zooms if there are not. */
function turnWheel(event: WheelEvent, body: HTMLElement): void {
  const isOverflowing = body.scrollHeight > body.clientHeight + 1;
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const isZoom = event.ctrlKey || event.metaKey || event.altKey;
  if (!isZoom && !event.shiftKey && !isSideways && isOverflowing) return;
  event.preventDefault();
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  const amount = (isSideways ? event.deltaX : event.deltaY) * lines;
  if (isSideways || event.shiftKey) pan(amount / Math.max(1, area.peek().width));
  else zoom(Math.exp(-Math.max(-200, Math.min(200, amount)) * (event.ctrlKey ? 0.01 : 0.003)), shareAt(event, body));
}

/** With the mouse a drag brushes; with a finger it pans, and two of them zoom. */
function watchDrags(body: HTMLElement, backend: Backend, signal: AbortSignal): void {
  const points = new Map<number, { readonly x: number }>();
  let begin: { readonly x: number; readonly at: number } | undefined;
  let isDragging = false;
  const onDown = (event: PointerEvent): void => {
    const x = xAt(event, body);
    if (event.button !== 0 || x < 0) return;
    points.set(event.pointerId, { x });
    begin = { x, at: timeAtX(x) };
    isDragging = false;
  };
  const onMove = (event: PointerEvent): void => {
    const x = xAt(event, body);
    const before = points.get(event.pointerId);
    if (!before || !begin) {
      pointAt(x < 0 ? undefined : spotAt(event, body));
      return;
    }
    if (!isDragging && Math.abs(x - begin.x) < DRAG_FROM_PX) return;
    if (!isDragging) body.setPointerCapture(event.pointerId);
    isDragging = true;
    points.set(event.pointerId, { x });
    if (event.pointerType !== 'touch') brush.value = brushWindow(begin.at, timeAtX(x), range.peek());
    else drag(before.x, x, [...points].find(([id]) => id !== event.pointerId)?.[1].x);
  };
  const onUp = (event: PointerEvent): void => {
    const wasDown = points.delete(event.pointerId);
    if (brush.value && event.type === 'pointerup') setWindow(brush.value);
    brush.value = undefined;
    if (!wasDown || isDragging || event.type !== 'pointerup') return;
    const hit = spotAt(event, body);
    if (hit?.mark) void openCall(backend, hit.row, hit.mark);
    else if (hit) selectAgent(rows.peek()[hit.row]?.agent.id);
  };
  body.addEventListener('pointerdown', onDown, { signal });
  body.addEventListener('pointermove', onMove, { signal });
  for (const name of ['pointerup', 'pointercancel'] as const) body.addEventListener(name, onUp, { signal });
}

function drag(before: number, now: number, other: number | undefined): void {
  const { width } = area.peek();
  if (other === undefined) pan((before - now) / width);
  else if (before !== other) zoom(Math.abs((now - other) / (before - other)) || 1, (now + other) / 2 / width);
}

function spotAt(event: PointerEvent, body: HTMLElement): Spot | undefined {
  const x = xAt(event, body);
  const y = event.clientY - body.getBoundingClientRect().top + body.scrollTop;
  const index = Math.floor(y / ROW_HEIGHT);
  const row = rows.peek()[index];
  if (!row) return undefined;
  const { from, to } = shownWindow.peek();
  const reachMs = (REACH_PX / area.peek().width) * (to - from);
  const at = timeAtX(x);
  const compaction = row.track.compactions.find((one) => Math.abs(one.at - at) < 2 * reachMs);
  const mark = compaction ? undefined : callAt(row.track, at, reachMs, row.bars.runs.at(-1)?.to ?? to);
  const now = spot.peek();
  // The same object where nothing is different: nothing is drawn anew.
  const isSame = now?.row === index && !now.mark && !mark && now.compaction === compaction;
  return isSame ? now : { row: index, mark, compaction, x };
}

function timeAtX(x: number): number {
  return timeAt(x, shownWindow.peek(), area.peek().width);
}

function shareAt(event: MouseEvent, body: HTMLElement): number {
  return Math.max(0, Math.min(1, xAt(event, body) / area.peek().width));
}

/** In the tracks: what is left of them are the names. */
function xAt(event: MouseEvent, body: HTMLElement): number {
  return event.clientX - body.getBoundingClientRect().left - labelsWidth(body);
}

function labelsWidth(body: HTMLElement): number {
  return body.querySelector('ul')?.clientWidth ?? 0;
}

// What clicks and keys do on the names of the rows.

export function listenToRows(list: HTMLElement, backend: Backend): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  list.addEventListener('click', ({ target }) => selectAgent(agentAt(target)), { signal });
  list.addEventListener('keydown', (event) => press(event, list, backend), { signal });
  list.addEventListener(
    'focusin',
    ({ target }) => {
      focused.value = agentAt(target) ?? focused.value;
    },
    { signal },
  );
  list.addEventListener('focusout', () => pointAt(undefined), { signal });
  return () => stop.abort();
}

function press(event: KeyboardEvent, list: HTMLElement, backend: Backend): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const row = rows.value.findIndex(({ agent }) => agent.id === agentAt(event.target));
  if (row < 0 || !(moveWindow(event) || act(event, row, backend) || walk(event.key, row, list))) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Where nobody has the focus: the window moves, and an arrow goes to the rows. */
export function takeLooseKey(event: KeyboardEvent): boolean {
  if (moveWindow(event)) return true;
  if (!/^(Arrow|[jk]$)/.test(event.key)) return false;
  const label = document.querySelector<HTMLElement>('.timeline-rows [tabindex="0"]');
  label?.focus({ preventScroll: true });
  return label !== null;
}

function moveWindow({ key, shiftKey }: KeyboardEvent): boolean {
  if (shiftKey && (key === 'ArrowLeft' || key === 'ArrowRight')) pan(key === 'ArrowLeft' ? -0.2 : 0.2);
  else if (key === '+' || key === '=') zoom(2);
  else if (key === '-' || key === '_') zoom(0.5);
  else if (key === '0') setWindow(undefined);
  else return false;
  return true;
}

function act({ key }: KeyboardEvent, row: number, backend: Backend): boolean {
  const here = spot.value?.row === row ? spot.value.mark : undefined;
  const calls = rows.value[row]?.track.calls ?? [];
  const at = here ? calls.indexOf(here) : -1;
  if (key === 'Enter') void openCall(backend, row, here);
  else if (key === ' ') selectAgent(rows.value[row]?.agent.id);
  else if (key === 'ArrowRight') visit(row, calls[Math.min(calls.length - 1, at + 1)]);
  else if (key === 'ArrowLeft') visit(row, at > 0 ? calls[at - 1] : undefined);
  else if (key === 'Escape' && here) visit(row, undefined);
  else return false;
  return true;
}

function walk(key: string, row: number, list: HTMLElement): boolean {
  const last = rows.value.length - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowUp: row - 1,
    ArrowDown: row + 1,
    k: row - 1,
    j: row + 1,
    PageUp: row - 10,
    PageDown: row + 10,
    Home: 0,
    End: last,
  };
  const wish = moves[key];
  if (wish === undefined) return false;
  const next = Math.max(0, Math.min(last, wish));
  pointAt(undefined);
  focused.value = rows.value[next]?.agent.id;
  if (list.parentElement) revealRow(next, list.parentElement);
  requestAnimationFrame(() => {
    const id = focused.value;
    if (id !== undefined) list.querySelector<HTMLElement>(`[data-agent="${CSS.escape(id)}"]`)?.focus();
  });
  return true;
}

/** `body`: what scrolls. */
export function revealRow(row: number, body: HTMLElement): void {
  const top = row * ROW_HEIGHT;
  if (top < body.scrollTop) body.scrollTop = top;
  else if (top + ROW_HEIGHT > body.scrollTop + body.clientHeight) body.scrollTop = top + ROW_HEIGHT - body.clientHeight;
}

/** Its transcript, at the call where it is found. */
async function openCall(backend: Backend, row: number, mark: CallMark | undefined): Promise<void> {
  const agent = rows.peek()[row]?.agent.id;
  const session = currentSession.peek()?.id;
  if (agent === undefined || session === undefined) return;
  const ref = { session, agent };
  const { id = null, startedAt = null } = mark?.call ?? {};
  read(ref, await findCall(backend, ref, id, startedAt).catch(() => undefined));
}

function selectAgent(agent: string | undefined): void {
  const session = currentSession.peek()?.id;
  if (agent !== undefined && session !== undefined) select({ session, agent });
}

function agentAt(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element)) return undefined;
  return target.closest('[data-agent]')?.getAttribute('data-agent') ?? undefined;
}
