import { useEffect } from 'preact/hooks';
import { plural } from '../../../../src/core/index.ts';
import { useBackend } from '../../backend-context.ts';
import { followTimeline, troubles } from '../../replay/timeline-feed.ts';
import { currentSession, timelines } from '../../store.ts';
import { watchColours } from './colours.ts';
import { Overview } from './overview.tsx';
import { Ruler } from './ruler.tsx';
import { isWhole, rows, setWindow, zoom } from './timeline-state.ts';
import { Tracks } from './tracks.tsx';
import './timeline.css';

/** Who worked when, row by row: runs, calls, waits and silences. */
export function TimelineView() {
  const backend = useBackend();
  const id = currentSession.value?.id;
  useEffect(watchColours, []);
  useEffect(() => (id === undefined ? undefined : followTimeline(backend, id)), [backend, id]);
  if (id === undefined)
    return <p class="timeline-note">There is no session yet. When one begins, its agents stand here, row by row.</p>;
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-head">
        <div class="timeline-tools" role="toolbar" aria-label="Zoom">
          <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(2)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => zoom(0.5)}>
            −
          </button>
          <button
            type="button"
            title="Show all of it (0)"
            disabled={isWhole.value}
            onClick={() => setWindow(undefined)}
          >
            Fit
          </button>
        </div>
        <Overview />
        <span class="timeline-count">{plural(rows.value.length, 'agent')}</span>
        <Ruler />
      </div>
      <Tracks />
      <Loading id={id} />
    </section>
  );
}

function Loading({ id }: { readonly id: string }) {
  const trouble = troubles.value.get(id);
  if (trouble !== undefined)
    return (
      <p class="timeline-note timeline-over" role="alert">
        What happened when could not be loaded: {trouble} It is tried again by itself.
      </p>
    );
  if (timelines.value.has(id)) return null;
  return (
    <p class="timeline-note timeline-over" role="status">
      Loading what happened when…
    </p>
  );
}
