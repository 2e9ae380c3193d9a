import type { Position } from './facts.ts';
import { type Box, type CarSize, FLAG, noseAt } from './geometry.ts';
import type { Palette } from './palette.ts';

export const MARKS = [0.25, 0.5, 0.75] as const;

/** How strongly the way behind a car shows its colour. */
export const USED_ALPHA = 0.14;

/** The track with its marks; `used` is what the car has behind it. */
export function drawTrack(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  band: Box,
  size: CarSize,
  { kind }: Position,
  { colour, used }: { readonly colour: string; readonly used: number },
): void {
  ctx.fillStyle = palette.sunken;
  if (kind === 'open') fillOpen(ctx, band);
  else {
    ctx.beginPath();
    ctx.roundRect(band.x, band.y, band.w, band.h, 3);
    ctx.fill();
  }
  if (used > band.x) {
    const alpha = ctx.globalAlpha;
    ctx.globalAlpha = alpha * USED_ALPHA;
    ctx.fillStyle = colour;
    ctx.fillRect(band.x, band.y, used - band.x, band.h);
    ctx.globalAlpha = alpha;
  }
  ctx.fillStyle = palette.lineStrong;
  ctx.fillRect(band.x, band.y, 1, band.h);
  if (kind === 'open') {
    drawOpenEnd(ctx, palette, band);
    return;
  }
  ctx.fillStyle = palette.line;
  for (const mark of MARKS) ctx.fillRect(Math.round(noseAt(band, mark, size)), band.y, 1, band.h);
  drawFlag(ctx, palette, band);
}

/** Nobody knows where it ends: it runs out, in pieces that get shorter. */
function fillOpen(ctx: CanvasRenderingContext2D, { x, y, w, h }: Box): void {
  const whole = w * 0.62;
  ctx.fillRect(x, y, whole, h);
  const step = (w - whole) / 8;
  for (let piece = 0; piece < 7; piece++)
    ctx.fillRect(x + whole + piece * step + step * 0.12 * (piece + 1), y, step * (0.92 - 0.12 * piece), h);
}

function drawOpenEnd(ctx: CanvasRenderingContext2D, palette: Palette, { x, y, w, h }: Box): void {
  ctx.font = palette.smallBold;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = palette.textDim;
  ctx.fillText('?', x + w, y + h / 2 + 0.5);
}

/** Chequered. */
function drawFlag(ctx: CanvasRenderingContext2D, palette: Palette, { x, y, w, h }: Box): void {
  const square = FLAG / 2;
  ctx.fillStyle = palette.lineStrong;
  for (let row = 0; row * square < h; row++)
    ctx.fillRect(x + w - FLAG + (row % 2) * square, y + row * square, square, Math.min(square, h - row * square));
}
