// How many columns a text takes in a terminal. Grapheme by grapheme, so that nothing is cut in half.

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Latin letters, dashes, box-drawing lines and our marks: one column each, and no need to look closer. */
const ONE_COLUMN_EACH = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u25fc≥→←↑↓✓✗⚠]*$/;
/** East Asian wide and full-width blocks, and pictographs shown as emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|.*\ufe0f|[\u{20000}-\u{3fffd}])/u;
const ZERO = /^(?:\p{Mn}|\p{Me}|\p{Cf})+$/u;

export function widthOf(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Cut to `columns`, the last one an ellipsis where something is missing. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return '';
  let result = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
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
