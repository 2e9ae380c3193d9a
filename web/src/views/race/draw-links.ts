import type { EvidenceRank } from '../../../../src/core/index.ts';
import type { Lane } from './block.ts';
import { factsOf, positionOf } from './facts.ts';
import type { Frame } from './frame.ts';
import { type Box, bandOf, carSize, noseAt, type Span } from './geometry.ts';
import type { PlacedBlock } from './layout.ts';
import { colourOf } from './palette.ts';

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
