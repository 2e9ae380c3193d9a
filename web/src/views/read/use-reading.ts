import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { flushSync } from 'preact/compat';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Backend } from '../../backend.ts';
import type { AgentRef } from '../../store.ts';
import { type Book, createBook } from './book.ts';

/** Where the person is in a transcript, and where they want to be. */
export interface Reading {
  /** The message that keys act upon. */
  readonly current: Signal<number | undefined>;
  /** Messages that came at the end while the person looked elsewhere. */
  readonly unseen: ReadonlySignal<number>;
  go(index: number, withFocus?: boolean): void;
  goToEnd(): void;
  /** The first message in sight. */
  top(): number;
}

/** `above`: pixels of the message above the upper edge; below zero, between the edge and the message. */
type Goal = { readonly index: number; readonly above: number } | 'end';

interface Aim {
  readonly at: Goal;
  /** When its message was there first. */
  since: number | undefined;
}

/** So near to the end, in pixels, one is at it. */
const AT_END_PX = 48;
/** Rows are measured within a few frames. */
const SETTLING_MS = 250;

export function useReading(
  at: AgentRef,
  book: Book,
  virtualizer: MessageVirtualizer,
  scroller: RefObject<HTMLDivElement | null>,
  first: Goal | undefined,
): Reading {
  const current = useMemo(() => signal<number | undefined>(undefined), []);
  const unseen = useMemo(() => signal(0), []);
  const goal = useRef<Aim | undefined>(first && { at: first, since: undefined });
  const aim = (at: Goal): void => {
    goal.current = { at, since: undefined };
  };
  const isFocusDue = useRef(false);
  const total = book.total.value;

  const isAtEnd = (): boolean => {
    const { current: box } = scroller;
    return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
  };

  // Before anything is drawn anew: news arrive at the end of the page for those who look at its end.
  useEffect(() => {
    let before = book.total.peek();
    let lastBefore = before ? book.at(before - 1) : undefined;
    return effect(() => {
      book.edition.value;
      const now = book.total.peek();
      const last = book.at((now ?? 0) - 1);
      const added = now === undefined || before === undefined ? 0 : now - before;
      const isNews = added > 0 || (lastBefore !== undefined && last !== lastBefore);
      const isFollowing = isNews && isAtEnd();
      if (isFollowing && !isUnderWay(goal.current)) aim('end');
      if (added > 0 && !isFollowing) unseen.value += added;
      before = now;
      lastBefore = last;
    });
  }, [book]);

  useEffect(() => {
    let volume = book.volume.peek();
    return effect(() => {
      if (book.volume.value === volume) return;
      volume = book.volume.value;
      unseen.value = 0;
      current.value = undefined;
      // When they are on the page.
      requestAnimationFrame(() => measureAnew(virtualizer));
    });
  }, [book]);

  // Before its message is there, and measured, a goal is only a guess: it is gone to again until all of it stands.
  useLayoutEffect(() => {
    const wish = goal.current;
    if (wish === undefined || !total) return;
    const index = wish.at === 'end' ? total - 1 : Math.min(wish.at.index, total - 1);
    if (book.at(index)) wish.since ??= performance.now();
    if (!isUnderWay(wish)) goal.current = undefined;
    else if (wish.at === 'end') virtualizer.scrollToEnd();
    else if (wish.at.above === 0) virtualizer.scrollToIndex(index, { align: 'start' });
    else virtualizer.scrollToOffset((virtualizer.measurementsCache[index]?.start ?? 0) + wish.at.above);
  });

  useLayoutEffect(() => {
    const index = current.value;
    if (!isFocusDue.current || index === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-message="${index}"]`);
    if (!row) return;
    isFocusDue.current = false;
    row.focus({ preventScroll: true });
  });

  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const takeOver = (event: Event): void => {
      if (!event.defaultPrevented) goal.current = undefined;
    };
    const look = (): void => {
      if (isAtEnd()) unseen.value = 0;
      const index = Math.max(0, virtualizer.range?.startIndex ?? 0);
      const start = virtualizer.measurementsCache[index]?.start ?? 0;
      rememberPlace(at, { index, above: Math.max(0, box.scrollTop - start), isAtEnd: isAtEnd() });
    };
    // Another width, other lines: what was at the upper edge stays there.
    let width = box.clientWidth;
    const observer = new ResizeObserver(() => {
      if (Math.abs(box.clientWidth - width) < 1) return;
      width = box.clientWidth;
      if (!isUnderWay(goal.current)) aim(isAtEnd() ? 'end' : anchorIn(virtualizer, box.scrollTop));
      measureAnew(virtualizer);
    });
    observer.observe(box);
    const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
    for (const type of inputs) box.addEventListener(type, takeOver, { passive: true });
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      for (const type of inputs) box.removeEventListener(type, takeOver);
      box.removeEventListener('scroll', look);
    };
  }, [virtualizer]);

  const redraw = (): void => virtualizer.options.onChange(virtualizer, false);
  return {
    current,
    unseen,
    go(index, withFocus = true) {
      current.value = index;
      aim({ index, above: 0 });
      isFocusDue.current = withFocus;
      book.want(index - 5, index + 20);
      redraw();
    },
    goToEnd() {
      const last = (book.total.peek() ?? 1) - 1;
      current.value = last;
      aim('end');
      isFocusDue.current = true;
      unseen.value = 0;
      book.want(last - 20, last);
      redraw();
    },
    top: () => virtualizer.range?.startIndex ?? 0,
  };
}

function isUnderWay(aim: Aim | undefined): boolean {
  return aim !== undefined && (aim.since === undefined || performance.now() - aim.since <= SETTLING_MS);
}

/** The first message that begins below the upper edge; where there is none, the one that the edge cuts. */
function anchorIn({ measurementsCache, range }: MessageVirtualizer, scrollTop: number): Goal {
  const first = range?.startIndex ?? 0;
  for (let index = first; index <= (range?.endIndex ?? first); index++) {
    const start = measurementsCache[index]?.start ?? 0;
    if (start >= scrollTop) return { index, above: scrollTop - start };
  }
  return { index: first, above: Math.max(0, scrollTop - (measurementsCache[first]?.start ?? 0)) };
}

/** Where a transcript opens: at the message that is named, where the person was, at the end of work, or at the beginning. */
export function firstPlace(at: AgentRef, message: number | undefined, isAtWork: boolean): Goal | undefined {
  if (message !== undefined) return { index: message, above: 0 };
  const before = placeIn(at);
  if (before && !before.isAtEnd) return before;
  return before?.isAtEnd || isAtWork ? 'end' : undefined;
}

// Transcripts that were opened lately, and where in them the person was: going through a door and back costs nothing.

/** Where the person was when they left. */
interface Place {
  readonly index: number;
  /** Pixels of that message above the upper edge. */
  readonly above: number;
  readonly isAtEnd: boolean;
}

const KEPT = 4;
const books = new Map<string, Book>();
const places = new Map<string, Place>();

export function keyOf({ session, agent }: AgentRef): string {
  return `${session} ${agent}`;
}

/** `isNew`: nothing of it was read yet. */
export function takeBook(backend: Backend, ref: AgentRef): { readonly book: Book; readonly isNew: boolean } {
  const key = keyOf(ref);
  const before = books.get(key);
  const isNew = before?.state.value.kind !== 'ready';
  const book = isNew || !before ? createBook((range) => backend.transcript(ref.agent, ref.session, range)) : before;
  if (before && book !== before) before.close();
  books.delete(key);
  books.set(key, book);
  for (const [oldest, other] of books) {
    if (books.size <= KEPT) break;
    books.delete(oldest);
    other.close();
  }
  return { book, isNew };
}

function rememberPlace(ref: AgentRef, place: Place): void {
  places.set(keyOf(ref), place);
}

function placeIn(ref: AgentRef): Place | undefined {
  return places.get(keyOf(ref));
}

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
function measureAnew(virtualizer: MessageVirtualizer): void {
  virtualizer.measure();
  for (const element of virtualizer.elementsCache.values()) {
    if (!element.isConnected) continue;
    virtualizer.resizeItem(virtualizer.indexFromElement(element), Math.round(element.getBoundingClientRect().height));
  }
}
