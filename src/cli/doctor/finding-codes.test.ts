import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const docs = readFileSync(fileURLToPath(new URL('../../../docs/DOCTOR.md', import.meta.url)), 'utf8');

describe('the codes of findings', () => {
  it('are all in the documentation, and no others are', () => {
    const sources = readdirSync(here).filter((file) => !file.endsWith('.test.ts'));
    const used = sources.flatMap((file) =>
      [...readFileSync(here + file, 'utf8').matchAll(/\b(?:good|note|warning|problem|say)\(\s*'([a-z-]+)'/g)].map(
        ([, code]) => code,
      ),
    );
    const rows = docs.slice(docs.indexOf('## Codes')).split('\n');
    const told = rows.flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, code]) => code));
    expect(told.toSorted()).toEqual([...new Set(used)].toSorted());
    expect(told.length).toBeGreaterThan(30);
  });
});
