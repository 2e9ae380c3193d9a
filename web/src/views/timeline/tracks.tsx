import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useBackend } from '../../backend-context.ts';
import { replayAt, selected } from '../../store.ts';
import { watchLooseKeys } from '../graph/loose-keys.ts';
import { CallHint } from './call-hint.tsx';
import { colours } from './colours.ts';
import { paintTracks } from './paint-tracks.ts';
import { preparePen } from './pen.ts';
import { RowLabels } from './row-labels.tsx';
import { revealRow, takeLooseKey } from './rows-input.ts';
import { axisTicks } from './ruler.tsx';
import {
  area,
  brush,
  focused,
  ROW_HEIGHT,
  rows,
  scrollTop,
  seenRows,
  shownWindow,
  spot,
  xOf,
} from './timeline-state.ts';
import { watchTracks } from './tracks-input.ts';

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
