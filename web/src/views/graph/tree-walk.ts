import type { Placed } from './tree-layout.ts';

/** What a key does in a tree, as people know it from file trees. */
export interface Step {
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
      return focusOn(placed[at + 1]);
    case 'ArrowUp':
    case 'k':
      return focusOn(placed[at - 1]);
    case 'Home':
      return focusOn(placed[0]);
    case 'End':
      return focusOn(placed.at(-1));
    case 'ArrowRight':
      if (isFolded(here)) return { fold: { key: focused, isFolded: false } };
      return focusOn(placed.find(({ parent }) => parent === focused));
    case 'ArrowLeft':
      if (isOpen(here)) return { fold: { key: focused, isFolded: true } };
      return focusOn(placed.find(({ item }) => item.key === here.parent));
    default:
      return undefined;
  }
}

/** undefined: there is nothing to fold. */
export function foldState({ item }: Placed): 'folded' | 'open' | undefined {
  if (item.kind === 'agent' && item.below === 0) return undefined;
  return item.isFolded ? 'folded' : 'open';
}

function isFolded(placed: Placed): boolean {
  return foldState(placed) === 'folded';
}

function isOpen(placed: Placed): boolean {
  return foldState(placed) === 'open';
}

function focusOn(placed: Placed | undefined): Step {
  return placed ? { focus: placed.item.key } : {};
}
