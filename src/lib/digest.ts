import { codeUnitsOf } from './code-units.ts';

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
