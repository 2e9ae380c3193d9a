import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createRedactor } from './create-redactor.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** This project's own code and manuals, but for the rules and the tests, which are full of what looks like secrets. */
function* ordinaryFiles(): Generator<string> {
  for (const folder of ['src', 'web/src', 'docs', 'scripts'])
    for (const file of readdirSync(path.join(ROOT, folder), { recursive: true }) as string[])
      if (/\.(?:tsx?|mjs|md|css)$/.test(file) && !/redact|\.test\.|testing|fixtures|REDACTION/i.test(file))
        yield path.join(ROOT, folder, file);
}

it('ordinary code and prose has at most one false finding in a megabyte', () => {
  let length = 0;
  const found: string[] = [];
  for (const file of [...ordinaryFiles()].sort()) {
    const text = readFileSync(file, 'utf8');
    length += text.length;
    const redactor = createRedactor();
    redactor.redactText(text);
    for (const { rule, line } of redactor.findings())
      if (rule !== 'home-directory') found.push(`${rule} ${path.relative(ROOT, file)}:${line}`);
  }
  expect(length).toBeGreaterThan(800_000);
  expect(found.length <= length / 1e6 ? [] : found).toEqual([]);
});
