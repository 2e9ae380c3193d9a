import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVIDENCE } from '../events.ts';

it('the published schema lists every kind of link evidence', () => {
  const text = readFileSync(new URL('../../../schemas/tree.schema.json', import.meta.url), 'utf8');
  const lists = [...text.matchAll(/"source": \{\s*"enum": (\[[^\]]*\])/g)].map(([, list]) => JSON.parse(list ?? '[]'));
  expect(lists).toEqual([[...Object.keys(EVIDENCE), null]]);
});
