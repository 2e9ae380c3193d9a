import { useEffect, useRef } from 'preact/hooks';
import { plural } from '../../../../src/core/index.ts';
import { followTimeline, troubles } from '../../replay/timeline-feed.ts';
import { currentSession, replayAt, selected, timelines, useBackend } from '../../store.ts';
import { axisTicks, RowLabels, Ruler } from './row-labels.tsx';
import {
  type Colours,
  callText,
  callTitle,
  colours,
  compactionText,
  nameText,
  preparePen,
  type Row,
  watchColours,
} from './rows.ts';
import {
  area,
  brush,
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
  timeAt,
  xOf,
  zoom,
} from './timeline-state.ts';
import './timeline.css';
import { computed, effect } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { watchLooseKeys } from '../graph/graph-state.ts';
import { paintTracks } from './paint-tracks.ts';
import { revealRow, takeLooseKey } from './rows-input.ts';
import { brushWindow, panWindow, wholeWindow } from './time-window.ts';
import type { CallMark, Span } from './track.ts';
import { watchTracks } from './tracks-input.ts';

/** Who worked when, row by row: runs, calls, waits and silences. */
export function TimelineView() {
  const backend = useBackend();
  const id = currentSession.value?.id;
  useEffect(watchColours, []);
  useEffect(() => (id === undefined ? undefined : followTimeline(backend, id)), [backend, id]);
  if (id === undefined) return <p class="timeline-note">No session yet. Its agents will appear here, one per row.</p>;
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

const HEIGHT = 28;
const BIN_PX = 3;

const bins = computed(() =>
  histogramOf(rows.value, wholeWindow(range.value), Math.max(1, Math.floor(area.value.width / BIN_PX))),
);

/** The whole session in small: how much went on when, and which part of it is seen. Dragging in it moves or chooses the part. */
export function Overview() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const grip = useRef<{ readonly at: number; readonly window: Span | undefined } | undefined>(undefined);
  useEffect(() => (canvas.current ? drawOverview(canvas.current) : undefined), []);
  const timeOf = (event: TargetedPointerEvent<HTMLElement>): number => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return timeAt(x, wholeWindow(range.value), area.value.width);
  };
  return (
    <div
      class="timeline-overview"
      aria-hidden="true"
      title="Drag to choose what is seen"
      onPointerDown={(event) => {
        const at = timeOf(event);
        const { from, to } = shownWindow.value;
        const isInside = !isWhole.value && at >= from && at <= to;
        grip.current = { at, window: isInside ? shownWindow.value : undefined };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const held = grip.current;
        if (!held) return;
        const at = timeOf(event);
        const { window } = held;
        if (window) setWindow(panWindow(window, (at - held.at) / (window.to - window.from), range.value));
        else if (at !== held.at) setWindow(brushWindow(held.at, at, range.value));
      }}
      onPointerUp={() => {
        grip.current = undefined;
      }}
    >
      <canvas ref={canvas} />
    </div>
  );
}

function drawOverview(canvas: HTMLCanvasElement): () => void {
  let frame = 0;
  const stop = effect(() => {
    const tokens = colours.value;
    const { width } = area.value;
    const heights = bins.value;
    const whole = wholeWindow(range.value);
    const seen = isWhole.value ? undefined : shownWindow.value;
    const moment = replayAt.value;
    cancelAnimationFrame(frame);
    if (!tokens || width <= 0) return;
    frame = requestAnimationFrame(() => {
      const pen = preparePen(canvas, width, HEIGHT);
      if (!pen) return;
      const x = (at: number): number => xOf(at, whole, width);
      paint(pen, tokens, width, heights, seen && { from: x(seen.from), to: x(seen.to) });
      pen.fillStyle = tokens.accent;
      if (moment !== undefined) pen.fillRect(x(moment) - 1, 0, 2, HEIGHT);
    });
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
}

/** `seen`: in pixels. */
function paint(
  pen: CanvasRenderingContext2D,
  tokens: Colours,
  width: number,
  heights: readonly number[],
  seen: Span | undefined,
): void {
  pen.clearRect(0, 0, width, HEIGHT);
  pen.fillStyle = tokens.dim;
  for (const [index, height] of heights.entries()) {
    const high = Math.ceil(height * (HEIGHT - 4));
    pen.globalAlpha = 0.55;
    pen.fillRect((index * width) / heights.length, HEIGHT - high, BIN_PX - 1, high);
  }
  pen.globalAlpha = 1;
  if (!seen) return;
  pen.fillStyle = tokens.ground;
  pen.globalAlpha = 0.65;
  pen.fillRect(0, 0, seen.from, HEIGHT);
  pen.fillRect(seen.to, 0, width - seen.to, HEIGHT);
  pen.globalAlpha = 1;
  pen.strokeStyle = tokens.accent;
  pen.strokeRect(seen.from + 0.5, 0.5, Math.max(2, seen.to - seen.from - 1), HEIGHT - 1);
}

/** How much was done in each of `bins` equal parts of a stretch of time: calls that began in it, from 0 to 1. */
export function histogramOf(rows: readonly Row[], { from, to }: Span, bins: number): readonly number[] {
  const counts = new Array<number>(bins).fill(0);
  const scale = bins / Math.max(1, to - from);
  for (const { track } of rows) {
    for (const mark of track.calls) {
      const bin = Math.floor((mark.from - from) * scale);
      if (bin >= 0 && bin < bins) counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  const most = Math.max(1, ...counts);
  // The root keeps a single call visible beside a flood.
  return counts.map((count) => Math.sqrt(count / most));
}
