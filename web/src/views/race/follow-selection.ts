import { effect } from '@preact/signals';
import { nowShown, selectedAgent } from '../../store.ts';
import { isInRace } from './layout.ts';
import { layout, perform, reveal, selectedKey, sessionOf } from './race-state.ts';

/** Brings into sight what was selected elsewhere. Once: after that the person may fold it and scroll away. */
export function followSelection(scroller: HTMLElement): () => void {
  return effect(() => {
    const key = selectedKey.value;
    if (key === undefined) return;
    const agent = selectedAgent.peek();
    const session = agent && sessionOf(agent);
    if (agent && session && !layout.peek().places.has(key)) {
      if (!isInRace(session, nowShown.peek())) perform({ kind: 'earlier', isOpen: true });
      reveal(agent);
    }
    const place = layout.peek().places.get(key);
    const { scrollTop, clientHeight } = scroller;
    if (!place || (place.y >= scrollTop && place.y + place.lane.height <= scrollTop + clientHeight)) return;
    // The mirror has its new height only when it was drawn.
    requestAnimationFrame(() => scroller.scrollTo({ top: place.y - clientHeight / 3 }));
  });
}

export function focusRow(scroller: HTMLElement | null, row: string): void {
  requestAnimationFrame(() => {
    const items = scroller?.querySelectorAll<HTMLElement>('[data-row]') ?? [];
    for (const item of items) if (item.dataset['row'] === row) item.focus();
  });
}
