import { computed, signal } from '@preact/signals';
import { nowShown, selected, shownSession } from '../../store.ts';
import { type FoldWish, foldForest, growForest } from './fold.ts';
import { type Layout, layOut, renew, shapeOf } from './tree-layout.ts';

// What the graph shows of the store, and the person's choices in it. They outlive a look at another view.

/** What the person folded or opened, by key. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map());
/** Key of who has the keyboard; main at first. */
export const focused = signal<string | undefined>(undefined);

/** Whom the mouse or the keyboard points at, or whose line. */
interface Pointed {
  readonly key: string;
  readonly isLine: boolean;
}
export const pointed = signal<Pointed | undefined>(undefined);

export function setFolded(key: string, isFolded: boolean): void {
  folds.value = new Map(folds.value).set(key, isFolded);
}

/** Opens whatever is folded above an agent. */
export function unfoldAbove(agent: string): void {
  const parents = new Map(shownSession.value?.subagents.map(({ id, parentId }) => [id, parentId]));
  const next = new Map(folds.value);
  for (let at = parents.get(agent); at; at = parents.get(at)) next.delete(at);
  if (next.size < folds.value.size) folds.value = next;
}

/** Folding by itself waits a while after an agent's end: ten seconds more or less are the same to it. */
const coarseNow = computed(() => Math.floor(nowShown.value / 10_000) * 10_000);

const kept = computed(() => new Set([selected.value?.agent, focused.value]));

let laidOut: { readonly shape: string; readonly layout: Layout } | undefined;

/** Laid out anew only where somebody came, went or was folded: a status changes no place. */
export const layout = computed<Layout | undefined>(() => {
  const session = shownSession.value;
  if (!session) return undefined;
  const wish: FoldWish = { folds: folds.value, now: coarseNow.value, kept: kept.value };
  const shown = foldForest(growForest(session), wish);
  const shape = `${session.id} ${shapeOf(shown)}`;
  laidOut = { shape, layout: laidOut?.shape === shape ? renew(laidOut.layout, shown) : layOut(shown) };
  return laidOut.layout;
});
