import { type Drawn, dirtyLooks } from './dirty.ts';
import { drawFrame, redrawLanes } from './draw.ts';
import { fitCanvas } from './fit-canvas.ts';
import { createFitter } from './fit-text.ts';
import type { Frame } from './frame.ts';
import { EARLIER } from './rows.ts';
import { isDifferent, isSilent, type Scene } from './scene.ts';
import { createTraffic } from './traffic.ts';

/** Draws scenes, and moves the cars between them. No frame is asked for while nothing moves. */
export interface Stage {
  show(scene: Scene): void;
  scrollTo(top: number): void;
  close(): void;
}

/** On for a second, off for a second. */
const BLINK_MS = 1000;

export function createStage(canvas: HTMLCanvasElement): Stage {
  const ctx = canvas.getContext('2d');
  if (!ctx) return { show() {}, scrollTo() {}, close() {} };
  const cut = createFitter((text, font) => {
    ctx.font = font;
    return ctx.measureText(text).width;
  });
  const traffic = createTraffic();
  let scene: Scene | undefined;
  let drawn: Drawn | undefined;
  let scrollTop = 0;
  let frame: number | undefined;
  let blink: ReturnType<typeof setTimeout> | undefined;

  const ask = (): void => {
    frame ??= requestAnimationFrame(draw);
  };

  const draw = (time: number): void => {
    frame = undefined;
    if (!scene) return;
    const isBlinkOn = scene.isStill || Math.floor(time / BLINK_MS) % 2 === 0;
    const looks = traffic.move(scene, scrollTop, time, isBlinkOn);
    const now = { base: baseOf(scene, scrollTop), looks };
    const { ghosts } = traffic;
    const isWiped = fitCanvas(canvas, ctx, scene);
    const dirty = isWiped || ghosts.length > 0 ? 'all' : dirtyLooks(drawn, now);
    const picture: Frame = { ...scene, ctx, cut, scrollTop, isBlinkOn, carOf: traffic.carOf, sideOf: traffic.sideOf };
    if (dirty === 'all') drawFrame(picture, looks, ghosts);
    else redrawLanes(picture, dirty);
    // What ghosts leave behind is wiped by drawing all of it once more.
    drawn = ghosts.length > 0 ? undefined : now;
    if (traffic.isMoving() || ghosts.length > 0) ask();
    const isBlinking = !scene.isStill && looks.some(({ lane }) => isSilent(lane));
    if (isBlinking) blink ??= setTimeout(wake, BLINK_MS - (time % BLINK_MS) + 1);
  };

  const wake = (): void => {
    blink = undefined;
    ask();
  };

  return {
    show(next) {
      const before = scene;
      scene = next;
      traffic.turnTo(next, scrollTop);
      if (!before || isDifferent(before, next) || traffic.isSlower(next)) ask();
    },
    scrollTo(top) {
      scrollTop = Math.round(top);
      ask();
    },
    close() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      clearTimeout(blink);
      scene = undefined;
    },
  };
}

/** What all lanes depend on. */
function baseOf({ layout, columns, viewHeight, palette, pointers, traces }: Scene, scrollTop: number) {
  const { height, earlier } = layout;
  const other = [pointers.hovered === EARLIER, pointers.focused === EARLIER];
  return [scrollTop, viewHeight, columns, palette, traces, height, earlier?.isOpen, earlier?.count, ...other];
}
