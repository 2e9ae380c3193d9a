import { type ColourDepth, createPaint, cutTo, type Paint, widthOf } from '../core/index.ts';
import type { Size } from '../lib/screen.ts';

export interface WatchPaint extends Paint {
  /** What is selected: a bar over the whole line. Without colours, a mark in the margin says it alone. */
  readonly bar: (text: string) => string;
}

export function createWatchPaint(depth: ColourDepth): WatchPaint {
  const bar = depth === 'none' ? (text: string) => text : (text: string) => `\u001b[7m${text}\u001b[27m`;
  return { ...createPaint(depth), bar };
}

const COLOURS = /\u001b\[[0-9;]*m/g;

export function withoutColours(line: string): string {
  return line.replace(COLOURS, '');
}

/** Cut to `columns`, colours not counted; what was switched on stays to be switched off. */
export function fitTo(line: string, columns: number): string {
  const text = withoutColours(line);
  if (widthOf(text) <= columns) return line;
  const kept = cutTo(text, columns).replace(/…$/, '');
  let result = '';
  let left = kept.length;
  let isCut = false;
  for (const [index, part] of line.split(PIECES).entries()) {
    // Every other part is what the text was split at.
    if (index % 2 === 1) result += part;
    else if (!isCut) {
      result += part.slice(0, left);
      if (part.length > left) {
        isCut = true;
        if (columns > 0) result += '…';
      }
      left -= Math.min(left, part.length);
    }
  }
  return result;
}

/** The left part, and at the right edge the other one, as far as there is room for both. */
export function spread(left: string, right: string, columns: number): string {
  const space = columns - widthOf(withoutColours(left)) - widthOf(withoutColours(right));
  return space < 2 ? fitTo(left, columns) : `${left}${' '.repeat(space)}${right}`;
}

export function padTo(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - widthOf(withoutColours(line))));
}

/** Exactly so many lines. */
export function fill(lines: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => lines[at] ?? '');
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const PIECES = /(\u001b\[[0-9;]*m)/;
const ASCII_ONLY = /^[\u0020-\u007e]*$/;
/** The last gate: nothing that could move the cursor or turn the text around, whoever forgot to take it out. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A line as the terminal gets it, never wider than `columns`. Terminals disagree about the width of many characters:
 * behind each such run we say where we are, so that one wrong guess does not move the rest of the line.
 */
function encodeLine(line: string, columns: number) {
  let bytes = '';
  let width = 0;
  let isUnsure = false;
  /** Some characters count two columns: where a terminal gives them one, what was there before shines through. */
  let hasWide = false;
  const say = (text: string, own: number): void => {
    bytes += text;
    width += own;
  };
  const settle = (): void => {
    if (isUnsure && width < columns) bytes += `\u001b[${width + 1}G`;
    isUnsure = false;
  };
  for (const [index, piece] of line.split(PIECES).entries()) {
    // Every other piece is what the text was split at.
    if (index % 2 === 1) {
      bytes += piece;
    } else if (ASCII_ONLY.test(piece)) {
      const shown = piece.slice(0, columns - width);
      if (shown !== '') settle();
      say(shown, shown.length);
    } else {
      for (const { segment } of segmenter.segment(piece.replace(UNSHOWN, ''))) {
        const own = widthOf(segment);
        if (width + own > columns) return { bytes, width, hasWide };
        hasWide ||= own > 1;
        if (ASCII_ONLY.test(segment)) settle();
        else isUnsure = true;
        say(segment, own);
      }
    }
  }
  settle();
  return { bytes, width, hasWide };
}

/** Between these two, a terminal that knows them shows nothing: it then shows everything at once. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const PLAIN_COLOURS = '\u001b[0m';
const ERASE_REST = '\u001b[K';
const ERASE_LINE = '\u001b[2K';

export type ScreenPainter = ReturnType<typeof createScreenPainter>;

export function createScreenPainter(write: (text: string) => void) {
  let shown: readonly string[] = [];
  let columns = 0;
  return {
    /** As many lines as the screen has rows. Only those that are not what is there already are written. */
    paint(lines: readonly string[], size: Size): void {
      if (size.columns !== columns || size.rows !== shown.length) shown = [];
      columns = size.columns;
      const changed = lines.flatMap((line, row) => (line === shown[row] ? [] : writeLine(line, row, columns)));
      shown = lines;
      if (changed.length > 0) write(`${BEGIN}${changed.join('')}${END}`);
    },
    /** What is on the screen is not what we left there: the next frame is written whole. */
    forget(): void {
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
