// A terminal as small as possible: it applies what we write to a grid, and refuses whatever we never meant to write.

import { widthOf } from '../../core/index.ts';
import type { Size } from '../../lib/screen.ts';

export interface Emulator {
  write(text: string): void;
  resize(size: Size): void;
  size(): Size;
  /** What a person sees, row by row. */
  lines(): readonly string[];
  /** One row, cell by cell. */
  cells(row: number): readonly string[];
  /** Of the row: whether its first cell is shown reversed. */
  isReversed(row: number): boolean;
  /** Modes that are switched on, by number. */
  modes(): ReadonlySet<number>;
  /** Characters that had no room in their row. */
  overflows(): number;
}

const TOKENS = /\u001b\[([?]?)([0-9;]*)([A-Za-z])|([^\u001b]+)|([\s\S])/gu;
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** As a terminal is found: the cursor is shown, and lines wrap. */
const FIRST_MODES = [7, 25];

interface Cell {
  readonly text: string;
  readonly reversed: boolean;
}

const EMPTY: Cell = { text: ' ', reversed: false };

/** `measure`: terminals do not agree on widths. */
export function createEmulator(first: Size, measure: (grapheme: string) => number = widthOf): Emulator {
  let size = first;
  let grid = blank(size);
  let row = 0;
  let column = 0;
  let reversed = false;
  let overflows = 0;
  const modes = new Set(FIRST_MODES);

  const put = (text: string): void => {
    const width = measure(text);
    if (width === 0) return;
    const cells = grid[row];
    if (!cells || column + width > size.columns) {
      overflows++;
      return;
    }
    for (let at = column; at < column + width; at++) takeApart(cells, at);
    cells[column] = { text, reversed };
    for (let at = 1; at < width; at++) cells[column + at] = { text: '', reversed };
    column += width;
  };
  const control = (isPrivate: boolean, parameters: string, final: string): void => {
    const [one = 0, two = 0] = parameters.split(';').map(Number);
    if (isPrivate && final === 'h') modes.add(one);
    else if (isPrivate && final === 'l') modes.delete(one);
    else if (final === 'H') [row, column] = [Math.max(1, one) - 1, Math.max(1, two) - 1];
    else if (final === 'G') column = Math.max(1, one) - 1;
    else if (final === 'K') erase(grid[row], one === 2 ? 0 : Math.min(column, size.columns - 1));
    else if (final === 'J' && one === 2) grid = blank(size);
    else if (final === 'm') {
      if (one === 7) reversed = true;
      if (one === 0 || one === 27) reversed = false;
    } else throw new Error(`a sequence nobody meant to write: ${parameters}${final}`);
  };
  return {
    write(text) {
      for (const [, isPrivate = '', parameters = '', final, plain, other] of text.matchAll(TOKENS)) {
        if (final !== undefined) control(isPrivate === '?', parameters, final);
        else if (plain === undefined || FORBIDDEN.test(plain))
          throw new Error(`not for a terminal: ${JSON.stringify(plain ?? other)}`);
        else for (const { segment } of segmenter.segment(plain)) put(segment);
      }
    },
    resize(next) {
      // Terminals reflow, cut or keep: whatever they do, it is not what we left there.
      size = next;
      grid = blank(size).map((cells) => cells.map(() => ({ text: '#', reversed: false })));
    },
    size: () => size,
    lines: () =>
      grid.map((cells) =>
        cells
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      ),
    cells: (at) => (grid[at] ?? []).map(({ text }) => text),
    isReversed: (at) => grid[at]?.[0]?.reversed === true,
    modes: () => modes,
    overflows: () => overflows,
  };
}

function blank({ columns, rows }: Size): Cell[][] {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => EMPTY));
}

function erase(cells: Cell[] | undefined, from: number): void {
  if (!cells) return;
  takeApart(cells, from);
  cells.fill(EMPTY, from);
}

/** Half of a wide character is nothing. */
function takeApart(cells: Cell[], at: number): void {
  if (cells[at]?.text === '') {
    let start = at;
    while (cells[start]?.text === '') cells[start--] = EMPTY;
    cells[start] = EMPTY;
  }
  for (let next = at + 1; cells[next]?.text === ''; next++) cells[next] = EMPTY;
}
