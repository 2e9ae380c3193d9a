import { codeUnitsOf } from '../../base/code-units.ts';

/** Texts that were looked through, and in which nothing was found: the second pass need not look again. */
export interface PlainTexts {
  /** What `has` and `add` are asked with. */
  keyOf(text: string): PlainKey;
  has(key: PlainKey): boolean;
  add(key: PlainKey): void;
  /** What was plain may not be any more. */
  forget(): void;
}

export type PlainKey = number | string;

/** Names of fields and the like stand for themselves. */
const SHORT = 24;

/** A few tens of megabytes; further ones are looked through twice. */
const MOST = 500_000;

/** By a digest of 53 bits: two texts of one session that share it are less likely than a fault of the disk. */
export function createPlainTexts(): PlainTexts {
  const digests = new Set<PlainKey>();
  return {
    keyOf: (text) => (text.length <= SHORT ? text : digestOf(text)),
    has: (key) => digests.has(key),
    add: (key) => {
      if (digests.size < MOST) digests.add(key);
    },
    forget: () => digests.clear(),
  };
}

/** As `numberText` does, of two code units at a time: this is done for every text, twice. */
function digestOf(text: string): number {
  const { length } = text;
  const units = codeUnitsOf(text);
  let high = 0xdeadbeef ^ length;
  let low = 0x41c6ce57 ^ length;
  for (let at = 0; at < length; at += 2) {
    // What stands behind the last one is of another text.
    const second = at + 1 < length ? (units[at + 1] as number) : 0;
    // Mixed beforehand: of a product, the upper half of a factor reaches the upper half only.
    let pair = Math.imul((units[at] as number) | (second << 16), 2654435769);
    pair ^= pair >>> 15;
    high = Math.imul(high ^ pair, 2654435761);
    low = Math.imul(low ^ pair, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
