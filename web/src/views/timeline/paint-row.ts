import { PLAIN, paintMark, standingOf } from '../../../../src/core/index.ts';
import { type Colours, colourOf } from './colours.ts';
import { firstFrom } from './hit.ts';
import type { Row } from './rows.ts';
import { type Bars, type CallMark, type Span, weightOf } from './track.ts';

/** The sheet that is drawn on, and how times become places on it. */
export interface Sheet {
  readonly pen: CanvasRenderingContext2D;
  readonly colours: Colours;
  readonly window: Span;
  readonly width: number;
  readonly x: (at: number) => number;
}

export const BAR = { top: 6, height: 16 } as const;
const LEAST_WIDTH = 2;
const LEAST_HEIGHT = 5;
/** Room for the mark at the end of a row. */
const MARK_PX = 14;

export function paintRow(sheet: Sheet, row: Row, y: number): void {
  const { pen, colours } = sheet;
  const hue = colourOf(colours, row.agent.hue);
  for (const piece of row.bars.pieces) paintRun(sheet, piece, hue, y);
  for (const run of row.bars.runs) paintEdges(sheet, run, hue, y);
  for (const silence of row.bars.silences) paintSilence(sheet, silence, hue, y);
  for (const wait of row.bars.waits) paintWait(sheet, wait, wait.on === 'child' ? hue : colours.warn, y);
  paintCalls(sheet, row, hue, y);
  for (const { at } of row.track.compactions) paintCompaction(sheet, at, y);
  paintEnd(sheet, row, y);
  pen.globalAlpha = 1;
}

function paintRun({ pen, x, width }: Sheet, { from, to }: Span, hue: string, y: number): void {
  const [left, right] = [Math.max(-2, x(from)), Math.min(width + 2, x(to))];
  if (right < 0 || left > width) return;
  const length = Math.max(LEAST_WIDTH, right - left);
  pen.fillStyle = hue;
  pen.globalAlpha = 0.16;
  pen.fillRect(left, y + BAR.top, length, BAR.height);
  pen.globalAlpha = 0.7;
  pen.fillRect(left, y + BAR.top + BAR.height - 1, length, 1);
}

/** Where it was set to work, and where it ended. */
function paintEdges({ pen, x }: Sheet, { from, to, isOpen }: Bars['runs'][number], hue: string, y: number): void {
  pen.fillStyle = hue;
  pen.globalAlpha = 0.7;
  pen.fillRect(x(from), y + BAR.top, 1.5, BAR.height);
  if (!isOpen) pen.fillRect(x(to) - 1, y + BAR.top, 1, BAR.height);
}

function paintSilence({ pen, x, width }: Sheet, { from, to }: Span, hue: string, y: number): void {
  const [left, right] = [Math.max(0, x(from)), Math.min(width, x(to))];
  if (right - left < 3) return;
  pen.globalAlpha = 0.6;
  pen.strokeStyle = hue;
  pen.lineWidth = 1;
  pen.setLineDash([1, 4]);
  strokeLine(pen, left + 1, y + BAR.top + BAR.height / 2, right - 1, y + BAR.top + BAR.height / 2);
  pen.setLineDash([]);
}

const HATCH_PX = 5;

/** Slanted lines at fixed places of the sheet, so that stretches side by side look like one. */
function paintWait({ pen, x, width }: Sheet, { from, to }: Span, colour: string, y: number): void {
  const [left, right] = [Math.max(0, x(from)), Math.min(width, x(to))];
  if (right - left < 2) return;
  const [top, bottom] = [y + BAR.top + 1, y + BAR.top + BAR.height - 1];
  pen.save();
  pen.beginPath();
  pen.rect(left, top, right - left, bottom - top);
  pen.clip();
  pen.globalAlpha = 0.55;
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let at = Math.floor((left - BAR.height) / HATCH_PX) * HATCH_PX; at < right; at += HATCH_PX) {
    pen.moveTo(at, bottom);
    pen.lineTo(at + BAR.height, bottom - BAR.height);
  }
  pen.stroke();
  pen.restore();
}

function paintCalls({ pen, x, width, window, colours }: Sheet, row: Row, hue: string, y: number): void {
  const { calls, longestMs } = row.track;
  const rowEnd = row.bars.runs.at(-1)?.to ?? window.to;
  const bottom = y + BAR.top + BAR.height;
  pen.globalAlpha = 0.85;
  let [lastX, lastHeight] = [Number.NEGATIVE_INFINITY, 0];
  for (let index = firstFrom(calls, window.from - longestMs - 1); index < calls.length; index++) {
    const mark = calls[index];
    if (!mark || mark.from > window.to) break;
    const left = x(mark.from);
    const height = heightOf(mark, rowEnd);
    const isBad = mark.call.outcome === 'error' || mark.call.outcome === 'refused';
    // Thousands in one pixel look like the highest of them.
    if (left - lastX < 0.7 && height <= lastHeight && !isBad) continue;
    [lastX, lastHeight] = [left, height];
    const right = mark.call.spawned === null ? x(mark.to ?? rowEnd) : left + LEAST_WIDTH;
    const length = Math.min(width + 2, right) - Math.max(-2, left);
    pen.fillStyle = isBad ? colours.bad : hue;
    pen.fillRect(Math.max(-2, left), bottom - height, Math.max(LEAST_WIDTH, length - (length > 4 ? 1 : 0)), height);
    if (isBad) paintCross(pen, left + 1, y + 3, colours.bad);
  }
}

/** By how long it took, from a third of the bar to all of it. */
function heightOf({ from, to, call }: CallMark, rowEnd: number): number {
  if (call.spawned !== null) return BAR.height;
  return LEAST_HEIGHT + Math.round(weightOf((to ?? rowEnd) - from) * (BAR.height - LEAST_HEIGHT));
}

function paintCross(pen: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.25;
  strokeLine(pen, x - 2, y - 2, x + 2, y + 2);
  strokeLine(pen, x - 2, y + 2, x + 2, y - 2);
}

/** The context shrinks: two arrowheads that meet. */
function paintCompaction({ pen, x, width, colours }: Sheet, at: number, y: number): void {
  const middle = x(at);
  if (middle < -8 || middle > width + 8) return;
  const height = y + BAR.top + BAR.height / 2;
  pen.globalAlpha = 1;
  pen.fillStyle = colours.text;
  pen.strokeStyle = colours.ground;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const side of [-1, 1]) {
    pen.moveTo(middle, height);
    pen.lineTo(middle + 6 * side, height - 5);
    pen.lineTo(middle + 6 * side, height + 5);
    pen.closePath();
  }
  pen.stroke();
  pen.fill();
}

/** How it ended, or how it stands, behind its last run. */
function paintEnd({ pen, x, width, colours }: Sheet, { agent, bars }: Row, y: number): void {
  const last = bars.runs.at(-1);
  if (!last) return;
  const end = x(last.to);
  // Where there is no room, the mark before its name has to do.
  const left = end + 5;
  if (left < 0 || left + MARK_PX > width) return;
  const standing = standingOf(agent);
  const loud = { failed: colours.bad, 'needs you': colours.warn, silent: colours.warn, running: colours.good } as const;
  pen.globalAlpha = 1;
  pen.fillStyle = (loud as Readonly<Record<string, string>>)[standing] ?? colours.dim;
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  pen.fillText(paintMark(standing, PLAIN), left, y + BAR.top + BAR.height / 2 + 0.5);
}

export function strokeLine(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}
