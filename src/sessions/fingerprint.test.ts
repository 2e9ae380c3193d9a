import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { fingerprintOf } from './read-transcript.ts';

const folder = makeTemporaryFolder('edition');
const file = path.join(folder, 'a.jsonl');
/** For the clock, not for files. */
const afterwards = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
const settled = () => afterwards(4_000);

beforeEach(() => {
  writeFileSync(file, 'one\n');
  settled();
});
afterEach(() => vi.useRealTimers());

describe('fingerprint of a file', () => {
  it('stays the same when the file is not written', () => {
    const before = fingerprintOf([file]);
    expect(before).toBeDefined();
    settled();
    expect(fingerprintOf([file])).toBe(before);
  });

  it('changes with every write, even of equal length and with the old times restored', () => {
    const before = fingerprintOf([file]);
    writeFileSync(file, 'two\n');
    utimesSync(file, new Date(1e12), new Date(1e12));
    settled();
    expect(fingerprintOf([file])).toBeDefined();
    expect(fingerprintOf([file])).not.toBe(before);
  });

  it('changes when the file is created', () => {
    const other = path.join(folder, 'b-wal');
    const before = fingerprintOf([file, other]);
    expect(before).toBeDefined();
    writeFileSync(other, '');
    settled();
    expect(fingerprintOf([file, other])).not.toBe(before);
  });

  it('is unknown for files written just now and for anything that is not a file', () => {
    vi.useRealTimers();
    expect(fingerprintOf([file])).toBeUndefined();
    afterwards(2_000);
    expect(fingerprintOf([file])).toBeUndefined();
    expect(fingerprintOf([folder])).toBeUndefined();
    expect(fingerprintOf([path.join(file, 'x')])).toBeUndefined();
  });
});
