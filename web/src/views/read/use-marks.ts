import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Finder, FoundPlace } from './find.ts';
import type { Reading } from './use-reading.ts';

const MARGIN_PX = 64;

/** Keeps the marks on what is found in step with what is on the page, and brings the current one into sight. */
export function useMarks(finder: Finder, reading: Reading, scroller: RefObject<HTMLDivElement | null>): void {
  const [pattern, place] = [finder.pattern.value, finder.current.value];
  const shown = useRef<FoundPlace | undefined>(undefined);
  useEffect(() => {
    if (place && !isInSight(scroller.current, place.message)) reading.go(place.message, false);
  }, [place?.message, place?.nth]);
  // After every drawing: rows come and go while one scrolls.
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const frame = requestAnimationFrame(() => {
      const range = markHits(box, pattern, place);
      if (!place) shown.current = undefined;
      if (!place || !range || isSame(place, shown.current)) return;
      shown.current = place;
      bringIntoSight(box, range);
    });
    return () => cancelAnimationFrame(frame);
  });
  useEffect(
    () => () => {
      if (scroller.current) markHits(scroller.current, undefined, undefined);
    },
    [],
  );
}

export function isInSight(box: HTMLElement | null, message: number): boolean {
  const row = box?.querySelector(`[data-message="${message}"]`)?.getBoundingClientRect();
  const frame = box?.getBoundingClientRect();
  return row !== undefined && frame !== undefined && row.bottom > frame.top && row.top < frame.bottom;
}

function isSame(a: FoundPlace, b: FoundPlace | undefined): boolean {
  return a.message === b?.message && a.nth === b.nth;
}

function bringIntoSight(box: HTMLElement, range: Range): void {
  const [hit, frame] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  if (hit.top >= frame.top + MARGIN_PX && hit.bottom <= frame.bottom - MARGIN_PX) return;
  box.scrollTop += hit.top - frame.top - frame.height / 3;
}

// Hits are marked by the browser over the text that is there (CSS custom highlights): no element is added, so nothing
// moves. Browsers without them still show which message a hit is in.

const ALL = 'read-hits';
const CURRENT = 'read-hit';
/** A single letter may be found in every word. */
const MOST = 5000;

/** Marks what is found in the articles that are on the page; gives the place of the current hit, if it is there. */
function markHits(root: Element, pattern: RegExp | undefined, current: FoundPlace | undefined): Range | undefined {
  const marks = typeof CSS === 'undefined' ? undefined : CSS.highlights;
  if (!pattern) {
    marks?.delete(ALL);
    marks?.delete(CURRENT);
    return undefined;
  }
  const found: Range[] = [];
  let here: Range | undefined;
  for (const slot of root.querySelectorAll('[data-slot]')) {
    const isHere = current !== undefined && isSlotOf(slot, current);
    for (const [nth, { range, offset }] of rangesIn(slot, pattern).entries()) {
      if (isHere && !here && (offset === undefined ? nth === current.hit.nth : offset === current.hit.offset))
        here = range;
      else found.push(range);
    }
  }
  marks?.set(ALL, new Highlight(...found.slice(0, MOST)));
  if (here) marks?.set(CURRENT, new Highlight(here));
  else marks?.delete(CURRENT);
  return here;
}

function isSlotOf(slot: Element, { message, hit }: FoundPlace): boolean {
  if (slot.getAttribute('data-slot') !== `${hit.part}/${hit.slot}`) return false;
  return slot.closest('[data-index]')?.getAttribute('data-index') === String(message);
}

interface FoundRange {
  readonly range: Range;
  /** In the text of the slot, where the element says where its text stands in it. */
  readonly offset: number | undefined;
}

function rangesIn(slot: Element, pattern: RegExp): readonly FoundRange[] {
  const pieces = slot.hasAttribute('data-from') ? [slot] : [...slot.querySelectorAll('[data-from]')];
  if (pieces.length === 0) return rangesInText(slot, pattern).map(({ range }) => ({ range, offset: undefined }));
  return pieces.flatMap((piece) => {
    const from = Number(piece.getAttribute('data-from'));
    return rangesInText(piece, pattern).map(({ range, at }) => ({ range, offset: from + at }));
  });
}

function rangesInText(element: Element, pattern: RegExp): readonly { readonly range: Range; readonly at: number }[] {
  const nodes: { readonly node: Text; readonly from: number }[] = [];
  let text = '';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('button') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => {
    const range = document.createRange();
    const first = nodes.findLast(({ from }) => from <= index);
    const last = nodes.findLast(({ from }) => from < index + found.length);
    if (first) range.setStart(first.node, index - first.from);
    if (last) range.setEnd(last.node, index + found.length - last.from);
    return { range, at: index };
  });
}
