import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Finder, FoundPlace } from './find.ts';
import { markHits } from './find-marks.ts';
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
