/** What the person folded, unfolded and opened, by key of an agent. */
export interface Folds {
  /** true: the lanes below it are put away; false: they are shown, however deep. */
  readonly folded: ReadonlyMap<string, boolean>;
  /** Whose finished sub-agents are shown. */
  readonly finished: ReadonlySet<string>;
}

export const NO_FOLDS: Folds = { folded: new Map(), finished: new Set() };

export function setFolded({ folded, finished }: Folds, key: string, isFolded: boolean): Folds {
  return { folded: new Map(folded).set(key, isFolded), finished };
}

export function setFinishedOpen({ folded, finished }: Folds, key: string, isOpen: boolean): Folds {
  const next = new Set(finished);
  if (isOpen) next.add(key);
  else next.delete(key);
  return { folded, finished: next };
}
