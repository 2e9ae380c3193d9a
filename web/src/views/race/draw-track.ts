import type { EvidenceRank } from '../../../../src/core/index.ts';
import type { Lane } from './block.ts';
import { type Facts, factsOf, type Position, positionOf, sayingOf } from './facts.ts';
import { type Frame, putText } from './frame.ts';
import { type Box, bandOf, type CarSize, carSize, FLAG, noseAt, roomFor, type Side, type Span } from './geometry.ts';
import type { PlacedBlock } from './layout.ts';
import { colourOf, type Palette } from './palette.ts';

export const MARKS = [0.25, 0.5, 0.75] as const;

/** How strongly the way behind a car shows its colour. */
const USED_ALPHA = 0.14;

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

/** As sure as the line looks: solid is certain, dashed strong, dotted a guess. Of orphans nothing is known. */
const DASHES: Readonly<Record<Exclude<EvidenceRank, 'none'>, readonly number[]>> = {
  exact: [],
  strong: [5, 3],
  guess: [1.5, 2.5],
};

/** Lines from the point in a parent's lane where it asked for a sub-agent, down to the lane of that one. */
export function drawLinks(frame: Frame, { block, top }: PlacedBlock, span: Span): void {
  for (const family of block.families) {
    const parent = block.lanes[family.parent];
    const last = block.lanes[family.children.at(-1) ?? -1];
    if (!parent || !last || top + parent.y > span.to || top + last.y + last.height < span.from) continue;
    const above = bandOf(frame.columns, parent, frame.carOf(parent.key)?.y ?? top + parent.y);
    const trunks = new Map<number, Trunk>();
    for (const at of family.children) {
      const child = block.lanes[at];
      if (!child || top + child.y + child.height < span.from) continue;
      drawLink(frame, { parent, above, child, childTop: frame.carOf(child.key)?.y ?? top + child.y }, trunks, span);
    }
    for (const trunk of trunks.values()) drawTrunk(frame, trunk, above.y + above.h, span);
  }
}

interface Link {
  readonly parent: Lane;
  readonly above: Box;
  readonly child: Lane;
  readonly childTop: number;
}

/** Those asked for at the same point, and known as well, share a trunk. */
interface Trunk {
  readonly x: number;
  readonly to: number;
  readonly dash: readonly number[];
}

function drawLink(
  frame: Frame,
  { parent, above, child, childTop }: Link,
  trunks: Map<number, Trunk>,
  span: Span,
): void {
  const { ctx, palette, columns } = frame;
  const rank = child.agent.evidence?.rank ?? 'none';
  if (rank === 'none') return;
  const dash = DASHES[rank];
  const spawn = spawnPoint(frame, child, parent, above);
  // Where nobody saw it the line comes from the start. Where names stand above the tracks, too: it would cross them.
  const x = Math.round(columns.isStacked || spawn === undefined ? above.x + 5 : spawn) + 0.5;
  const band = bandOf(columns, child, childTop);
  const isBranch = x < band.x;
  const to = Math.round(isBranch ? band.y + band.h / 2 : band.y) + 0.5;
  const name = x * 8 + dash.length + (dash[0] ?? 0);
  if ((trunks.get(name)?.to ?? Number.NEGATIVE_INFINITY) < to) trunks.set(name, { x, to, dash });
  if (isBranch && to <= span.to) drawLine(frame, dash, [x, to], [band.x, to]);
  if (spawn === undefined) return;
  // A notch at the lower edge of the parent's track, in the colour of the child.
  ctx.fillStyle = colourOf(palette, child.agent.hue);
  ctx.fillRect(Math.round(spawn) - 1, above.y + above.h - 5, 3, 5);
}

function spawnPoint({ tracesOf }: Frame, lane: Lane, parent: Lane, band: Box): number | undefined {
  const tokens = tracesOf(lane).spawnedAt;
  if (tokens === undefined) return undefined;
  const window = factsOf(parent.agent).position.kind === 'open' ? null : parent.agent.contextWindow;
  return noseAt(band, positionOf(tokens, window).share, carSize(parent.depth));
}

function drawTrunk(frame: Frame, { x, to, dash }: Trunk, from: number, span: Span): void {
  // Dashes begin at the start of a line: it must not depend on what is drawn of it.
  const start = dash.length > 0 ? from : Math.max(from, span.from - 1);
  drawLine(frame, dash, [x, start], [x, Math.min(to, span.to + 1)]);
}

type Point = readonly [x: number, y: number];

function drawLine({ ctx, palette }: Frame, dash: readonly number[], from: Point, to: Point): void {
  ctx.lineWidth = 1;
  ctx.strokeStyle = palette.lineStrong;
  if (dash.length > 0) ctx.setLineDash([...dash]);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  if (dash.length > 0) ctx.setLineDash([]);
}
