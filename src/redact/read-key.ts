// Private keys of any length, and what is left of them without their first or last line.

type OnSecret = (start: number, end: number) => void;

/** Numbers of lines, quotation marks, marks of diffs and comments, before a line of a key; then it, and what ends the line. */
const LINE =
  /[ \t]{0,80}(?:\d{1,7}(?:[\t→:|] ?|[ \t]{1,4}))?(?:[+\-<>|#*│]{1,2}[ \t]{0,8}|\/\/ ?)?["'`]?([A-Za-z0-9+/]{1,128}={0,2})(?:\\[nr]|["'`,;+]|[ \t│|]){0,40}(?:\r?\n|$)/y;
const HEADER =
  /[ \t]{0,80}(?:Proc-Type|DEK-Info|Comment|Version|Hash):[^\n]{0,120}(?:\n|$)|[ \t\r+|>\d│]{0,12}(?:\n|$)/y;
const MOST_LINES = 2_000;

const lineStart = (text: string, place: number): number => {
  const from = Math.max(0, place - 400);
  return from + text.slice(from, place).lastIndexOf('\n') + 1;
};

/** `hit`: at the words `PRIVATE KEY` between dashes, or at the beginning of the lines of a key. */
export function readPrivateKey(text: string, hit: number, onSecret: OnSecret): number {
  const start = lineStart(text, hit);
  const line = text.slice(Math.max(start, hit - 60), hit + 40);
  if (/-----END [A-Z0-9 ]{0,40}$/.test(text.slice(Math.max(start, hit - 48), hit)))
    return readBackward(text, start, hit, onSecret);
  if (/-----BEGIN [A-Z0-9 ]{0,40}$/.test(text.slice(Math.max(start, hit - 48), hit))) {
    const begin = hit + text.slice(hit, hit + 61).indexOf('\n');
    return begin < hit
      ? hit + 1
      : readForward(
          text,
          hit - 48 + text.slice(Math.max(0, hit - 48), hit).lastIndexOf('-----BEGIN') + Math.max(0, 48 - hit),
          begin + 1,
          onSecret,
          1,
        );
  }
  // Not the lines of a certificate: what stands before them would say so.
  if (/[\w+/-]$/.test(line.slice(0, hit - Math.max(start, hit - 60)).replace(/^.*[\t→|>] ?/, '')) && hit > start)
    return hit + 1;
  const before = text.slice(Math.max(0, start - 60), start);
  return /-----BEGIN (?![^-]*PRIVATE)/.test(before) ? hit + 1 : readForward(text, hit, start, onSecret, 3);
}

/** `hit`: the name of the file of a private key. Reads lines of it that a command printed below. */
export function readKeyFile(text: string, hit: number, onSecret: OnSecret): number {
  const end = text.slice(hit, hit + 200).indexOf('\n');
  const from = hit + end + 1;
  if (end < 0 || text.startsWith('.pub', hit + text.slice(hit, from).search(/[^\w]|$/))) return hit + 1;
  return /^[A-Za-z0-9+/]{60,76}\r?\n/.test(text.slice(from, from + 80))
    ? readForward(text, from, from, onSecret, 2)
    : hit + 1;
}

const END_BELOW = /^[^\n]{0,60}-----END /;
/** Between parts of a key may be empty lines. */
const KEY_BELOW = /^\s{1,80}[^\nA-Za-z]{0,12}(?:-----END |["'`]?[A-Za-z0-9+/]{40})/;

/** The lines that follow, and the one that ends them. */
function readForward(text: string, from: number, firstLine: number, onSecret: OnSecret, atLeast: number): number {
  let place = firstLine;
  let lines = 0;
  for (let count = 0; count < MOST_LINES && place < text.length; count++) {
    LINE.lastIndex = place;
    HEADER.lastIndex = place;
    const match = LINE.exec(text);
    if (match) {
      const said = match[1] as string;
      // What follows a key that was cut is a text of its own: only the last line is short, and it looks like the others.
      const isEnd = END_BELOW.test(text.slice(LINE.lastIndex, LINE.lastIndex + 120));
      if (said.length < 40 && !isEnd && (lines === 0 ? atLeast > 1 : !/[\d+/=]|[a-z][A-Z]{2}/.test(said))) break;
      lines++;
      place = LINE.lastIndex;
      if (lines > 1 && said.length < 40) break;
    } else if (lines > 0 && !KEY_BELOW.test(text.slice(place, place + 200))) break;
    else if (HEADER.test(text) && HEADER.lastIndex > place) place = HEADER.lastIndex;
    else break;
  }
  if (lines < atLeast) return from + 1;
  const tail = /^[^\n]{0,60}-----END [A-Z0-9 ]{0,60}-----/.exec(text.slice(place, place + 200));
  const end = place + (tail?.[0].length ?? 0);
  onSecret(from, text[end - 1] === '\n' ? end - 1 : end);
  return end;
}

/** The lines before an end whose beginning is elsewhere. */
function readBackward(text: string, endLine: number, hit: number, onSecret: OnSecret): number {
  let from = endLine;
  let lines = 0;
  while (from > 0 && lines < MOST_LINES) {
    const start = lineStart(text, from - 1);
    if (from - start > 300) break;
    LINE.lastIndex = start;
    const match = LINE.exec(text);
    if (!match || LINE.lastIndex !== from || (lines > 0 && (match[1] as string).length < 40)) break;
    lines++;
    from = start;
  }
  const dashes = text.slice(hit, hit + 60).indexOf('-----');
  const end = hit + dashes + 5;
  if (lines === 0 || dashes < 0) return hit + 1;
  onSecret(from, Math.max(hit, end));
  return Math.max(hit, end);
}
