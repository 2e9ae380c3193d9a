import { read, select } from '../../actions.ts';
import type { Backend } from '../../backend.ts';
import { currentSession } from '../../store.ts';
import { findCall } from '../read/reader-head.tsx';
import { focused, pan, pointAt, ROW_HEIGHT, rows, setWindow, spot, visit, zoom } from './timeline-state.ts';
import type { CallMark } from './track.ts';

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
export async function openCall(backend: Backend, row: number, mark: CallMark | undefined): Promise<void> {
  const agent = rows.peek()[row]?.agent.id;
  const session = currentSession.peek()?.id;
  if (agent === undefined || session === undefined) return;
  const ref = { session, agent };
  const { id = null, startedAt = null } = mark?.call ?? {};
  read(ref, await findCall(backend, ref, id, startedAt).catch(() => undefined));
}

export function selectAgent(agent: string | undefined): void {
  const session = currentSession.peek()?.id;
  if (agent !== undefined && session !== undefined) select({ session, agent });
}

function agentAt(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element)) return undefined;
  return target.closest('[data-agent]')?.getAttribute('data-agent') ?? undefined;
}
