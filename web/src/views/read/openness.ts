import { signal } from '@preact/signals';
import type { TranscriptMessage } from '../../../../src/core/index.ts';
import { describeCall, type MessagePart, partsOf, type Span } from '../../../../src/core/transcript/index.ts';

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

export function canClose(part: MessagePart): boolean {
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
