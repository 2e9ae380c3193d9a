import { signal } from '@preact/signals';
import { useBackend } from '../backend.ts';
import type { AgentRef } from '../store.ts';

/** Nothing where there is nobody to say how: in a page that is an export. */
export function AttachButton({ agent, session }: AgentRef) {
  if (!useBackend().attach) return null;
  return (
    <button
      type="button"
      class="export-open"
      onClick={() => openAttach({ agent, session })}
      title="Continue from this agent (c)"
    >
      Continue…
    </button>
  );
}

/** The agent that the sheet in front of the page is about. Kept while it closes. */
export const attached = signal<AgentRef | undefined>(undefined);
export const isAttaching = signal(false);

export function openAttach(agent: AgentRef | undefined): void {
  if (agent === undefined) return;
  attached.value = agent;
  isAttaching.value = true;
}
