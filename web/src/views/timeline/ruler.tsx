import { computed } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { goTo } from '../../replay/replay-state.ts';
import { replayAt } from '../../store.ts';
import { brushWindow, ticksIn } from './time-window.ts';
import { area, brush, range, setWindow, shownWindow, timeAt, xOf } from './timeline-state.ts';

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
