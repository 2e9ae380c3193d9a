import type { HeardCall } from '../../../src/core/index.ts';

/** Who wants to know of tool calls as hooks tell of them. */
export interface HeardListener {
  hear(calls: readonly HeardCall[]): void;
  /** Some may have been missed: what is there has to be asked for again. */
  miss(): void;
}

const listeners = new Set<HeardListener>();

export function onHeard(listener: HeardListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellHeard(calls: readonly HeardCall[]): void {
  if (calls.length > 0) for (const { hear } of listeners) hear(calls);
}

export function tellMissed(): void {
  for (const { miss } of listeners) miss();
}
