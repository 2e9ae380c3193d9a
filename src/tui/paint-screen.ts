import type { Size } from '../lib/screen.ts';
import { encodeLine } from './encode-line.ts';

/** Between these two, a terminal that knows them shows nothing: it then shows everything at once. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const PLAIN_COLOURS = '\u001b[0m';
const ERASE_REST = '\u001b[K';
const ERASE_LINE = '\u001b[2K';

export interface ScreenPainter {
  /** As many lines as the screen has rows. Only those that are not what is there already are written. */
  paint(lines: readonly string[], size: Size): void;
  /** What is on the screen is not what we left there: the next frame is written whole. */
  forget(): void;
}

export function createScreenPainter(write: (text: string) => void): ScreenPainter {
  let shown: readonly string[] = [];
  let columns = 0;
  return {
    paint(lines, size) {
      if (size.columns !== columns || size.rows !== shown.length) shown = [];
      columns = size.columns;
      const changed = lines.flatMap((line, row) => (line === shown[row] ? [] : writeLine(line, row, columns)));
      shown = lines;
      if (changed.length > 0) write(`${BEGIN}${changed.join('')}${END}`);
    },
    forget() {
      shown = [];
    },
  };
}

function writeLine(line: string, row: number, columns: number): string {
  const { bytes, width, hasWide } = encodeLine(line, columns);
  const start = `\u001b[${row + 1};1H${PLAIN_COLOURS}`;
  if (hasWide) return `${start}${ERASE_LINE}${bytes}${PLAIN_COLOURS}`;
  // Behind a full line the cursor stands on its last character: to erase from there would take that one away.
  return `${start}${bytes}${PLAIN_COLOURS}${width < columns ? ERASE_REST : ''}`;
}
