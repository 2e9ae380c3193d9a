import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Line } from './lines.ts';
import { readLinesBackwards, streamLines } from './read-lines.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const folder = makeTemporaryFolder('backwards');

async function all(lines: AsyncIterable<Line>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { bytes, offset, length, torn } of lines)
    found.push({ text: Buffer.from(bytes).toString(), offset, length, torn });
  return found;
}

it('gives the lines of a file in both directions, with the same positions', async () => {
  const file = path.join(folder, 'lines');
  const line = fc.oneof(fc.constant(''), fc.string({ unit: fc.constantFrom('a', 'ä', '\r'), maxLength: 9 }));
  const long = fc.integer({ min: 65_000, max: 140_000 }).map((length) => 'x'.repeat(length));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof({ weight: 9, arbitrary: line }, long), { maxLength: 12 }), async (lines) => {
      writeFileSync(file, lines.join('\n'));
      let offset = 0;
      const expected = lines
        .map((text, index) => {
          const length = Buffer.byteLength(text);
          offset += length + 1;
          return { text, offset: offset - length - 1, length, torn: index === lines.length - 1 };
        })
        .filter(({ torn, length }) => !torn || length > 0);
      expect(await all(streamLines(file))).toEqual(expected);
      expect(await all(readLinesBackwards(file))).toEqual(expected.toReversed());
    }),
  );
});
