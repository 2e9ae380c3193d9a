import { useBackend } from '../backend-context.ts';
import type { AgentRef } from '../store.ts';
import { openAttach } from './attached.ts';

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
