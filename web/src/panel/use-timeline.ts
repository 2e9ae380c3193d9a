import { useEffect } from 'preact/hooks';
import type { TimelineReport } from '../../../src/core/index.ts';
import { useBackend } from '../backend-context.ts';
import { followTimeline, troubles } from '../replay/timeline-feed.ts';
import { timelines } from '../store.ts';

/** What happened in a session, kept up to date while somebody looks; or why it is not there. */
export function useTimeline(session: string): {
  readonly timeline: TimelineReport | undefined;
  readonly trouble: string | undefined;
} {
  const backend = useBackend();
  useEffect(() => followTimeline(backend, session), [backend, session]);
  return { timeline: timelines.value.get(session), trouble: troubles.value.get(session) };
}
