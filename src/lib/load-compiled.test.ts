import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { loadCompiled } from './load-compiled.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

let folder = '';
let file = '';
let names = 0;
beforeEach(() => {
  folder = makeTemporaryFolder('code');
  file = path.join(folder, 'own.cjs');
  const body = `exports.twice = (n) => n * 2; exports.fs = require('node:fs'); exports.name = '\\u20ac';`;
  writeFileSync(file, `(function (exports, require, module) {${body}})`);
});

/** V8 knows again, by its name, what it compiled in this process, and looks at nothing else: another name for each. */
function renamed(): void {
  const other = path.join(folder, `own-${++names}.cjs`);
  copyFileSync(file, other);
  file = other;
}

const code = (): string => path.join(folder, 'code');
function load(digest = 'one') {
  renamed();
  const place = { file, digest, folder: code() };
  return loadCompiled<{ twice(n: number): number; fs: object; name: string }>(place, createRequire(import.meta.url));
}

it('returns what the file exports, and caches its machine code once', () => {
  const first = load();
  expect([first.exports.twice(21), first.exports.name, typeof first.exports.fs]).toEqual([42, '€', 'object']);
  first.keep();
  const [kept = ''] = readdirSync(code());
  expect(kept).toBe(`one-${process.version}-${process.arch}.code`);
  utimesSync(path.join(code(), kept), 1, 1);
  const second = load();
  expect(second.exports.twice(4)).toBe(8);
  second.keep();
  expect(statSync(path.join(code(), kept)).mtimeMs).toBe(1_000);
});

it.each([
  ['nothing', () => Buffer.alloc(0)],
  ['half of it', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['something else', () => Buffer.from('no code')],
  ['zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
])('compiles again and replaces the cache when it holds %s', (_, spoil) => {
  load().keep();
  const kept = path.join(code(), readdirSync(code())[0] ?? '');
  const whole = readFileSync(kept);
  writeFileSync(kept, spoil(whole));
  const again = load();
  expect(again.exports.twice(3)).toBe(6);
  again.keep();
  expect(readFileSync(kept).length).toBeGreaterThan(whole.length - 50);
});

it('keeps the code of a few versions only, and reports when it cannot write', () => {
  for (const [at, digest] of [...'abcdefghij'].entries()) {
    load(digest).keep();
    const kept = readdirSync(code()).find((name) => name.startsWith(`${digest}-`)) ?? '';
    utimesSync(path.join(code(), kept), at + 1, at + 1);
  }
  expect(readdirSync(code()).map((name) => name[0])).toEqual([...'cdefghij']);
  rmSync(code(), { recursive: true });
  writeFileSync(code(), 'in the way');
  const loaded = load();
  expect(loaded.exports.twice(1)).toBe(2);
  expect(() => loaded.keep()).toThrow();
});
