import { useLayoutEffect, useRef } from 'preact/hooks';
import { Axis } from './axis.tsx';
import { focusRow, followSelection } from './follow-selection.ts';
import { Mirror } from './mirror.tsx';
import { PointedTooltip } from './pointed-tooltip.tsx';
import { connectPointer } from './pointer.ts';
import { runStage } from './run-stage.ts';
import './race.css';

/** Every agent on its way through its context window. */
export function RaceView() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!canvas.current || !scroller.current) return undefined;
    const stops = [
      runStage(canvas.current, scroller.current),
      connectPointer(scroller.current),
      followSelection(scroller.current),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <section class="race" aria-label="Race">
      <Axis onReveal={(row) => focusRow(scroller.current, row)} />
      <div class="race-body">
        <div class="race-picture" aria-hidden="true">
          <canvas ref={canvas} />
        </div>
        <div ref={scroller} class="race-scroller">
          <Mirror />
        </div>
        <PointedTooltip scroller={scroller} />
      </div>
    </section>
  );
}
