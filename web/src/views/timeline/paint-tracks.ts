import { colourOf } from './colours.ts';
import { BAR, paintRow, type Sheet, strokeLine } from './paint-row.ts';
import { type Link, linksIn, type Row } from './rows.ts';
import type { Tick } from './time-window.ts';
import type { CallMark, Span } from './track.ts';

export interface Tracks {
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
