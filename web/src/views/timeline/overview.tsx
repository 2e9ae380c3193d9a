import { computed, effect } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { replayAt } from '../../store.ts';
import { type Colours, colours, preparePen } from './colours.ts';
import { histogramOf } from './rows.ts';
import {
  area,
  brushWindow,
  isWhole,
  panWindow,
  range,
  rows,
  setWindow,
  shownWindow,
  timeAt,
  wholeWindow,
  xOf,
} from './timeline-state.ts';
import type { Span } from './track.ts';

const HEIGHT = 28;
const BIN_PX = 3;

const bins = computed(() =>
  histogramOf(rows.value, wholeWindow(range.value), Math.max(1, Math.floor(area.value.width / BIN_PX))),
);

/** The whole session in small: how much went on when, and which part of it is seen. Dragging in it moves or chooses the part. */
export function Overview() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const grip = useRef<{ readonly at: number; readonly window: Span | undefined } | undefined>(undefined);
  useEffect(() => (canvas.current ? drawOn(canvas.current) : undefined), []);
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

function drawOn(canvas: HTMLCanvasElement): () => void {
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
