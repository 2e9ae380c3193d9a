const MARK = /\[… shortened from \d+ characters …\]/;

/** A mark in the place of next to nothing helps nobody. */
const SLACK = 100;

/**
 * A text of about `limit` characters at most: its beginning and its end, and between them a mark that says how long it was. A
 * text that fits comes back as it is, so that shortening twice is shortening once.
 */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit + SLACK) return text;
  const mark = `\n[… shortened from ${text.length} characters …]\n`;
  const room = Math.max(0, limit - mark.length);
  const tail = Math.floor(room / 4);
  const head = wholeCharacters(text, room - tail);
  return text.slice(0, head) + mark + text.slice(wholeCharacters(text, text.length - tail, 1));
}

/** Two that look the same may have been different before. */
export function isShortened(text: string): boolean {
  return MARK.test(text);
}

/** Not between the two halves of a character. */
function wholeCharacters(text: string, at: number, step: -1 | 1 = -1): number {
  const isSplit = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return isSplit ? at + step : at;
}
