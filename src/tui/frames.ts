import type { Clock } from '../lib/clock.ts';

/** At most 20 a second: more than the eye needs, less than a slow line notices. */
const FRAME_MS = 50;
const SECOND = 1000;

export interface Frames {
  /** Something changed. */
  soon(): void;
  onFailure(listener: (error: unknown) => void): void;
  close(): void;
}

/** When to draw: at once where something changed, never more often than a frame, and every second for the times. */
export function startFrames(draw: () => void, clock: Clock): Frames {
  let isResting = false;
  let isWanted = false;
  let isClosed = false;
  let fail = (error: unknown): void => {
    throw error;
  };
  let rest: ReturnType<typeof setTimeout> | undefined;
  let tick: ReturnType<typeof setTimeout> | undefined;

  const drawNow = (): void => {
    isWanted = false;
    isResting = true;
    rest = setTimeout(() => {
      isResting = false;
      if (isWanted) drawNow();
    }, FRAME_MS);
    try {
      draw();
    } catch (error) {
      fail(error);
    }
  };
  const soon = (): void => {
    if (isClosed) return;
    isWanted = true;
    if (!isResting) drawNow();
  };
  const tickNext = (): void => {
    tick = setTimeout(
      () => {
        soon();
        tickNext();
      },
      SECOND - (clock() % SECOND),
    );
  };
  tickNext();
  return {
    soon,
    onFailure(listener) {
      fail = listener;
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
      clearTimeout(tick);
    },
  };
}
