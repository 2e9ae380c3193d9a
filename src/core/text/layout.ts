// Text in a terminal: its width (by grapheme, so that none is cut in half), wrapping, tables and colours.

import { cleanLine } from './clean-text.ts';

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
  if (first === undefined) return widths;
  const left = shown.filter((index) => index !== first);
  return layOut(columns, widest, left, available);
}

let segmenter: Intl.Segmenter | undefined;

/** Made when it is needed: that takes 8 ms, and most texts need none. */
function graphemesIn(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Latin letters, dashes, box-drawing lines and our marks: one column each, and no need to look closer. */
const ONE_COLUMN_EACH = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u25fc≥→←↑↓✓✗⚠]*$/;
/** East Asian wide and full-width blocks, and pictographs shown as emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|.*\ufe0f|[\u{20000}-\u{3fffd}])/u;
const ZERO = /^(?:\p{Mn}|\p{Me}|\p{Cf})+$/u;

export function widthOf(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesIn(text)) width += graphemeWidth(segment);
  return width;
}

/** Cut to `columns`, the last one an ellipsis where something is missing. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return '';
  let result = '';
  let width = 0;
  for (const { segment } of graphemesIn(text)) {
    const next = graphemeWidth(segment);
    if (width + next > columns - 1) break;
    result += segment;
    width += next;
  }
  return `${result.trimEnd()}…`;
}

function graphemeWidth(grapheme: string): number {
  if (ZERO.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Lines of at most `columns`, broken at blanks where there is one; control sequences taken out, indentation kept. */
export function wrapText(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, columns));
}

function wrapLine(raw: string, columns: number): readonly string[] {
  const indent = (/^[ \t]*/.exec(raw)?.[0] ?? '').replaceAll('\t', '  ').slice(0, Math.floor(columns / 2));
  const line = cleanLine(raw);
  if (widthOf(line) + indent.length <= columns) return [`${indent}${line}`];
  const lines: string[] = [];
  let current = indent;
  for (const word of line.split(' ').flatMap((one) => breakWord(one, columns - indent.length))) {
    const joined = current === indent ? `${indent}${word}` : `${current} ${word}`;
    if (widthOf(joined) <= columns) current = joined;
    else {
      lines.push(current);
      current = `${indent}${word}`;
    }
  }
  return [...lines, current];
}

function breakWord(word: string, columns: number): readonly string[] {
  if (widthOf(word) <= columns) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (widthOf(piece + character) > columns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

export interface Paint extends Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', (text: string) => string>> {
  /** An agent's own colour by its hue, the same in every UI; neutral without one. */
  readonly agent: (hue: number | null, text: string) => string;
}

export type ColourDepth = 'none' | '16' | '24bit';

const same = (text: string): string => text;
export const PLAIN: Paint = {
  bold: same,
  dim: same,
  red: same,
  yellow: same,
  green: same,
  agent: (_hue, text) => text,
};

export function createPaint(depth: ColourDepth): Paint {
  if (depth === 'none') return PLAIN;
  const sgr = (on: string, off: string) => (text: string) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`);
  return {
    bold: sgr('1', '22'),
    dim: sgr('2', '22'),
    red: sgr('31', '39'),
    yellow: sgr('33', '39'),
    green: sgr('32', '39'),
    agent: (hue, text) => {
      if (hue === null) return text;
      const colour = depth === '24bit' ? `38;2;${RGB[hue] ?? RGB[0]}` : (SIXTEEN[hue % SIXTEEN.length] ?? '36');
      return sgr(colour, '39')(text);
    },
  };
}

/** Twelve hues of equal lightness that stay apart for colour-blind eyes (Okabe–Ito, filled up between). */
const RGB = [
  '86;180;233',
  '230;159;0',
  '0;158;115',
  '204;121;167',
  '213;94;0',
  '96;146;216',
  '182;172;36',
  '64;176;166',
  '176;132;216',
  '222;134;110',
  '120;178;74',
  '214;108;136',
] as const;

const SIXTEEN = ['36', '33', '32', '35', '94', '96'] as const;
