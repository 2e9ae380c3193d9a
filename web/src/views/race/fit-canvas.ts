import type { Scene } from './scene.ts';

/** As many dots as the screen has. Says whether that wiped it. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  ctx: CanvasRenderingContext2D,
  { columns: { width }, viewHeight: height }: Scene,
): boolean {
  const ratio = globalThis.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const isWiped = canvas.width !== w || canvas.height !== h;
  if (isWiped) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return isWiped;
}
