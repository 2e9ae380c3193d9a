import { createHash } from 'node:crypto';
import {
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readDatabase } from './sqlite.ts';
import { driver, kindOf } from './sqlite-driver.ts';
import { type DatabaseWriter, startWriter } from './testing/databases.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';
import { orElse } from './user-error.ts';

const folder = (): string => makeTemporaryFolder('sqlite');
/** Idle connections are closed by a timer. */
const letGo = () => vi.runAllTimers();
const writers: DatabaseWriter[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(async () => {
  letGo();
  vi.useRealTimers();
  for (const writer of writers.splice(0)) await writer.kill();
});

async function write(file: string, ...statements: readonly string[]): Promise<DatabaseWriter> {
  const writer = await startWriter(file);
  writers.push(writer);
  await writer.run('create table if not exists t (a integer)', ...statements);
  return writer;
}

const read = (file: string): Promise<readonly unknown[]> =>
  readDatabase(file, (database) => database.all('select a from t order by a').map(({ a }) => a));

/** Every file there, and what it holds; the index of a log is memory that readers share. */
function stateOf(file: string): Readonly<Record<string, string>> {
  const at = path.dirname(file);
  const hash = (name: string): string =>
    name.endsWith('-shm')
      ? 'there'
      : createHash('sha256')
          .update(readFileSync(path.join(at, name)))
          .digest('hex');
  return Object.fromEntries(readdirSync(at).map((name) => [name, hash(name)]));
}

describe('reading a database of another program', () => {
  it('works after it was closed cleanly, and leaves no file beside it', async () => {
    const file = path.join(folder(), 'a.db');
    await (await write(file, 'insert into t values (1)')).close();
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    const before = stateOf(file);
    expect(Object.keys(before)).toEqual(['a.db']);
    expect(await read(file)).toEqual([1]);
    expect(stateOf(file)).toEqual(before);
  });
  it.runIf(process.platform === 'linux')('never opens it for writing', async () => {
    const file = path.join(folder(), 'a.db');
    const modes = (): readonly number[] =>
      readdirSync('/proc/self/fd')
        .map((descriptor) => `/proc/self/fd/${descriptor}`)
        .filter((link) => orElse(() => readlinkSync(link), '') === file)
        .map((link) => lstatSync(link).mode & 0o600);
    const writer = await write(file, 'insert into t values (1)');
    expect(await readDatabase(file, modes)).toEqual([0o400]);
    letGo();
    await writer.close();
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    expect(new Set(await readDatabase(file, modes))).toEqual(new Set([0o400]));
  });
  it('sees the new content when it was replaced by bytes of the same length and time', async () => {
    const [file, other] = [path.join(folder(), 'a.db'), path.join(folder(), 'b.db')];
    await (await write(file, 'insert into t values (1)')).close();
    await (await write(other, 'insert into t values (2)')).close();
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    const { atime, mtime } = statSync(file);
    utimesSync(file, atime, mtime);
    expect(await read(file)).toEqual([1]);
    // At once: what was opened for the first is kept for a moment.
    writeFileSync(file, readFileSync(other), { flag: 'r+' });
    utimesSync(file, atime, mtime);
    expect(await read(file)).toEqual([2]);
  });
  it('sees rows that are only in the write-ahead log while it is being written', async () => {
    const file = path.join(folder(), 'a.db');
    const writer = await write(file, 'insert into t values (1)');
    const before = stateOf(file);
    expect(await read(file)).toEqual([1]);
    expect(stateOf(file)).toEqual(before);
    await writer.run('insert into t values (2)');
    expect(await read(file)).toEqual([1, 2]);
  });
  it('works after its writer was killed', async () => {
    const file = path.join(folder(), 'a.db');
    await (await write(file, 'insert into t values (1)')).kill();
    const before = stateOf(file);
    expect(before['a.db-wal']).toBeDefined();
    expect(await read(file)).toEqual([1]);
    expect(stateOf(file)).toEqual(before);
  });
  it('works with a log that has no index, as in a copy', async () => {
    const file = path.join(folder(), 'a.db');
    await (await write(file, 'insert into t values (1)')).kill();
    const copy = path.join(folder(), 'a.db');
    for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
    const before = stateOf(copy);
    expect(await read(copy)).toEqual([1]);
    expect(stateOf(copy)).toEqual(before);
  });
  it('never blocks its writer, even during a long read', async () => {
    const file = path.join(folder(), 'a.db');
    const writer = await write(file, 'insert into t values (1)');
    await readDatabase(file, async (database) => {
      for (const _row of database.each('select a from t')) {
        await writer.run('begin immediate', 'insert into t values (2)', 'commit');
        await writer.run('begin exclusive', 'insert into t values (3)', 'commit');
      }
    });
    expect(await read(file)).toEqual([1, 2, 3]);
  });
  it('works during an open transaction of its writer, without the uncommitted rows', async () => {
    const file = path.join(folder(), 'a.db');
    const writer = await write(file, 'insert into t values (1)');
    await writer.run('begin exclusive', 'insert into t values (2)');
    expect(await read(file)).toEqual([1]);
    await writer.run('commit');
    expect(await read(file)).toEqual([1, 2]);
  });
  it('leaves the checkpoint to the last writer', async () => {
    const file = path.join(folder(), 'a.db');
    const writer = await write(file, 'insert into t values (1)');
    for (let times = 0; times < 5; times++) expect(await read(file)).toEqual([1]);
    letGo();
    await writer.close();
    expect(readdirSync(path.dirname(file))).toEqual(['a.db']);
    expect(await read(file)).toEqual([1]);
  });
  it('closes it when several readers use it at once', async () => {
    const file = path.join(folder(), 'a.db');
    const writer = await write(file, 'insert into t values (1)', 'insert into t values (2)');
    const before = stateOf(file);
    const wordsFrom = (from: number): Promise<readonly unknown[]> =>
      readDatabase(file, (database) =>
        database
          .all("select a, cast('«' || a as blob) as b from t where a >= ? order by a", from)
          .map(({ a, b }) => `${a} ${b}`),
      );
    expect(await Promise.all([wordsFrom(1), wordsFrom(2), wordsFrom(3)])).toEqual([['1 «1', '2 «2'], ['2 «2'], []]);
    expect(stateOf(file)).toEqual(before);
    await writer.run('begin exclusive', 'insert into t values (3)', 'commit');
    expect(await wordsFrom(3)).toEqual(['3 «3']);
    await expect(readDatabase(file, (database) => database.all('select a from nowhere'))).rejects.toThrow('nowhere');
    await expect(
      readDatabase(file, (database) => database.all('insert into t values (9) returning a')),
    ).rejects.toThrow();
    letGo();
    await writer.close();
    expect(readdirSync(path.dirname(file))).toEqual(['a.db']);
    expect(await wordsFrom(1)).toEqual(['1 «1', '2 «2', '3 «3']);
    expect(readdirSync(path.dirname(file))).toEqual(['a.db']);
  });
  it('cannot change it', async () => {
    const file = path.join(folder(), 'a.db');
    await write(file, 'insert into t values (1)');
    await expect(
      readDatabase(file, (database) => database.all('insert into t values (9) returning a')),
    ).rejects.toThrow();
    expect(await read(file)).toEqual([1]);
  });
  it('fails with a clear error when it is damaged or not a database', async () => {
    const file = path.join(folder(), 'a.db');
    writeFileSync(file, 'SQLite format 3\0 and then something else entirely'.padEnd(5000, '.'));
    await expect(read(file)).rejects.toThrow(/a\.db: it is (?:no database|damaged)/);
    writeFileSync(file, 'hello'.repeat(500));
    await expect(read(file)).rejects.toThrow('a.db: it is no database');
    await expect(read(`${file}-nowhere`)).rejects.toThrow('it is not there');
  });
});

it('recognises a file without read permission by the error of either driver', async () => {
  const { connect } = await driver();
  let said: unknown;
  try {
    connect('file:/nowhere/at/all.db?mode=ro').prepare('select 1').all();
  } catch (error) {
    said = error;
  }
  expect(kindOf(said)).toBe('refused');
  expect(kindOf(Object.assign(new Error('denied'), { code: 'EACCES' }))).toBe('refused');
  expect(kindOf(new Error('anything else'))).toBe('other');
});
