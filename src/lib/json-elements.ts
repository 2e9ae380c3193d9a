/** Where an element of an array stands, in bytes. */
export interface ElementPlace {
  readonly offset: number;
  readonly length: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = new Set([91, 123]);
const CLOSE = new Set([93, 125]);
const COMMA = 44;
const COLON = 58;

/**
 * The places of the elements of an array that is a field of a JSON text's own object. The text is known to be JSON: of
 * anything else nothing is promised.
 */
export function placesOfElements(json: Uint8Array, field: string): readonly ElementPlace[] {
  const places: ElementPlace[] = [];
  const name = new TextEncoder().encode(field);
  let depth = 0;
  /** The last string of the object itself is the field's name when its colon comes. */
  let isNamed = false;
  let isInside = false;
  let from = -1;
  let to = -1;
  const end = (): void => {
    if (from !== -1) places.push({ offset: from, length: to - from });
    from = -1;
  };
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte <= 32) continue;
    const isElementLevel = isInside && depth === 2;
    if (isElementLevel && byte === 93) {
      end();
      return places;
    }
    if (isElementLevel && byte === COMMA) {
      end();
      continue;
    }
    if (isElementLevel && from === -1) from = at;
    if (byte === QUOTE) {
      const close = endOfString(json, at);
      if (depth === 1) isNamed = isSame(json.subarray(at + 1, close), name);
      at = close;
    } else if (OPEN.has(byte)) {
      depth++;
      if (depth === 2 && byte === 91 && isNamed) isInside = true;
    } else if (CLOSE.has(byte)) depth--;
    if (depth === 1 && byte !== QUOTE && byte !== COLON) isNamed = false;
    to = at + 1;
  }
  return places;
}

function endOfString(json: Uint8Array, open: number): number {
  let at = open + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
