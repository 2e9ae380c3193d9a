import { numberText } from '../../base/digest.ts';

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
    keyOf: (text) => (text.length <= SHORT ? text : numberText(text)),
    has: (key) => digests.has(key),
    add: (key) => {
      if (digests.size < MOST) digests.add(key);
    },
    forget: () => digests.clear(),
  };
}
