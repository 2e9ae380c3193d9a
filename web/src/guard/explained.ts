import { signal } from '@preact/signals';
import type { HeardCall } from '../../../src/core/index.ts';

/** The call that the sheet in front of the page is about. Kept while it closes. */
export const explained = signal<HeardCall | undefined>(undefined);
export const isExplaining = signal(false);

/** Why was it decided so? From any line that shows a decision. */
export function explainCall(call: HeardCall): void {
  explained.value = call;
  isExplaining.value = true;
}
