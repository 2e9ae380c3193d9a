import { plural } from '../../../../src/core/index.ts';
import type { Look } from './dirty.ts';
import { drawGhost, drawGround, drawLane } from './draw-lane.ts';
import { drawLinks } from './draw-links.ts';
import { type Frame, putText } from './frame.ts';
import { boxesOf, type Span } from './geometry.ts';
import { EARLIER, isChipRow, laneOfRow } from './rows.ts';
import type { Ghost } from './traffic.ts';

/** A picture of what is in sight. */
export function drawFrame(frame: Frame, looks: readonly Look[], ghosts: readonly Ghost[]): void {
  const { ctx, columns, scrollTop, viewHeight } = frame;
  ctx.clearRect(0, 0, columns.width, viewHeight);
  ctx.save();
  ctx.translate(0, -scrollTop);
  drawLanes(frame, looks, ghosts, { from: scrollTop, to: scrollTop + viewHeight });
  drawEarlier(frame);
  drawFocus(frame);
  ctx.restore();
}

/** Some lanes of it anew; the others stay as they are. */
export function redrawLanes(frame: Frame, looks: readonly Look[]): void {
  const { ctx, columns, scrollTop } = frame;
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last) return;
  ctx.save();
  ctx.translate(0, -scrollTop);
  ctx.beginPath();
  for (const { lane, car } of looks) ctx.rect(0, car.y, columns.width, lane.height);
  ctx.clip();
  for (const { lane, car } of looks) ctx.clearRect(0, car.y, columns.width, lane.height);
  drawLanes(frame, looks, [], { from: first.car.y, to: last.car.y + last.lane.height });
  drawFocus(frame);
  ctx.restore();
}

function drawLanes(frame: Frame, looks: readonly Look[], ghosts: readonly Ghost[], span: Span): void {
  for (const { lane, car } of looks) drawGround(frame, lane, car);
  for (const placed of frame.layout.blocks)
    if (placed.top <= span.to && placed.top + placed.block.height >= span.from) drawLinks(frame, placed, span);
  for (const { lane, car } of ghosts) drawGhost(frame, lane, car);
  for (const { lane, car } of looks) drawLane(frame, lane, car);
}

function drawEarlier(frame: Frame): void {
  const { ctx, palette, columns, layout, pointers } = frame;
  const { earlier } = layout;
  if (!earlier) return;
  ctx.fillStyle = palette.line;
  ctx.fillRect(12, earlier.y, columns.width - 24, 1);
  const text = `${earlier.isOpen ? '▾' : '▸'} ${plural(earlier.count, 'earlier session')}`;
  const box = { x: 12, y: earlier.y, w: columns.width - 24, h: earlier.height };
  const colour = pointers.hovered === EARLIER ? palette.text : palette.textDim;
  putText(frame, text, box, { font: palette.small, colour });
}

function drawFocus(frame: Frame): void {
  const { ctx, palette, columns, layout, pointers } = frame;
  if (pointers.focused === undefined) return;
  const box = focusBox();
  if (!box) return;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, 6);
  ctx.strokeStyle = palette.focus;
  ctx.lineWidth = 2;
  ctx.stroke();

  function focusBox() {
    const row = pointers.focused ?? '';
    const { earlier } = layout;
    if (row === EARLIER) return earlier && { x: 3, y: earlier.y + 2, w: columns.width - 6, h: earlier.height - 4 };
    const place = layout.places.get(laneOfRow(row));
    if (!place) return undefined;
    const y = frame.carOf(place.lane.key)?.y ?? place.y;
    if (isChipRow(row)) return boxesOf(columns, place.lane, y).chip;
    return { x: 3, y: y + 1, w: columns.width - 6, h: place.lane.height - 2 };
  }
}
