import { signal, useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import { describeCall, type MessagePart, partsOf, type Span } from '../../../../src/core/transcript/index.ts';
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

// What is open and what is closed, while the page lives.

interface Openness {
  /** By the person's last word for everything. */
  readonly all: boolean | undefined;
  /** By part. Newer than the word for everything. */
  readonly choices: ReadonlyMap<string, boolean>;
}

export const openness = signal<Openness>({ all: undefined, choices: new Map() });
/** How far folded texts were opened, by slot. */
const spans = new Map<string, readonly Span[]>();

export function isOpenPart(key: string, part: MessagePart): boolean {
  const { all, choices } = openness.value;
  return choices.get(key) ?? all ?? opensByItself(part);
}

export function choose(key: string, isOpen: boolean): void {
  const { all, choices } = openness.value;
  openness.value = { all, choices: new Map(choices).set(key, isOpen) };
}

export function chooseAll(isOpen: boolean): void {
  openness.value = { all: isOpen, choices: new Map() };
  spans.clear();
}

/** Opens everything in a message, or closes it where all of it is open. */
export function toggleMessage(keyOfPart: (part: number) => string, message: TranscriptMessage): void {
  const parts = partsOf(message).flatMap((part, index) => (canClose(part) ? [{ part, key: keyOfPart(index) }] : []));
  const isOpen = parts.some(({ key, part }) => !isOpenPart(key, part));
  const choices = new Map(openness.value.choices);
  for (const { key } of parts) choices.set(key, isOpen);
  openness.value = { ...openness.value, choices };
}

function canClose(part: MessagePart): boolean {
  return part.kind === 'thinking' || part.kind === 'result' || (part.kind === 'call' && !part.call.ref);
}

/** What an agent changed or ran is worth a look; what it read and thought is there for those who ask. */
function opensByItself(part: MessagePart): boolean {
  if (part.kind !== 'call') return part.kind !== 'thinking';
  if (part.result?.isError) return true;
  const { kind } = describeCall(part.call, part.result);
  return kind !== 'file' && kind !== 'found' && kind !== 'web' && kind !== 'fields';
}

export function spansOf(slot: string): readonly Span[] | undefined {
  return spans.get(slot);
}

export function rememberSpans(slot: string, shown: readonly Span[]): void {
  spans.set(slot, shown);
}
