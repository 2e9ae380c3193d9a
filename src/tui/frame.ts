import { type FeedSource, type LiveSnapshot, PLAIN, type WatchView } from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { cellsOf } from './cells.ts';
import { formatColumns, isNarrow, MARGIN, type PlacedColumn, placeColumns, spanOf } from './columns.ts';
import { formatEmpty } from './empty.ts';
import { fill, fitTo, padTo } from './fit.ts';
import { formatFooter, HELP_FOOTER } from './footer.ts';
import { formatHeader } from './header.ts';
import { formatHelp, notesOf } from './help.ts';
import type { WatchPaint } from './paint.ts';
import type { WatchRow } from './rows.ts';

export interface FrameOptions {
  readonly size: Size;
  readonly now: number;
  readonly paint: WatchPaint;
  readonly source: FeedSource;
  readonly version: string;
  /** Only this session was asked for. */
  readonly session?: string;
}

/** The whole screen: exactly as many lines as it has rows, none wider than it. */
export function formatFrame(
  picture: LiveSnapshot | undefined,
  rows: readonly WatchRow[],
  view: WatchView,
  options: FrameOptions,
): readonly string[] {
  const { size, paint } = options;
  const { header, titles, body, footer } = planOf(size);
  const content = view.showsHelp
    ? formatHelp(picture, options, size.columns, paint)
    : rows.length === 0
      ? formatEmpty(picture, view, options, paint)
      : formatBody(picture, rows, view, body, options);
  const isTable = !view.showsHelp && rows.length > 0;
  const lines = [
    ...(header ? [formatHeader(picture, options, size.columns, paint)] : []),
    ...(titles ? [isTable ? formatTitles(outOfSight(rows, view, body), size.columns, paint) : ''] : []),
    ...fill(content, body),
    ...(footer ? [view.showsHelp ? HELP_FOOTER : formatFooter(view, size.columns, paint)] : []),
  ];
  return lines.map((line) => fitTo(line, size.columns));
}

/** How the rows of the screen are shared out. The rows of the tree come first. */
export function planOf({ rows }: Size): {
  readonly header: boolean;
  readonly titles: boolean;
  readonly body: number;
  readonly footer: boolean;
} {
  const header = rows >= 2;
  const footer = rows >= 3;
  const titles = rows >= 8;
  return { header, titles, footer, body: rows - Number(header) - Number(footer) - Number(titles) };
}

function formatTitles(more: string, columns: number, paint: WatchPaint): string {
  const titles = Object.fromEntries(
    placeColumns(columns).map(({ name }) => [name, { text: name === 'output' ? 'out' : name, paint: paint.dim }]),
  );
  const agent = { text: `agent${more}`, paint: (text: string) => paint.dim(text.slice(0, 5)) + text.slice(5) };
  return ' '.repeat(MARGIN) + formatColumns(placeColumns(columns), { ...titles, agent });
}

/** How many rows there are above and below the window. */
function outOfSight(rows: readonly WatchRow[], { top }: WatchView, height: number): string {
  const below = rows.length - top - height;
  return `${top > 0 ? `  ↑ ${top}` : ''}${below > 0 ? `  ↓ ${below}` : ''}`;
}

function formatBody(
  picture: LiveSnapshot | undefined,
  rows: readonly WatchRow[],
  view: WatchView,
  height: number,
  options: FrameOptions,
): readonly string[] {
  const columns = placeColumns(options.size.columns);
  const lines = rows.slice(view.top, view.top + height).map((row) => formatRow(row, columns, view, options));
  // Below the last row, where nothing else wants the room.
  const notes = picture ? ['', ...notesOf(picture)] : [];
  return [...lines, ...notes.map((note) => options.paint.dim(` ${note}`))];
}

function formatRow(
  row: WatchRow,
  columns: readonly PlacedColumn[],
  view: WatchView,
  { size, now, paint }: FrameOptions,
): string {
  const isSelected = row.key === view.selected;
  const cells = cellsOf(row, {
    // One bar, not a patchwork of the colours of its cells.
    paint: isSelected ? PLAIN : paint,
    now,
    headWidth: spanOf(columns, ['agent', 'doing', 'type']),
    isNarrow: isNarrow(size.columns),
    isMarkOnly: columns[0]?.width === 1,
    hasLast: columns.some(({ name }) => name === 'last'),
  });
  const line = formatColumns(columns, cells);
  return isSelected ? paint.bar(fitTo(padTo(`›${line}`, size.columns), size.columns)) : ` ${line}`;
}
