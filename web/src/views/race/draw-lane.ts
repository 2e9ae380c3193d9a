import { formatCount, runsText } from '../../../../src/core/index.ts';
import { type Chip, chipText, type Lane } from './block.ts';
import { drawSaying } from './draw-saying.ts';
import { drawTrack } from './draw-track.ts';
import { type Car, type Facts, factsOf, positionOf } from './facts.ts';
import { type Frame, putText } from './frame.ts';
import { type Box, bandOf, boxesOf, type CarSize, carSize, noseAt } from './geometry.ts';
import { colourOf, type Palette } from './palette.ts';

/** Below everything: the lane itself. Lines between lanes come on top of it, cars and words on top of those. */
export function drawGround(frame: Frame, lane: Lane, car: Car): void {
  const { ctx, palette, columns, pointers } = frame;
  const facts = factsOf(lane.agent);
  ctx.globalAlpha = car.alpha;
  const needsYou = facts.standing === 'needs you';
  if (needsYou) fillRow(frame, lane, car.y, palette.warnGround, 1);
  if (pointers.selected === lane.key) fillRow(frame, lane, car.y, palette.accent, 0.1);
  else if (pointers.hovered === lane.key) fillRow(frame, lane, car.y, palette.textDim, 0.07);
  if (needsYou || pointers.selected === lane.key) {
    ctx.fillStyle = needsYou ? palette.warn : palette.accent;
    ctx.fillRect(0, car.y, 3, lane.height);
  }
  const band = bandOf(columns, lane, car.y);
  const size = carSize(lane.depth);
  const used = facts.position.kind === 'none' ? band.x : noseAt(band, car.share, size) - size.length / 2;
  const colour = colourOf(palette, lane.agent.hue);
  drawTrack(ctx, palette, band, size, facts.position, { colour, used });
  ctx.globalAlpha = 1;
}

function fillRow({ ctx, columns }: Frame, { height }: Lane, y: number, colour: string, alpha: number): void {
  const before = ctx.globalAlpha;
  ctx.globalAlpha = before * alpha;
  ctx.fillStyle = colour;
  ctx.fillRect(0, y, columns.width, height);
  ctx.globalAlpha = before;
}

export function drawLane(frame: Frame, lane: Lane, car: Car): void {
  const { ctx, columns } = frame;
  const facts = factsOf(lane.agent);
  const boxes = boxesOf(columns, lane, car.y);
  ctx.globalAlpha = car.alpha;
  drawNames(frame, lane, facts, boxes);
  drawRunner(frame, lane, facts, car);
  if (lane.chip) drawChip(frame, lane.chip, boxes.chip);
  ctx.globalAlpha = 1;
}

type Boxes = ReturnType<typeof boxesOf>;

function drawNames(frame: Frame, lane: Lane, facts: Facts, boxes: Boxes): void {
  const { palette } = frame;
  const isSession = lane.depth === 0;
  const colour = facts.isBusy ? palette.text : palette.textDim;
  if (lane.fold !== 'leaf')
    putText(frame, lane.fold === 'open' ? '▾' : '▸', boxes.fold, { font: palette.small, colour: palette.textDim });
  const doubt = lane.agent.evidence && lane.agent.evidence.rank !== 'exact' ? '? ' : '';
  const name = `${doubt}${lane.name}${runsText(lane.agent)}`;
  putText(frame, name, boxes.name, { font: isSession ? palette.bodyBold : palette.small, colour });
  if (boxes.detail) putText(frame, lane.project, boxes.detail, { font: palette.small, colour: palette.textDim });
  if (lane.below.busy > 0) drawCount(frame, boxes.badge, lane.below.busy);
  putText(frame, facts.context, boxes.tokens, { font: palette.small, colour: palette.textDim, align: 'right' });
}

