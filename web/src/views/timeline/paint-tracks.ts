import { PLAIN, paintMark, standingOf } from '../../../../src/core/index.ts';
import { type Colours, colourOf } from './colours.ts';
import { type Link, linksIn, type Row } from './rows.ts';
import type { Tick } from './timeline-state.ts';
import { type Bars, type CallMark, firstFrom, type Span, weightOf } from './track.ts';

interface Tracks {
  readonly rows: readonly Row[];
  readonly first: number;
  readonly last: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
  readonly ticks: readonly Tick[];
  /** Row and call that are pointed at. */
  readonly spot: { readonly row: number; readonly mark: CallMark | undefined } | undefined;
  readonly selected: string | undefined;
  readonly replayAt: number | undefined;
  readonly brush: Span | undefined;
}

/** Everything that is in sight, from the ground up. */
export function paintTracks(sheet: Sheet, tracks: Tracks): void {
  const { pen, width, colours } = sheet;
  const { rows, first, last, rowHeight, scrollTop, height, spot } = tracks;
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = colours.sunken;
  const marked = [spot?.row, rows.findIndex(({ agent }) => agent.id === tracks.selected)];
  for (const row of marked)
    if (row !== undefined && row >= 0) pen.fillRect(0, row * rowHeight - scrollTop, width, rowHeight);
  paintGrid(sheet, tracks);
  for (const link of linksIn(rows, first, last)) paintLink(sheet, tracks, link);
  for (let index = first; index <= last; index++) {
    const row = rows[index];
    if (row) paintRow(sheet, row, index * rowHeight - scrollTop);
  }
  if (spot?.mark) paintSpot(sheet, tracks, spot.row, spot.mark);
  paintMoment(sheet, tracks);
  paintBrush(sheet, tracks);
}

function paintGrid(
  { pen, colours, x, width }: Sheet,
  { ticks, height, first, last, rowHeight, scrollTop }: Tracks,
): void {
  pen.globalAlpha = 0.7;
  pen.fillStyle = colours.line;
  for (const { at } of ticks) pen.fillRect(Math.round(x(at)), 0, 1, height);
  pen.globalAlpha = 0.5;
  for (let row = first; row <= last; row++) pen.fillRect(0, (row + 1) * rowHeight - scrollTop - 1, width, 1);
  pen.globalAlpha = 1;
}

const DASHES = { exact: [], strong: [4, 3], guess: [1, 3], none: [1, 3] } as const;

/** Down to who was asked; back up with the answer. */
function paintLink({ pen, colours, x, width }: Sheet, tracks: Tracks, { at, parent, child, kind }: Link): void {
  const left = Math.round(x(at)) + 0.5;
  const agent = tracks.rows[child]?.agent;
  if (left < 0 || left > width || !agent) return;
  const middle = (row: number): number => row * tracks.rowHeight - tracks.scrollTop + BAR.top + BAR.height / 2;
  const [top, bottom] = [middle(parent), middle(child)];
  const isMarked = agent.id === tracks.selected || tracks.spot?.row === child;
  pen.strokeStyle = pen.fillStyle = colourOf(colours, agent.hue);
  pen.globalAlpha = isMarked ? 0.95 : kind === 'spawn' ? 0.5 : 0.28;
  pen.lineWidth = isMarked ? 2 : 1;
  pen.setLineDash([...DASHES[agent.evidence?.rank ?? 'exact']]);
  strokeLine(pen, left, top, left, bottom);
  pen.setLineDash([]);
  if (kind === 'spawn') paintHead(pen, left, bottom - BAR.height / 2, 1);
  else paintHead(pen, left, top + BAR.height / 2, -1);
  pen.globalAlpha = 1;
}

function paintHead(pen: CanvasRenderingContext2D, x: number, tip: number, direction: 1 | -1): void {
  pen.beginPath();
  pen.moveTo(x, tip);
  pen.lineTo(x - 3, tip - 5 * direction);
  pen.lineTo(x + 3, tip - 5 * direction);
  pen.fill();
}

function paintSpot({ pen, colours, x, width }: Sheet, tracks: Tracks, row: number, mark: CallMark): void {
  const end = mark.to ?? tracks.rows[row]?.bars.runs.at(-1)?.to ?? mark.from;
  const [left, right] = [Math.max(-4, x(mark.from)), Math.min(width + 4, x(end))];
  pen.strokeStyle = colours.text;
  pen.lineWidth = 2;
  const top = row * tracks.rowHeight - tracks.scrollTop + BAR.top;
  pen.strokeRect(left - 2, top - 2, Math.max(2, right - left) + 4, BAR.height + 4);
}

/** What comes after the replayed moment has not happened yet. */
function paintMoment({ pen, colours, x, width }: Sheet, { replayAt, height }: Tracks): void {
  if (replayAt === undefined) return;
  const left = Math.max(0, x(replayAt));
  pen.fillStyle = colours.ground;
  pen.globalAlpha = 0.6;
  pen.fillRect(left, 0, width - left, height);
  pen.globalAlpha = 1;
  pen.fillStyle = colours.accent;
  if (x(replayAt) >= 0) pen.fillRect(Math.round(left) - 1, 0, 2, height);
}

function paintBrush({ pen, colours, x }: Sheet, { brush, height }: Tracks): void {
  if (!brush) return;
  pen.fillStyle = colours.accent;
  pen.globalAlpha = 0.14;
  pen.fillRect(x(brush.from), 0, x(brush.to) - x(brush.from), height);
  pen.globalAlpha = 1;
  pen.fillRect(x(brush.from), 0, 1, height);
  pen.fillRect(x(brush.to) - 1, 0, 1, height);
}

/** The sheet that is drawn on, and how times become places on it. */
interface Sheet {
  readonly pen: CanvasRenderingContext2D;
  readonly colours: Colours;
  readonly window: Span;
  readonly width: number;
  readonly x: (at: number) => number;
}

const BAR = { top: 6, height: 16 } as const;
const LEAST_WIDTH = 2;
const LEAST_HEIGHT = 5;
/** Room for the mark at the end of a row. */
const MARK_PX = 14;

function paintRow(sheet: Sheet, row: Row, y: number): void {
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

function strokeLine(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}
