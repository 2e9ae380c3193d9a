/**
 * A short name for a text, to compare long prompts without keeping them. cyrb53: 53 bits, runs anywhere, not a
 * cryptographic hash: equality of prompts is evidence of rank "strong" at best, and the length is part of the name.
 */
export function digestText(text: string): string {
  return `${text.length.toString(36)}.${numberText(text).toString(36)}`;
}

/** The same as a number, without the length. */
export function numberText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const { length } = text;
  const units = codeUnitsOf(text);
  for (let i = 0; i < length; i++) {
    const unit = units[i] as number;
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** What Node's `Buffer` has, where there is one: it copies a text fifty times as fast as a loop can read it. */
interface NativeBuffers {
  from(memory: ArrayBuffer): { write(text: string, offset: number, encoding: 'utf16le'): number };
}

const NATIVE: NativeBuffers | undefined = Reflect.get(globalThis, 'Buffer');

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Most texts fit; longer ones get memory of their own for once. */
const KEPT = 64 * 1024;
const scratch = createWriter(KEPT);

/**
 * The code units of a text, as `charCodeAt` gives them; for a loop over all of them this is three times as fast. They are
 * there until the next call: nobody keeps them, or calls others in between.
 */
export function codeUnitsOf(text: string): Uint16Array {
  return (text.length <= KEPT ? scratch : createWriter(text.length))(text);
}

function createWriter(length: number): (text: string) => Uint16Array {
  const memory = new ArrayBuffer(length * 2);
  const units = new Uint16Array(memory);
  const native = IS_LITTLE_ENDIAN ? NATIVE?.from(memory) : undefined;
  let last = '';
  return (text) => {
    // Several look at one text in turn.
    if (text === last) return units;
    last = text;
    // A short text is read faster than the call takes.
    if (native && text.length > 16) native.write(text, 0, 'utf16le');
    else for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
    return units;
  };
}