/** How many of its sub-agents work. */
function drawCount(frame: Frame, box: Box, count: number): void {
  const { ctx, palette } = frame;
  ctx.beginPath();
  ctx.roundRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, 8);
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  ctx.stroke();
  putText(frame, '●', { ...box, x: box.x + 6, w: 12 }, { font: palette.small, colour: palette.good });
  const rest = { ...box, x: box.x + 16, w: box.w - 21 };
  putText(frame, formatCount(count), rest, { font: palette.smallBold, colour: palette.text, align: 'right' });
}

function drawRunner(frame: Frame, lane: Lane, facts: Facts, car: Car): void {
  const { ctx, palette, columns } = frame;
  const band = bandOf(columns, lane, car.y);
  const size = carSize(lane.depth);
  const nose = noseAt(band, car.share, size);
  const window = facts.position.kind === 'open' ? null : lane.agent.contextWindow;
  const colour = colourOf(palette, lane.agent.hue);
  const marks = frame
    .tracesOf(lane)
    .setBacks.map((tokens) => Math.round(noseAt(band, positionOf(tokens, window).share, size)))
    .filter((x) => Math.abs(x - nose) > size.length + 4);
  for (const x of marks) drawSetBack(frame, band, size, { x, colour });
  const obstacles = marks.map((x) => ({ from: x - size.length, to: x }));
  drawSaying(frame, lane, facts, { band, size, nose, obstacles, colour });
  drawCar(ctx, palette, nose, band.y + band.h / 2, size, {
    colour,
    initial: facts.initial,
    state: stateOf(facts),
    hazard: facts.standing === 'silent' ? (frame.isBlinkOn ? 'on' : 'off') : undefined,
    trail: car.trail,
    start: band.x + 2,
  });
}

/** Where it was before a compaction set it back: a car that is not there any more. */
function drawSetBack(
  { ctx, palette }: Frame,
  band: Box,
  size: CarSize,
  { x, colour }: { readonly x: number; readonly colour: string },
): void {
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * 0.6;
  const look = { colour, initial: '↩', state: 'hollow', hazard: undefined, trail: 0, start: band.x } as const;
  drawCar(ctx, palette, x, band.y + band.h / 2, size, look);
  ctx.globalAlpha = alpha;
}

function stateOf({ standing, position }: Facts): 'driving' | 'parked' | 'hollow' | 'off' {
  if (standing === 'failed') return 'off';
  if (standing === 'completed' || standing === 'stopped' || standing === 'unknown') return 'parked';
  return position.kind === 'none' ? 'hollow' : 'driving';
}

/** Of one that has just left its lane for the chip of its parent. */
export function drawGhost(frame: Frame, lane: Lane, car: Car): void {
  const band = bandOf(frame.columns, lane, car.y);
  const size = carSize(lane.depth);
  frame.ctx.globalAlpha = car.alpha;
  drawCar(frame.ctx, frame.palette, noseAt(band, car.share, size), band.y + band.h / 2, size, {
    colour: colourOf(frame.palette, lane.agent.hue),
    initial: factsOf(lane.agent).initial,
    state: 'parked',
    hazard: undefined,
    trail: 0,
    start: band.x,
  });
  frame.ctx.globalAlpha = 1;
}

function drawChip(frame: Frame, chip: Chip, box: Box): void {
  const { ctx, palette, cut } = frame;
  const { standings } = chip.tally;
  const needsYou = standings.get('needs you') ?? 0;
  const failed = standings.get('failed') ?? 0;
  const font = needsYou > 0 ? palette.smallBold : palette.small;
  const text = cut(chipText(chip), font, box.w - 14);
  const width = text.width + 14;
  const x = box.x + box.w - width;
  ctx.beginPath();
  ctx.roundRect(x + 0.5, box.y + 0.5, width - 1, box.h - 1, 9);
  ctx.fillStyle = needsYou > 0 ? palette.warnGround : palette.raised;
  ctx.fill();
  ctx.strokeStyle = needsYou > 0 ? palette.warn : palette.line;
  ctx.lineWidth = 1;
  ctx.stroke();
  const colour = needsYou > 0 ? palette.warn : failed > 0 ? palette.bad : palette.textDim;
  putText(frame, text.text, { ...box, x: x + 7, w: text.width + 1 }, { font, colour });
}

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
