import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { openGap, revealUnit, type Span, type Units } from '../../../../src/core/transcript/index.ts';
import type { Finder } from './find.ts';
import { choose, openness, rememberSpans, spansOf } from './openness.ts';

/** Where in the transcript a part stands: by it, it is found, and remembers what was opened in it. */
export interface PartPlace {
  /** Of its message. */
  readonly index: number;
  readonly part: number;
  /** The same after a reload of the transcript. */
  readonly key: string;
  readonly finder: Finder;
}

/** For `data-slot`: what a search marks. */
export function slotName({ part }: PartPlace, slot: string): string {
  return `${part}/${slot}`;
}

/** The offset of the hit that the person is at, if it is in this slot. */
export function useHitIn({ finder, index, part }: PartPlace, slot: string): number | undefined {
  return useComputed(() => {
    const place = finder.current.value;
    const isHere = place?.message === index && place.hit.part === part && place.hit.slot === slot;
    return isHere ? place.hit.offset : undefined;
  }).value;
}

/** The hit that the person is at is somewhere in this part: it has to be open, and stays so when they stay. */
export function useHitInPart({ finder, index, part, key }: PartPlace): boolean {
  const isHere = useComputed(() => {
    const place = finder.current.value;
    return place?.message === index && place.hit.part === part && place.hit.slot !== 'head';
  }).value;
  useStaying(isHere ? key : undefined, () => choose(key, true));
  return isHere;
}

/** What a search shows in passing closes again; where the person stays, it is kept. */
const STAY_MS = 700;

export function useStaying(where: string | number | undefined, keep: () => void): void {
  useEffect(() => {
    if (where === undefined) return;
    const timer = setTimeout(keep, STAY_MS);
    return () => clearTimeout(timer);
  }, [where]);
}

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
