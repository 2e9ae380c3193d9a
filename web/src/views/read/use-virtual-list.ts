import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { flushSync } from 'preact/compat';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

export type MessageVirtualizer = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** Of a message that nobody has seen yet. */
const ABOUT_PX = 160;

/** Only the rows in sight are on the page. Heights are measured; what is above the eye may change and nothing moves. */
export function useVirtualList(count: number, scroller: RefObject<HTMLDivElement | null>): MessageVirtualizer {
  const [, draw] = useReducer((drawn: number, _: undefined) => drawn + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ABOUT_PX,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    measureElement,
    overscan: 5,
    paddingEnd: 72,
    scrollPaddingStart: 8,
    // Rows that moved together with the scroll position have to be drawn in the same frame.
    onChange: (_: MessageVirtualizer, isSync: boolean) => (isSync ? flushSync(() => draw(undefined)) : draw(undefined)),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

/** Only what the browser reports after its own layout: asking it for a height while drawing would make it lay out twice. */
function measureElement(
  element: HTMLDivElement,
  entry: ResizeObserverEntry | undefined,
  virtualizer: MessageVirtualizer,
): number {
  const box = entry?.borderBoxSize[0];
  if (box) return Math.round(box.blockSize);
  return virtualizer.measurementsCache[virtualizer.indexFromElement(element)]?.size ?? ABOUT_PX;
}

/** The heights of all messages are another's: those on the page are measured, the others guessed again. */
export function measureAnew(virtualizer: MessageVirtualizer): void {
  virtualizer.measure();
  for (const element of virtualizer.elementsCache.values()) {
    if (!element.isConnected) continue;
    virtualizer.resizeItem(virtualizer.indexFromElement(element), Math.round(element.getBoundingClientRect().height));
  }
}
