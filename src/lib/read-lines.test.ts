import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const work = makeTemporaryFolder('lines');

describe('readLines', () => {
  it.each([
    ['many lines across chunks', 2000, 3001],
    ['lines longer than a chunk', 7, 2_500_000],
    ['lines of about a chunk', 9, 1024 * 1024],
  ])('returns %s whole, each time', async (_what, count, length) => {
    const lines = Array.from(
      { length: count },
      (_, index) => `${index}:${String.fromCharCode(97 + (index % 26)).repeat(length + (index % 7))}`,
    );
    const file = path.join(work, `${count}.txt`);
    writeFileSync(file, `${lines.join('\n')}\ntorn`);
    for (let run = 0; run < 3; run++) {
      const read: string[] = [];
      const { next } = await readLines(file, (line) =>
        read.push(`${Buffer.from(line.bytes).toString()}${line.torn ? ' (torn)' : ''}`),
      );
      expect(read.length).toBe(count + 1);
      expect(read.slice(0, -1).every((line, index) => line === lines[index])).toBe(true);
      expect(read.at(-1)).toBe('torn (torn)');
      expect(next).toBe(lines.join('\n').length + 1);
    }
  });

  it('continues at the given offset', async () => {
    const file = path.join(work, 'on.txt');
    writeFileSync(file, 'one\ntwo\nthr');
    const { next } = await readLines(file, () => {});
    writeFileSync(file, 'one\ntwo\nthree\nfour\n');
    const read: string[] = [];
    const more = await readLines(file, (line) => read.push(Buffer.from(line.bytes).toString()), next);
    expect(more).toEqual({ next: 19, end: 19 });
    expect(read).toEqual(['three', 'four']);
  });
});
