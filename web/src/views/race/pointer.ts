import { actOfClick } from './acts.ts';
import { type Hit, hitAt } from './hit.ts';
import { columns, hoveredRow, layout, perform, rows, tip } from './race-state.ts';

/** An explanation comes when the pointer rests; from then on it follows at once. */
const REST_MS = 350;

/** Mouse and fingers on the lanes. */
export function connectPointer(scroller: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hit = ({ clientX, clientY }: MouseEvent): Hit | undefined => {
    const { left, top } = scroller.getBoundingClientRect();
    return hitAt(layout.peek(), columns.peek(), clientX - left, clientY - top + scroller.scrollTop);
  };
  const leave = (): void => {
    clearTimeout(timer);
    hoveredRow.value = undefined;
    tip.value = undefined;
  };
  const move = (event: PointerEvent): void => {
    if (event.pointerType === 'touch') return;
    const found = hit(event);
    scroller.style.cursor = found ? 'pointer' : '';
    if (found?.row === hoveredRow.peek()) return;
    hoveredRow.value = found?.row;
    clearTimeout(timer);
    if (!found) {
      tip.value = undefined;
      return;
    }
    const next = { row: found.row, x: event.clientX - scroller.getBoundingClientRect().left + 12 };
    if (tip.peek()) tip.value = next;
    else
      timer = setTimeout(() => {
        tip.value = next;
      }, REST_MS);
  };
  const click = (event: MouseEvent): void => {
    // Tools that press an item of the mirror have no place, but an item.
    const row = event.target instanceof HTMLElement ? event.target.dataset['row'] : undefined;
    const isPlaceless = event.detail === 0 && row !== undefined;
    const found: Hit | undefined = isPlaceless ? { row, part: 'lane' } : hit(event);
    const act = found && actOfClick(found, rows.peek(), event.type === 'dblclick');
    if (act) perform(act);
  };
  const listeners = [
    ['pointermove', move],
    ['pointerleave', leave],
    ['scroll', leave],
    ['click', click],
    ['dblclick', click],
  ] as const;
  for (const [type, listener] of listeners) scroller.addEventListener(type, listener as EventListener);
  return () => {
    leave();
    for (const [type, listener] of listeners) scroller.removeEventListener(type, listener as EventListener);
  };
}
