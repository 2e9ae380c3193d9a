import { widthOf } from '../core/index.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const PIECES = /(\u001b\[[0-9;]*m)/;
const ASCII_ONLY = /^[\u0020-\u007e]*$/;
/** The last gate: nothing that could move the cursor or turn the text around, whoever forgot to take it out. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export interface EncodedLine {
  readonly bytes: string;
  readonly width: number;
  /** Some characters count two columns: where a terminal gives them one, what was there before shines through. */
  readonly hasWide: boolean;
}

/**
 * A line as the terminal gets it, never wider than `columns`. Terminals disagree about the width of many characters:
 * behind each such run we say where we are, so that one wrong guess does not move the rest of the line.
 */
export function encodeLine(line: string, columns: number): EncodedLine {
  let bytes = '';
  let width = 0;
  let isUnsure = false;
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
