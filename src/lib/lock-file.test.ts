import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isLocked, takeLock } from './lock-file.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = makeTemporaryFolder('lock');
  file = path.join(folder, 'lock');
});

const DEAD = '{"pid":4194305,"procStart":"1","startedAt":1}';
const nextOf = (text: string): string => `${file}.${createHash('sha256').update(text).digest('hex').slice(0, 24)}.next`;

async function takeAtOnce(count: number): Promise<void> {
  const locks = await Promise.all(Array.from({ length: count }, () => takeLock(file)));
  expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
  expect(await isLocked(file)).toBe(true);
  expect(await takeLock(file)).toBeUndefined();
  for (const lock of locks) await lock?.release();
  expect(await isLocked(file)).toBe(false);
  const again = await takeLock(file);
  expect(again).toBeDefined();
  await again?.release();
  expect(readdirSync(folder)).toEqual([]);
}

describe('lock file', () => {
  it('goes to one of ten that try at once, and to the next when it is released', async () => {
    for (let round = 0; round < 20; round++) await takeAtOnce(10);
  });

  it.each([
    ['a process that is gone', DEAD],
    ['a process number that is another one now', `{"pid":${process.pid},"procStart":"1","startedAt":1}`],
    ['a power cut', ''],
    ['somebody else', '[]'],
  ])('can be taken over from %s', async (_of, text) => {
    for (let round = 0; round < 20; round++) {
      writeFileSync(file, text);
      await takeAtOnce(10);
    }
  });

  it('can be taken over when those who tried before died as well', async () => {
    for (let round = 0; round < 20; round++) {
      writeFileSync(file, DEAD);
      const second = DEAD.replace('"1"', '"2"');
      writeFileSync(nextOf(DEAD), second);
      writeFileSync(nextOf(nextOf(DEAD) + second), '');
      writeFileSync(`${file}.4194305.abc.draft`, 'half a rec');
      await takeAtOnce(10);
    }
  });
});
