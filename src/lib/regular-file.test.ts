import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readLines, readLinesBackwards, readPart, readRange, readTail, streamLines } from './read-lines.ts';
import {
  append,
  appendSync,
  copyRegularSync,
  createFile,
  createFileSync,
  isWrongFile,
  MAX_SMALL_BYTES,
  openRegular,
  openRegularSync,
  readNamedSync,
  readRegular,
  readRegularSync,
} from './regular-file.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('regular');
});
const at = (name: string): string => path.join(folder, name);

async function lastOf(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}

/** Everything that opens a file to read it. */
const READERS: Readonly<Record<string, (file: string) => unknown>> = {
  openRegular: (file) => openRegular(file),
  openRegularSync: async (file) => openRegularSync(file),
  readRegular: (file) => readRegular(file),
  readRegularSync: async (file) => readRegularSync(file),
  readLines: (file) => readLines(file, () => undefined),
  readLinesBackwards: (file) => lastOf(readLinesBackwards(file)),
  streamLines: (file) => lastOf(streamLines(file)),
  readRange: (file) => readRange(file, 0, 10),
  readTail: (file) => readTail(file, 10),
};
const WRITERS: Readonly<Record<string, (file: string) => unknown>> = {
  append: (file) => append(file, 'x'),
  appendSync: async (file) => appendSync(file, 'x'),
  'append to what is there': async (file) => appendSync(file, 'x', 'append-existing'),
  update: (file) => openRegular(file, 'update'),
  copyRegularSync: async (file) => copyRegularSync(file, `${file}.copy`),
};

describe.skipIf(process.platform === 'win32')('a file that is not regular', () => {
  const KINDS: readonly (readonly [string, (file: string) => unknown])[] = [
    ['a FIFO', (file) => execFileSync('mkfifo', [file])],
    ['a folder', (file) => mkdirSync(file)],
    ['a socket', (file) => new Promise<void>((resolve) => void createServer().listen(file, resolve).unref())],
    ['a device', (file) => symlinkSync('/dev/zero', file)],
  ];

  it.each(KINDS)('is refused by every reader when it is %s', async (kind, make) => {
    await make(at('x'));
    for (const [name, read] of Object.entries(READERS)) {
      const error = await Promise.resolve(read(at('x'))).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(error), name).toBe(`Error: ${at('x')} is ${kind}, not a regular file`);
      expect([isWrongFile(error), error instanceof Error && 'syscall' in error], name).toEqual([true, true]);
    }
    expect(readPart(at('x'), 'head', 10)).toBe(undefined);
  });

  it.each(KINDS)('is refused by every writer when it is %s', async (_kind, make) => {
    await make(at('x'));
    for (const [name, write] of Object.entries(WRITERS))
      await expect(write(at('x')), name).rejects.toSatisfy(isWrongFile);
  });

  it('is refused when a link points to it', async () => {
    execFileSync('mkfifo', [at('fifo')]);
    symlinkSync(at('fifo'), at('x'));
    expect(() => readRegularSync(at('x'))).toThrow(`${at('x')} is a FIFO, not a regular file`);
  });
});

describe('a regular file', () => {
  it('is read whole, also behind a link; a dangling link counts as missing', async () => {
    writeFileSync(at('x'), 'text');
    symlinkSync(at('x'), at('link'));
    symlinkSync(at('nowhere'), at('dangling'));
    expect([readRegularSync(at('link')).toString(), String(await readRegular(at('link')))]).toEqual(['text', 'text']);
    await expect(readRegular(at('dangling'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(process.platform === 'linux')('is read to its end when the system reports it as empty', async () => {
    const text = readFileSync('/proc/cpuinfo', 'utf8');
    expect(statSync('/proc/cpuinfo').size).toBe(0);
    expect(readRegularSync('/proc/cpuinfo').length).toBeGreaterThan(text.length / 2);
    expect((await readRegular('/proc/cpuinfo')).length).toBeGreaterThan(text.length / 2);
  });

  it('is not appended to through a link', async () => {
    writeFileSync(at('x'), 'text');
    symlinkSync(at('x'), at('link'));
    if (process.platform !== 'win32') expect(() => appendSync(at('link'), '!')).toThrow('is a symbolic link');
    appendSync(at('x'), '!');
    await append(at('new'), '!');
    expect([readFileSync(at('x'), 'utf8'), readFileSync(at('new'), 'utf8')]).toEqual(['text!', '!']);
  });

  it('is not created when the name is taken', async () => {
    symlinkSync(at('nowhere'), at('dangling'));
    expect(() => createFileSync(at('dangling'), 'x')).toThrow('EEXIST');
    await expect(createFile(at('dangling'), 'x')).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it.skipIf(process.platform === 'win32')('is refused without being read when it is too large', async () => {
    writeFileSync(at('x'), '');
    truncateSync(at('x'), 1024 ** 4);
    for (const read of [READERS['readRegular'], READERS['readLines'], READERS['streamLines']])
      await expect(read?.(at('x'))).rejects.toMatchObject({ code: 'EFBIG' });
    expect(() => readRegularSync(at('x'))).toThrow(`is too large: more than ${MAX_SMALL_BYTES} bytes`);
    expect(() => readNamedSync(at('x'), 10)).toThrow('is too large: more than 10 bytes');
  });
});
