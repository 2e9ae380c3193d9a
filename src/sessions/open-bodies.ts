import type { Bodies, SourceAdapter } from '../hosts/index.ts';
import type { OpenBodies } from './read-transcript.ts';

/** Conversations whose messages were found lately. */
export interface OpenedBodies {
  of(adapter: SourceAdapter): OpenBodies;
}

const KEPT = 16;

export function createOpenBodies(most = KEPT): OpenedBodies {
  const kept = new Map<string, Bodies>();
  return {
    of: (adapter) => ({
      open(session, source, { id }) {
        const key = `${session.id} ${source.path} ${id}`;
        const bodies = kept.get(key) ?? adapter.openBodies?.(session, source, id);
        if (!bodies) return undefined;
        // The one asked for last stands last; the first is the one to let go.
        kept.delete(key);
        kept.set(key, bodies);
        const [oldest] = kept.keys();
        if (kept.size > most && oldest !== undefined) kept.delete(oldest);
        return bodies;
      },
    }),
  };
}
