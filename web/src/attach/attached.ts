import { signal } from '@preact/signals';
import type { AgentRef } from '../store.ts';

/** The agent that the sheet in front of the page is about. Kept while it closes. */
export const attached = signal<AgentRef | undefined>(undefined);
export const isAttaching = signal(false);

export function openAttach(agent: AgentRef | undefined): void {
  if (agent === undefined) return;
  attached.value = agent;
  isAttaching.value = true;
}
