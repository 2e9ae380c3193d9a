const QUOTE = 34;
const BACKSLASH = 92;

export interface Shortening {
  /** Strings of up to this many bytes stay whole. */
  readonly longerThan: number;
  /** Of longer ones, this many bytes of the beginning and of the end are kept. */
  readonly head: number;
  readonly tail: number;
  /** Strings that stay whole, however long: asked with the place of the opening quote. */
  readonly keepWhole?: (json: Uint8Array, open: number) => boolean;
}

/**
 * The same JSON text with its long strings cut in the middle, for readers that want the facts of a line and not the
 * bodies in it: nine tenths of a transcript's bytes are a few long strings. Valid JSON stays valid; of anything else
 * nothing is promised. Equal strings are cut to equal ones.
 */
export function shortenStrings(json: Uint8Array, { longerThan, head, tail, keepWhole }: Shortening): Uint8Array {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (let open = json.indexOf(QUOTE); open !== -1; ) {
    const close = endOfString(json, open);
    if (close === -1) break;
    if (close - open > longerThan && !keepWhole?.(json, open)) {
      const from = safeCut(json, open + 1 + head, -1);
      const to = safeCut(json, close - tail, 1);
      if (open < from && from < to && to <= close) {
        pieces.push(json.subarray(copied, from));
        copied = to;
      }
    }
    open = json.indexOf(QUOTE, close + 1);
  }
  if (pieces.length === 0) return json;
  pieces.push(json.subarray(copied));
  return concatenate(pieces);
}

function endOfString(json: Uint8Array, open: number): number {
  let close = json.indexOf(QUOTE, open + 1);
  while (close !== -1 && isEscaped(json, close)) close = json.indexOf(QUOTE, close + 1);
  return close;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** How far around a cut no backslash may stand: the longest escape is two halves of a surrogate pair. */
const ESCAPE_BYTES = 12;
const SEARCH_BYTES = 256;

/** The nearest place, going in `step`'s direction, that splits no character and no escape; -1 where there is none. */
function safeCut(json: Uint8Array, from: number, step: 1 | -1): number {
  for (let at = from; Math.abs(at - from) < SEARCH_BYTES; at += step) {
    if (((json[at] ?? 0) & 0xc0) !== 0x80 && isClear(json, at)) return at;
  }
  return -1;
}

function isClear(json: Uint8Array, at: number): boolean {
  for (let near = at - ESCAPE_BYTES; near <= at; near++) if (json[near] === BACKSLASH) return false;
  return true;
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}
