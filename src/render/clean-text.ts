// Everything a face shows comes from a transcript, and transcripts hold hostile text.

const ESCAPE_SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;
const LINE_BREAKS = /[\r\n\t\u2028\u2029\u0085]+/g;
/** Control characters, and marks that turn the direction of the text around them or show as nothing. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** One line that cannot move the cursor, change colours, ring, retitle the window or turn the text around. */
export function cleanLine(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCES, '')
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .replace(LONE_SURROGATES, '\ufffd')
    .trim();
}
