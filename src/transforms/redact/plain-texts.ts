import { numberText } from '../../base/digest.ts';

/** Texts that were looked through, and in which nothing was found: the second pass need not look again. */
export interface PlainTexts {
  /** What `has` and `add` are asked with. */
  keyOf(text: string): number;
  has(key: number): boolean;
  add(key: number): void;
  /** What was plain may not be any more. */
  forget(): void;
}

/** A few tens of megabytes; further ones are looked through twice. */
const MOST = 500_000;

/** By a digest of 53 bits: two texts of one session that share it are less likely than a fault of the disk. */
export function createPlainTexts(): PlainTexts {
  const digests = new Set<number>();
  return {
    keyOf: numberText,
    has: (key) => digests.has(key),
    add: (key) => {
      if (digests.size < MOST) digests.add(key);
    },
    forget: () => digests.clear(),
  };
}
