import { cutTo, padEnd, padStart, widthOf } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Takes what is left over, and gives way first. At most this narrow. */
  readonly shrinkTo?: number;
}

/** A cell: its text, and how it is painted once it has its width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';

/** Aligned columns; one without any text is left out. With a width, the shrinking columns give way; without one (piped), nothing is cut. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: { readonly width?: number; readonly header?: (text: string) => string },
): readonly string[] {
  const shown = columns.map((_column, index) => rows.some((row) => row[index]?.text));
  const widths = columns.map((column, index) =>
    Math.max(options.header ? widthOf(column.title) : 0, ...rows.map((row) => widthOf(row[index]?.text ?? ''))),
  );
  const total = widths
    .filter((_width, index) => shown[index])
    .reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (options.width !== undefined) shrink(columns, widths, total - options.width);
  const line = (cells: readonly Cell[]): string =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? { text: '' };
        const width = widths[index] ?? 0;
        const text = cutTo(cell.text, width);
        const painted = cell.paint ? cell.paint(text) : text;
        const padding = (column.align === 'right' ? padStart : padEnd)(text, width).replace(text, () => painted);
        return shown[index] ? padding : undefined;
      })
      .filter((cell) => cell !== undefined)
      .join(GAP)
      .trimEnd();
  const header = options.header;
  const head = header ? [line(columns.map(({ title }) => ({ text: title, paint: header })))] : [];
  return [...head, ...rows.map(line)];
}

/** Takes `excess` columns from those that may shrink, the widest first. */
function shrink(columns: readonly Column[], widths: number[], excess: number): void {
  for (let left = excess; left > 0; left--) {
    let widest = -1;
    columns.forEach(({ shrinkTo }, index) => {
      const width = widths[index] ?? 0;
      if (shrinkTo !== undefined && width > shrinkTo && (widest === -1 || width > (widths[widest] ?? 0)))
        widest = index;
    });
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
