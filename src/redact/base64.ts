/** Base64 as JavaScript has it everywhere is a matter of browsers and Node; this knows the form for URLs, too. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int8Array(128).fill(-1);
for (const [index, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = index;
VALUES['-'.charCodeAt(0)] = 62;
VALUES['_'.charCodeAt(0)] = 63;

export function isBase64Digit(unit: number): boolean {
  return unit < 128 && (VALUES[unit] as number) >= 0;
}

/** Digits only, without what fills the last group. */
export function decodeBase64(digits: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let count = 0;
  for (let at = 0; at < digits.length; at++) {
    bits = (bits << 6) | (VALUES[digits.charCodeAt(at)] ?? 0);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[count++] = (bits >> held) & 0xff;
  }
  return bytes;
}

/** Of bytes, one character each: the groups of four digits that depend on nothing that may follow. */
export function encodeWholeGroups(bytes: string): string {
  let result = '';
  for (let at = 0; at + 3 <= bytes.length; at += 3) {
    const group = (bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2);
    for (const shift of [18, 12, 6, 0]) result += DIGITS[(group >> shift) & 63];
  }
  return result;
}
