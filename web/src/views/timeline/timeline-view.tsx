import { useEffect, useRef } from 'preact/hooks';
import { plural } from '../../../../src/core/index.ts';
import { useBackend } from '../../backend.ts';
import { followTimeline, troubles } from '../../replay/timeline-feed.ts';
import { currentSession, replayAt, selected, timelines } from '../../store.ts';
import { colours, preparePen, watchColours } from './colours.ts';
import { Overview } from './overview.tsx';
import {
  area,
  brush,
  brushWindow,
  focused,
  isWhole,
  ROW_HEIGHT,
  range,
  rows,
  type Spot,
  scrollTop,
  seenRows,
  setWindow,
  shownWindow,
  spot,
  ticksIn,
  timeAt,
  xOf,
  zoom,
} from './timeline-state.ts';
import './timeline.css';
import { computed, effect } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { goTo } from '../../replay/replay-state.ts';
import { watchLooseKeys } from '../graph/loose-keys.ts';
import { paintTracks } from './paint-tracks.ts';
import { RowLabels } from './row-labels.tsx';
import type { Row } from './rows.ts';
import { callText, callTitle, compactionText, nameText } from './timeline-words.ts';
import type { CallMark } from './track.ts';
import { revealRow, takeLooseKey, watchTracks } from './tracks-input.ts';

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

/** The rows: their names as a list, and a canvas over the rest that draws what is in sight. */
export function Tracks() {
  const backend = useBackend();
  const body = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (!body.current || !canvas.current) return;
    const stops = [
      watchTracks(body.current, backend),
      drawOn(canvas.current),
      followSelection(body.current),
      watchLooseKeys(document, takeLooseKey),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [backend]);
  return (
    <div class="timeline-tracks">
      <div class="timeline-body" ref={body}>
        <RowLabels />
      </div>
      <div class="timeline-canvas" aria-hidden="true">
        <canvas ref={canvas} />
      </div>
      <CallHint />
    </div>
  );
}

/** Who is selected somewhere else comes into sight. */
function followSelection(body: HTMLElement): () => void {
  let last: string | undefined;
  return effect(() => {
    const agent = selected.value?.agent;
    const row = rows.value.findIndex((one) => one.agent.id === agent);
    if (area.value.height === 0 || agent === last || row < 0) return;
    last = focused.value = agent;
    revealRow(row, body);
  });
}

/** Draws whenever something that it shows has changed, once a frame. */
function drawOn(canvas: HTMLCanvasElement): () => void {
  let frame = 0;
  const stop = effect(() => {
    const { width, height } = area.value;
    const tokens = colours.value;
    const window = shownWindow.value;
    const tracks = {
      rows: rows.value,
      ...seenRows.value,
      rowHeight: ROW_HEIGHT,
      scrollTop: scrollTop.value,
      height,
      ticks: axisTicks.value,
      spot: spot.value,
      selected: selected.value?.agent,
      replayAt: replayAt.value,
      brush: brush.value,
    };
    cancelAnimationFrame(frame);
    if (!tokens || width <= 0) return;
    frame = requestAnimationFrame(() => {
      const pen = preparePen(canvas, width, height);
      if (pen) paintTracks({ pen, colours: tokens, window, width, x: (at) => xOf(at, window, width) }, tracks);
    });
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
}

const WIDTH = 320;
const ROOM_BELOW = 120;

/** What the mouse or the keyboard points at, in words. Screen readers are told by the list of rows. */
export function CallHint() {
  const at = spot.value;
  const row = at && rows.value[at.row];
  if (!at || !row || !(at.mark || at.compaction)) return null;
  return (
    <div class="timeline-hint" aria-hidden="true" style={placeFor(at)}>
      {at.mark && <CallWords mark={at.mark} />}
      {at.compaction && <strong>{compactionText(at.compaction)}</strong>}
      <span class="timeline-hint-who">
        {nameText(row)}, {new Date(at.mark?.from ?? at.compaction?.at ?? 0).toLocaleTimeString()}
      </span>
    </div>
  );
}

function CallWords({ mark }: { readonly mark: CallMark }) {
  const made = mark.call.spawned === null ? undefined : rowOf(mark.call.spawned);
  return (
    <>
      <strong>{callTitle(mark)}</strong>
      <span>{callText(mark, range.value)}</span>
      {made && <span>It asked {nameText(made)}</span>}
    </>
  );
}

function rowOf(agent: string): Row | undefined {
  return rows.value.find((row) => row.agent.id === agent);
}

/** Below the row, or above it where there is no room; never beyond the edges. */
function placeFor({ row, mark, compaction, x }: Spot) {
  const { left, width, height } = area.value;
  const own = xOf(mark?.from ?? compaction?.at ?? 0, shownWindow.value, width);
  const wish = left + (x ?? Math.max(0, own)) + 8;
  const top = (row + 1) * ROW_HEIGHT - scrollTop.value + 4;
  const wide = Math.min(WIDTH, left + width - 16);
  return {
    width: `${wide}px`,
    left: `${Math.max(8, Math.min(wish, left + width - wide - 8))}px`,
    ...(top > height - ROOM_BELOW ? { bottom: `${height - top + ROW_HEIGHT + 8}px` } : { top: `${top}px` }),
  };
}

const LABEL_PX = 90;
/** So near to the edge a label would be cut off. */
const CUT_PX = 44;

export const axisTicks = computed(() =>
  ticksIn(shownWindow.value, range.value.from, Math.max(2, area.value.width / LABEL_PX)),
);

/** Time since the beginning. A click goes to that moment, a drag zooms into it; the slider below does the same for keys. */
export function Ruler() {
  const begin = useRef<{ x: number; at: number } | undefined>(undefined);
  const { width } = area.value;
  const window = shownWindow.value;
  const placeOf = (event: TargetedPointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return { x, at: timeAt(x, window, width) };
  };
  return (
    <div
      class="timeline-ruler"
      aria-hidden="true"
      title="Click: replay from here. Drag: zoom in."
      onPointerDown={(event) => {
        begin.current = placeOf(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const now = placeOf(event);
        if (begin.current && Math.abs(now.x - begin.current.x) > 4)
          brush.value = brushWindow(begin.current.at, now.at, range.value);
      }}
      onPointerUp={(event) => {
        if (brush.value) setWindow(brush.value);
        else if (begin.current) goTo(placeOf(event).at);
        begin.current = brush.value = undefined;
      }}
    >
      {axisTicks.value.map(({ at, text }) => (
        <span key={at} class="timeline-tick" style={{ transform: `translateX(${xOf(at, window, width)}px)` }}>
          {xOf(at, window, width) < width - CUT_PX ? text : ''}
        </span>
      ))}
      {replayAt.value !== undefined && (
        <span class="timeline-moment" style={{ transform: `translateX(${xOf(replayAt.value, window, width)}px)` }} />
      )}
    </div>
  );
}
