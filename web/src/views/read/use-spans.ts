import { useEffect, useState } from 'preact/hooks';
import { openGap, revealUnit, type Span, type Units } from '../../../../src/render/transcript/folding.ts';
import { openness, rememberSpans, spansOf } from './openness.ts';

const STAY_MS = 700;

/** What of a folded thing is shown; remembered while the page lives. `reveal`: a unit that must be seen. */
export function useSpans(
  key: string,
  units: Units,
  fold: (isAllOpen: boolean) => readonly Span[],
  reveal: number | undefined,
): readonly [spans: readonly Span[], open: (gap: number) => void] {
  const isAllOpen = openness.value.all === true;
  const [, draw] = useState(0);
  const before = spansOf(key) ?? fold(isAllOpen);
  const spans = reveal === undefined ? before : revealUnit(before, units, reveal);
  // What a search shows in passing folds again; where the person stays, it stays.
  useEffect(() => {
    if (reveal === undefined || spans === before) return;
    const timer = setTimeout(() => rememberSpans(key, spans), STAY_MS);
    return () => clearTimeout(timer);
  }, [key, reveal]);
  const open = (gap: number): void => {
    rememberSpans(key, openGap(spans, units, gap));
    draw((count) => count + 1);
  };
  return [spans, open];
}
