import { useComputed } from '@preact/signals';
import type { Finder } from './find.ts';

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

/** The hit that the person is at is somewhere in this part: it has to be open. */
export function useHitInPart({ finder, index, part }: PartPlace): boolean {
  return useComputed(() => {
    const place = finder.current.value;
    return place?.message === index && place.hit.part === part && place.hit.slot !== 'head';
  }).value;
}
