import { type ColourDepth, createPaint, type Paint } from '../core/index.ts';

export interface WatchPaint extends Paint {
  /** What is selected: a bar over the whole line. Without colours, a mark in the margin says it alone. */
  readonly bar: (text: string) => string;
}

export function createWatchPaint(depth: ColourDepth): WatchPaint {
  const bar = depth === 'none' ? (text: string) => text : (text: string) => `\u001b[7m${text}\u001b[27m`;
  return { ...createPaint(depth), bar };
}
