import { computed } from '@preact/signals';
import type { Ask } from '../../../src/core/index.ts';
import { clock, picture } from '../store.ts';

/** What was decided is still told for a moment: also to those who looked on while somebody else answered. */
const TOLD_MS = 8_000;

/** Calls that wait, and how those ended that did a moment ago; oldest first. */
export function shownAsks(asks: readonly Ask[], now: number): readonly Ask[] {
  return asks.filter(({ end }) => end === null || now - Date.parse(end.at) < TOLD_MS);
}

export const asks = computed(() => shownAsks(picture.value?.asks ?? [], clock.value));
