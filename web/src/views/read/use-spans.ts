import { useState } from 'preact/hooks';
import { openGap, revealUnit, type Span, type Units } from '../../../../src/core/transcript/index.ts';
import { openness, rememberSpans, spansOf } from './openness.ts';
import { useStaying } from './part-place.ts';

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
  useStaying(spans === before ? undefined : reveal, () => rememberSpans(key, spans));
  const open = (gap: number): void => {
    rememberSpans(key, openGap(spans, units, gap));
    draw((count) => count + 1);
  };
  return [spans, open];
}
