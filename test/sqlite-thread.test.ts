import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { kindOf } from '../src/lib/sqlite-driver.ts';
import { createSqliteThread, type SqliteThread } from '../src/lib/sqlite-thread.ts';
import { startWriter } from '../src/lib/testing/databases.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';

const worker = new URL('../dist/sqlite-worker.js', import.meta.url);
const folder = makeTemporaryFolder('sqlite-thread');
const file = path.join(folder, 'a.db');
const uri = `${pathToFileURL(file).href}?immutable=1`;
const WORDS = "select cast('«' || a as blob) as word from t where a >= ? order by a";

beforeAll(async () => {
  const writer = await startWriter(file);
  await writer.run('create table t (a integer)', 'insert into t values (1), (2), (3)');
  await writer.close();
});

const HERE = [{ word: 'asked here' }];
const here = (): typeof HERE => HERE;

/** Nobody waits for a thread that starts: until then it is asked here. */
async function untilReady(thread: SqliteThread): Promise<readonly unknown[]> {
  for (;;) {
    const rows = await thread.ask(WORDS, [1], here);
    if (rows !== HERE) return rows;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it('answers with texts, each question with its own, once it is there', async () => {
  const thread = createSqliteThread(uri, 0, { file: worker, longMs: 0 });
  expect(await thread.ask(WORDS, [1], here)).toBe(HERE);
  expect(await untilReady(thread)).toEqual([{ word: '«1' }, { word: '«2' }, { word: '«3' }]);
  const answers = await Promise.all([1, 2, 3, 4].map((from) => thread.ask(WORDS, [from], here)));
  expect(answers.map((rows) => rows.length)).toEqual([3, 2, 1, 0]);
  thread.close();
  expect(await thread.ask(WORDS, [1], here)).toBe(HERE);
});

it('does not begin for what is quickly read', async () => {
  const thread = createSqliteThread(uri, 0, { file: worker, longMs: 60_000 });
  for (let turn = 0; turn < 20; turn++) {
    expect(await thread.ask(WORDS, [1], here)).toBe(HERE);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

it('tells what is wrong as the database told it, and goes on', async () => {
  const thread = createSqliteThread(uri, 0, { file: worker, longMs: 0 });
  await untilReady(thread);
  await expect(thread.ask('select a from nowhere', [], here)).rejects.toThrow('nowhere');
  const error = await thread.ask('insert into t values (4)', [], here).catch((reason: unknown) => reason);
  expect(kindOf(error)).toBe('refused');
  expect(await thread.ask(WORDS, [3], here)).toEqual([{ word: '«3' }]);
  thread.close();
});

it('leaves those who wait to themselves where it ends, or never begins', async () => {
  const thread = createSqliteThread(uri, 0, { file: worker, longMs: 0 });
  await untilReady(thread);
  const waiting = thread.ask(WORDS, [1], here);
  thread.close();
  expect(await waiting).toBe(HERE);
  const nobody = createSqliteThread(uri, 0, { file: new URL('./nobody.js', worker), longMs: 0 });
  for (let turn = 0; turn < 3; turn++) expect(await nobody.ask(WORDS, [1], here)).toBe(HERE);
  nobody.close();
});
