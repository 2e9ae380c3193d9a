import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from './testing/seed.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';
import { until } from './testing/waiting.ts';
import { FolderWatch } from './watch-folders.ts';

let root = '';
let watch: FolderWatch | undefined;
let found: string[] = [];
beforeEach(async () => {
  root = makeTemporaryFolder('watch');
  mkdirSync(path.join(root, 'a/b'), { recursive: true });
  writeFileSync(path.join(root, 'a/b/one.jsonl'), '');
  found = [];
  watch = new FolderWatch(root, { onChange: (place) => void found.push(place) });
  await watch.ready;
});
afterEach(() => {
  watch?.close();
});

const reported = (name: string) => until(() => found.includes(path.join(root, name)), name);

describe('FolderWatch', () => {
  it('reports appends, new files, and files in folders created in one step', async () => {
    appendFileSync(path.join(root, 'a/b/one.jsonl'), 'x\n');
    await reported('a/b/one.jsonl');
    writeFileSync(path.join(root, 'a/two.jsonl'), 'x\n');
    await reported('a/two.jsonl');
    mkdirSync(path.join(root, 'c/d/e'), { recursive: true });
    writeFileSync(path.join(root, 'c/d/e/three.jsonl'), 'x\n');
    await reported('c/d/e/three.jsonl');
    writeFileSync(path.join(root, 'c/d/e/four.jsonl'), 'x\n');
    await reported('c/d/e/four.jsonl');
    found = [];
    appendFileSync(path.join(root, 'c/d/e/three.jsonl'), 'y\n');
    await reported('c/d/e/three.jsonl');
  });

  it('continues when a folder is removed and created again', async () => {
    rmSync(path.join(root, 'a'), { recursive: true });
    await reported('a');
    mkdirSync(path.join(root, 'a/b'), { recursive: true });
    writeFileSync(path.join(root, 'a/b/again.jsonl'), 'x\n');
    await reported('a/b/again.jsonl');
    writeFileSync(path.join(root, 'a/b/more.jsonl'), 'x\n');
    await reported('a/b/more.jsonl');
  });

  it('reports nothing once closed', async () => {
    const places: string[] = [];
    const closed = new FolderWatch(root, { onChange: (place) => void places.push(place) });
    await closed.ready;
    closed.close();
    writeFileSync(path.join(root, 'a/b/later.jsonl'), 'x\n');
    await reported('a/b/later.jsonl');
    expect(places).toEqual([]);
  });

  it('reports every file when folders are replaced faster than they can be walked', async () => {
    const random = createRandom();
    const seen = new Set<string>();
    const busy = new FolderWatch(root, { onChange: (place) => void seen.add(place) });
    await busy.ready;
    const turns = async (most: number): Promise<void> => {
      for (let left = Math.floor(random() * most); left > 0; left--) await new Promise(setImmediate);
    };
    for (let round = 0; round < 150; round++) {
      for (let step = 0; step < 3; step++) {
        rmSync(path.join(root, 'a'), { recursive: true });
        for (let at = 0; at < 6; at++) mkdirSync(path.join(root, `a/${at}`), { recursive: true });
        await turns(12);
        renameSync(path.join(root, 'a/5'), path.join(root, 'a/6'));
        mkdirSync(path.join(root, 'a/5'));
        await turns(12);
      }
      seen.clear();
      const last = path.join(root, 'a/5', `${round}.jsonl`);
      writeFileSync(last, 'x');
      await expect.poll(() => seen.has(last), { timeout: 5_000, interval: 2 }).toBe(true);
    }
    busy.close();
  });

  it('accepts a missing folder, and watches it whenever it appears', async () => {
    const late = path.join(root, 'not', 'there', 'yet');
    const places: string[] = [];
    const waiting = new FolderWatch(late, { onChange: (place) => void places.push(path.relative(late, place)) });
    const tells = (name: string) => until(() => places.includes(name), name);
    await waiting.ready;
    mkdirSync(late, { recursive: true });
    writeFileSync(path.join(late, 'one.jsonl'), '');
    await tells('one.jsonl');
    rmSync(path.join(root, 'not'), { recursive: true });
    await tells('');
    mkdirSync(late, { recursive: true });
    writeFileSync(path.join(late, 'two.jsonl'), '');
    await tells('two.jsonl');
    waiting.close();
  });

  it('finds new files in folders that cannot be watched, without reporting others', async () => {
    const places: string[] = [];
    const refuse = (): never => {
      throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' });
    };
    const onChange = (place: string): void => void places.push(path.relative(root, place));
    const blind = new FolderWatch(root, { onChange, watch: refuse });
    await blind.ready;
    expect(blind.counts()).toEqual({ folders: 3, unwatched: 3, isLimitReached: true });
    await blind.readUnwatched();
    expect(places).toEqual([]);
    appendFileSync(path.join(root, 'a/b/one.jsonl'), 'x\n');
    writeFileSync(path.join(root, 'a/two.jsonl'), '');
    await blind.readUnwatched();
    expect(new Set(places)).toEqual(new Set(['a/b/one.jsonl', 'a/two.jsonl']));
    blind.close();
  });
});
