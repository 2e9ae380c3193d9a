import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editionOf } from './edition.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-edition-'));
const file = path.join(folder, 'a.jsonl');
const settled = () => setTimeout(40);

beforeAll(async () => {
  writeFileSync(file, 'one\n');
  await settled();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the edition of files', () => {
  it('is the same as long as nobody writes', async () => {
    const before = editionOf([file]);
    expect(before).toBeDefined();
    await settled();
    expect(editionOf([file])).toBe(before);
  });

  it('is another one after every write, of the same length and with the old times, too', async () => {
    const before = editionOf([file]);
    writeFileSync(file, 'two\n');
    utimesSync(file, new Date(1e12), new Date(1e12));
    await settled();
    expect(editionOf([file])).toBeDefined();
    expect(editionOf([file])).not.toBe(before);
  });

  it('is another one when a file comes to be', async () => {
    const other = path.join(folder, 'b-wal');
    const before = editionOf([file, other]);
    expect(before).toBeDefined();
    writeFileSync(other, '');
    await settled();
    expect(editionOf([file, other])).not.toBe(before);
  });

  it('is not known of what was written just now, and of what is no file', () => {
    writeFileSync(file, 'new\n');
    expect(editionOf([file])).toBeUndefined();
    expect(editionOf([folder])).toBeUndefined();
    expect(editionOf([path.join(file, 'x')])).toBeUndefined();
  });
});
