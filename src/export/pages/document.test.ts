import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './document.ts';

it('the style of the pages is the one that their policy allows, and small', () => {
  // Changed the style? Put the hash that is expected here into document.ts.
  expect(PAGE_STYLE_HASH).toBe(`sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}`);
  expect(PAGE_STYLE.length).toBeLessThan(15_000);
  expect(PAGE_STYLE).not.toMatch(/url\(|@import/);
});
