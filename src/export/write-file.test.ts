import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeName, takePart } from './pages/page-plan.ts';
import { inBatches, isSafeName } from './write-file.ts';

const SIZE = 128 * 1024;

async function batchesOf(...chunks: readonly string[]): Promise<readonly string[]> {
  const batches: string[] = [];
  for await (const batch of inBatches(chunks)) batches.push(batch);
  return batches;
}

it('gathers small pieces, and gives everything', async () => {
  const lines = Array.from({ length: 50_000 }, (_, line) => `line ${line}\n`);
  const batches = await batchesOf(...lines);
  expect(batches.join('')).toBe(lines.join(''));
  expect(batches.length).toBeLessThan(8);
  expect(await batchesOf()).toEqual([]);
});

it('cuts no character in two', async () => {
  const [high, low] = ['🎭'.charAt(0), '🎭'.charAt(1)];
  const batches = await batchesOf(`${'x'.repeat(SIZE)}${high}`, `${low}${'y'.repeat(SIZE)}`);
  expect(batches.map((batch) => Buffer.from(batch).toString()).join('')).toBe(
    `${'x'.repeat(SIZE)}🎭${'y'.repeat(SIZE)}`,
  );
});

describe('a name of a page', () => {
  it('is one that may be written, whatever the ids are', () => {
    const id = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 90 }), fc.constant('data-layer-dev@multi-profile'));
    fc.assert(
      fc.property(id, id, (session, agent) => {
        const taken = new Set<string>();
        const stem = takeName('agent', agent, taken);
        for (const name of [stem, takePart(stem, 2, taken)])
          expect([name, isSafeName(`${takeName('session', session, new Set())}/${name}.html`)]).toEqual([name, true]);
      }),
    );
  });
});
