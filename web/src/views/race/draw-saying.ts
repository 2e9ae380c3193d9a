import type { Lane } from './block.ts';
import { USED_ALPHA } from './draw-track.ts';
import { type Facts, sayingOf } from './facts.ts';
import { type Frame, putText } from './frame.ts';
import { type Box, type CarSize, FLAG, roomFor, type Side, type Span } from './geometry.ts';
import type { Palette } from './palette.ts';

const GAP = 6;
const HEIGHT = 18;
/** With less room than this a model badge would leave nothing for what matters. */
const BADGE_NEEDS = 150;
/** With less room than this the first words of a long wait would not say what it is about. */
const SHORT = 150;
const OTHER: Readonly<Record<Side, Side>> = { ahead: 'behind', behind: 'ahead' };

interface Place {
  readonly band: Box;
  readonly size: CarSize;
  readonly nose: number;
  /** Things on the track that text keeps clear of. */
  readonly obstacles: readonly Span[];
  readonly colour: string;
}

/** On one side of the car what it does, waits for or died of; on the other its model, if there is room. */
export function drawSaying(frame: Frame, lane: Lane, facts: Facts, place: Place): void {
  const { palette, cut } = frame;
  const side = frame.sideOf(lane.key);
  const look = lookOf(facts, palette);
  const said = sayingOf(lane.agent, frame.now);
  const saying = facts.standing === 'running' ? said : `${facts.mark} ${said}`;
  const badge = cut(facts.model, palette.small, 110);
  const badgeWidth = badge.text === '' ? 0 : badge.width + 10;
  const padding = look.bubble ? 8 : 0;
  const wanted = Math.min(BADGE_NEEDS, cut(saying, look.font, 400).width + 2 * padding);
  const room = roomFor(rangeOf(place, side), side, place.obstacles, wanted);
  const other = roomFor(rangeOf(place, OTHER[side]), OTHER[side], place.obstacles, badgeWidth);
  const isOther = widthOf(other) >= badgeWidth;
  const isBadged = badgeWidth > 0 && (isOther || widthOf(room) >= BADGE_NEEDS || saying === '');
  if (isBadged) {
    const w = badgeWidth;
    drawBadge(frame, isOther ? boxIn(other, OTHER[side], place.band, w) : boxIn(room, side, place.band, w), badge.text);
  }
  const taken = isBadged && !isOther ? badgeWidth + GAP : 0;
  const rest = side === 'ahead' ? { ...room, from: room.from + taken } : { ...room, to: room.to - taken };
  const free = Math.max(0, widthOf(rest) - 2 * padding);
  const text = cut(
    facts.standing === 'needs you' && free < SHORT ? `${facts.mark} needs you` : saying,
    look.font,
    free,
  );
  if (text.text === '') return;
  const box = boxIn(rest, side, place.band, text.width + 2 * padding);
  if (look.bubble) drawBubble(frame, box, side === 'ahead', look.bubble);
  else if (facts.position.kind !== 'open') clear(frame, box, side === 'behind' ? place.colour : undefined);
  putText(frame, text.text, { ...box, x: box.x + padding, w: text.width + 1 }, look);
}

function rangeOf({ band, size, nose }: Place, side: Side): Span {
  return side === 'ahead'
    ? { from: nose + 8, to: band.x + band.w - FLAG - 6 }
    : { from: band.x + 6, to: nose - size.length - size.trail - 6 };
}

function widthOf({ from, to }: Span): number {
  return to - from;
}

/** As near to the car as the room allows. */
function boxIn({ from, to }: Span, side: Side, band: Box, w: number): Box {
  return { x: side === 'ahead' ? from : to - w, y: band.y + (band.h - HEIGHT) / 2, w, h: HEIGHT };
}

interface Look {
  readonly font: string;
  readonly colour: string;
  readonly bubble: { readonly fill: string; readonly stroke: string } | undefined;
}

/** Loud only where somebody needs the person or something went wrong. */
function lookOf({ standing }: Facts, palette: Palette): Look {
  const { small, smallBold, text, textDim, warn, bad, warnGround, raised, line } = palette;
  switch (standing) {
    case 'needs you':
      return { font: smallBold, colour: warn, bubble: { fill: warnGround, stroke: warn } };
    case 'silent':
      return { font: smallBold, colour: warn, bubble: undefined };
    case 'failed':
      return { font: small, colour: bad, bubble: undefined };
    case 'waiting':
    case 'idle':
      return { font: small, colour: textDim, bubble: { fill: raised, stroke: line } };
    case 'running':
    case 'spawning':
      return { font: small, colour: text, bubble: undefined };
    default:
      return { font: small, colour: textDim, bubble: undefined };
  }
}

/** Marks and lines do not run through words. `tint`: of the way that the car has behind it. */
function clear({ ctx, palette }: Frame, { x, y, w, h }: Box, tint: string | undefined): void {
  ctx.fillStyle = palette.sunken;
  ctx.fillRect(x - 2, y, w + 4, h);
  if (tint === undefined) return;
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * USED_ALPHA;
  ctx.fillStyle = tint;
  ctx.fillRect(x - 2, y, w + 4, h);
  ctx.globalAlpha = alpha;
}

function drawBadge(frame: Frame, { x, y, w, h }: Box, model: string): void {
  const { ctx, palette } = frame;
  const box = { x, y: y + 1, w, h: h - 2 };
  ctx.beginPath();
  ctx.roundRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, 3);
  ctx.fillStyle = palette.raised;
  ctx.fill();
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  ctx.stroke();
  putText(frame, model, { ...box, x: box.x + 5, w: box.w - 9 }, { font: palette.small, colour: palette.textDim });
}

/** A rounded box with a tip that points to the car. */
function drawBubble(
  { ctx }: Frame,
  { x, y, w, h }: Box,
  isAhead: boolean,
  { fill, stroke }: { readonly fill: string; readonly stroke: string },
): void {
  const tip = isAhead ? x - 4 : x + w + 4;
  const side = isAhead ? x : x + w;
  ctx.beginPath();
  ctx.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, 8);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(side, y + h / 2 - 4);
  ctx.lineTo(tip, y + h / 2);
  ctx.lineTo(side, y + h / 2 + 4);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.stroke();
}
