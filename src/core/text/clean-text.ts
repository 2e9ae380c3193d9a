// Everything a UI shows comes from a transcript, and transcripts hold hostile text. This file defines what is hostile.

/** One that is never closed ends with its line: nothing behind it is lost. */
const ESCAPE_SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]P^_X][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;
const LINE_BREAKS = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * Control characters, and marks that turn the direction of the text around them or show as nothing. Line breaks and tabs
 * stay, and so do the joiners that some scripts and emoji are written with.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Nearly every text has none of them, and is long. */
const SUSPECT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]/;
/** A line has no room for these. Terminals disagree on how wide text with joiners is. */
const NOT_IN_A_LINE = /[\n\t]+|[\u200c\u200d]/g;

/** Text that cannot colour, ring, or turn the text around it; its lines stay lines. */
export function cleanBlock(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(ESCAPE_SEQUENCES, '')
    .replace(LINE_BREAKS, '\n')
    .replace(INVISIBLE, '')
    .replace(LONE_SURROGATES, '\ufffd');
}

/** One line that cannot move the cursor, change colours, ring, retitle the window or turn the text around. */
export function cleanLine(text: string): string {
  return cleanBlock(text)
    .replace(NOT_IN_A_LINE, (found) => (found === '\u200c' || found === '\u200d' ? '' : ' '))
    .trim();
}

/** What a command printed: a line that was written over again and again, like a progress bar, is shown as it ended. */
export function cleanOutput(text: string): string {
  if (!text.includes('\r')) return cleanBlock(text);
  return cleanBlock(text.replace(/\r+\n/g, '\n').replace(/^[^\n]*\r(?=[^\n\r])/gm, ''));
}

/** Whether a cut there would leave two halves of a character. */
export function splitsCharacter(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** Deeper than any tool's input; hostile JSON may be nested without end. */
const MAX_DEPTH = 32;

/** The same for the input of a call: every text in it, and the names of its fields. */
export function cleanValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanBlock(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]): [string, unknown] => [cleanBlock(key), cleanValue(one, depth + 1)]),
  );
}

/** Longer titles and labels push everything else off the line. */
const MAX_TITLE = 80;

/** One line, cut behind a whole word: of half a secret, redaction could not tell that it is one, or of which kind. */
export function shortenTitle(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_TITLE) return line;
  const end = MAX_TITLE - 2;
  const head = line.slice(0, splitsCharacter(line, end) ? end - 1 : end);
  const word = head.lastIndexOf(' ');
  return word === -1 ? `${head}…` : `${head.slice(0, word)} …`;
}
