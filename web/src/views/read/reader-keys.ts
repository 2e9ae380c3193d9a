/** What a key does in a transcript. */
export type ReaderAct = 'next' | 'previous' | 'fold' | 'door' | 'up' | 'beginning' | 'end' | 'find' | 'close-find';

export interface ReaderKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** It is being taken as text by a field. */
  readonly isTyping: boolean;
  readonly isFinding: boolean;
}

const ACTS: ReadonlyMap<string, ReaderAct> = new Map([
  ['j', 'next'],
  ['k', 'previous'],
  ['e', 'fold'],
  ['o', 'door'],
  ['u', 'up'],
  ['g', 'beginning'],
  ['G', 'end'],
  ['/', 'find'],
]);

export function readerActOf(press: ReaderKey): ReaderAct | undefined {
  const { key, ctrlKey, metaKey, altKey, isTyping, isFinding } = press;
  // Typed a second time, in our own field, it is the browser's.
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'f') return isTyping && isFinding ? undefined : 'find';
  if (ctrlKey || metaKey || altKey || isTyping) return undefined;
  if (key === 'Escape') return isFinding ? 'close-find' : undefined;
  return ACTS.get(key);
}
