import { cutTo, widthOf } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** May be cut down to this many columns of the terminal. */
  readonly shrinkTo?: number;
  /** Where the line is still too long: left out, the smallest number first. */
  readonly dropOrder?: number;
}

/** A cell: its text, and how it is painted once it has its width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';

/**
 * Aligned columns; one without any text is left out. With a width, columns shrink and then drop, so that no line wraps;
 * without one (piped), nothing is cut.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: { readonly width?: number; readonly header: (text: string) => string },
): readonly string[] {
  const widest = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index]?.text ?? ''))),
  );
  const filled = columns.map((_column, index) => index).filter((index) => rows.some((row) => row[index]?.text));
  const layout = layOut(columns, widest, filled, options.width);
  const line = (cells: readonly Cell[]): string =>
    [...layout]
      .map(([index, width]) => formatCell(cells[index] ?? { text: '' }, width, columns[index]?.align))
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ title }) => ({ text: title, paint: options.header }))), ...rows.map(line)];
}

/** Cut or filled up to its width, then painted: colours must not count as text. */
export function formatCell({ text, paint = (whole) => whole }: Cell, width: number, align: Column['align']): string {
  const cut = cutTo(text, width);
  const space = ' '.repeat(Math.max(0, width - widthOf(cut)));
  return align === 'right' ? space + paint(cut) : paint(cut) + space;
}

/** Which columns are shown, and how wide. */
function layOut(
  columns: readonly Column[],
  widest: readonly number[],
  shown: readonly number[],
  available: number | undefined,
): ReadonlyMap<number, number> {
  const widths = new Map(shown.map((index) => [index, widest[index] ?? 0]));
  if (available === undefined) return widths;
  const excess = (): number =>
    [...widths.values()].reduce((sum, width) => sum + width + GAP.length, -GAP.length) - available;
  while (excess() > 0) {
    const shrinkable = [...widths].filter(([index, width]) => width > (columns[index]?.shrinkTo ?? width));
    const [index, width] = shrinkable.reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0]);
    if (index === -1) break;
    widths.set(index, width - 1);
  }
  if (excess() <= 0) return widths;
  const droppable = shown.filter((index) => columns[index]?.dropOrder !== undefined);
  const first = droppable.sort((a, b) => (columns[a]?.dropOrder ?? 0) - (columns[b]?.dropOrder ?? 0))[0];
  return first === undefined
    ? widths
    : layOut(
        columns,
        widest,
        shown.filter((index) => index !== first),
        available,
      );
}
