import type { CarSize } from './geometry.ts';
import type { Palette } from './palette.ts';

export interface CarLook {
  readonly colour: string;
  readonly initial: string;
  /** `parked` is over, `hollow` has no known place, `off` has left the track. */
  readonly state: 'driving' | 'parked' | 'hollow' | 'off';
  /** Hazard lights: on, off, or none. */
  readonly hazard: 'on' | 'off' | undefined;
  readonly trail: number;
  /** No trail reaches back beyond the start of the track. */
  readonly start: number;
}

/** A car from above, its nose to the right at `nose`. */
export function drawCar(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  nose: number,
  middle: number,
  size: CarSize,
  look: CarLook,
): void {
  const { length, height } = size;
  if (look.trail > 0 && look.state === 'driving') drawTrail(ctx, nose - length, middle, size, look);
  ctx.save();
  ctx.translate(nose - length / 2, middle + (look.state === 'off' ? height * 0.15 : 0));
  if (look.state === 'off') ctx.rotate(0.3);
  drawWheels(ctx, palette, size);
  drawBody(ctx, palette, size, look);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.font = palette.smallBold;
  ctx.fillStyle = look.state === 'driving' ? palette.ground : look.colour;
  ctx.fillText(look.initial, -height * 0.1, 0.5);
  if (look.hazard) drawHazard(ctx, palette, size, look.hazard === 'on');
  ctx.restore();
}

function drawBody(ctx: CanvasRenderingContext2D, palette: Palette, { length, height }: CarSize, look: CarLook): void {
  const blunt = height * 0.28;
  ctx.beginPath();
  ctx.roundRect(-length / 2, -height / 2, length, height, [blunt, height / 2, height / 2, blunt]);
  ctx.fillStyle = look.state === 'driving' ? look.colour : palette.ground;
  ctx.fill();
  if (look.state === 'driving') return;
  ctx.strokeStyle = look.colour;
  ctx.lineWidth = 1.5;
  if (look.state === 'hollow') ctx.setLineDash([3, 2]);
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawWheels(ctx: CanvasRenderingContext2D, palette: Palette, { length, height }: CarSize): void {
  const width = length * 0.17;
  ctx.fillStyle = palette.textDim;
  for (const x of [-length * 0.36, length * 0.12])
    for (const y of [-height / 2 - 1.5, height / 2 - 1]) ctx.fillRect(x, y, width, 2.5);
}

/** Lines in the wind; the longer, the more it writes. */
function drawTrail(
  ctx: CanvasRenderingContext2D,
  rear: number,
  middle: number,
  { height, trail }: CarSize,
  look: CarLook,
): void {
  const length = Math.min(trail * look.trail, Math.max(0, rear - 3 - look.start));
  const alpha = ctx.globalAlpha;
  ctx.fillStyle = look.colour;
  for (const [offset, share, strength] of [
    [-0.32, 0.6, 0.35],
    [0, 1, 0.6],
    [0.32, 0.75, 0.35],
  ] as const) {
    ctx.globalAlpha = alpha * strength;
    ctx.fillRect(rear - 3 - length * share, middle + offset * height - 1, length * share, 2);
  }
  ctx.globalAlpha = alpha;
}

function drawHazard(ctx: CanvasRenderingContext2D, palette: Palette, { length, height }: CarSize, isOn: boolean): void {
  const radius = Math.max(2.5, height * 0.17);
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = palette.warn;
  ctx.fillStyle = isOn ? palette.warn : palette.ground;
  for (const x of [-length / 2, length / 2 - height * 0.35])
    for (const y of [-height / 2, height / 2]) {
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
}
