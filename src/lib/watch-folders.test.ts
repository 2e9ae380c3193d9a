import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from './testing/seed.ts';
import { type FolderWatch, watchFolders } from './watch-folders.ts';

let root = '';
let watch: FolderWatch | undefined;
let changes = 0;
beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-watch-'));
  mkdirSync(path.join(root, 'a/b'), { recursive: true });
  writeFileSync(path.join(root, 'a/b/one.jsonl'), '');
  watch = watchFolders(root, { onChange: () => changes++ });
  // It looks as soon as it tells of the deepest folder.
  for (let wait = 0; wait < 2_000 && changes === 0; wait++) {
    appendFileSync(path.join(root, 'a/b/one.jsonl'), '\n');
    await pause(20);
  }
  await pause(100);
  changes = 0;
});
afterEach(() => {
  watch?.close();
  rmSync(root, { recursive: true, force: true });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function told(): Promise<boolean> {
  for (let wait = 0; wait < 4_000 && changes === 0; wait++) await pause(10);
  const was = changes;
  await pause(30);
  changes = 0;
  return was > 0;
}

describe('watchFolders', () => {
  it('tells of appends, new files, and files in folders made at once', async () => {
    appendFileSync(path.join(root, 'a/b/one.jsonl'), 'x\n');
    expect(await told()).toBe(true);
    writeFileSync(path.join(root, 'a/two.jsonl'), 'x\n');
    expect(await told()).toBe(true);
    mkdirSync(path.join(root, 'c/d/e'), { recursive: true });
    writeFileSync(path.join(root, 'c/d/e/three.jsonl'), 'x\n');
    expect(await told()).toBe(true);
    await pause(50);
    changes = 0;
    appendFileSync(path.join(root, 'c/d/e/three.jsonl'), 'y\n');
    expect(await told()).toBe(true);
  });

  it('goes on when a folder is removed and made again, and says nothing once closed', async () => {
    rmSync(path.join(root, 'a'), { recursive: true });
    expect(await told()).toBe(true);
    mkdirSync(path.join(root, 'a/b'), { recursive: true });
    expect(await told()).toBe(true);
    await pause(50);
    changes = 0;
    writeFileSync(path.join(root, 'a/b/again.jsonl'), 'x\n');
    expect(await told()).toBe(true);
    watch?.close();
    writeFileSync(path.join(root, 'a/b/later.jsonl'), 'x\n');
    await pause(100);
    expect(changes).toBe(0);
  });

  it('reports every file when folders are replaced faster than they can be walked', async () => {
    const random = createRandom();
    const found = new Set<string>();
    const busy = watchFolders(root, { onChange: (place) => void found.add(place) });
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
      found.clear();
      const last = path.join(root, 'a/5', `${round}.jsonl`);
      writeFileSync(last, 'x');
      await expect.poll(() => found.has(last), { timeout: 5_000, interval: 2 }).toBe(true);
    }
    busy.close();
  });

  it('a folder that is not there is no error, and is watched once it appears, and again when it comes back', async () => {
    const late = path.join(root, 'not', 'there', 'yet');
    const places: string[] = [];
    const waiting = watchFolders(late, { onChange: (place) => void places.push(path.relative(late, place)) });
    const tells = async (name: string): Promise<void> => {
      for (let wait = 0; wait < 4_000 && !places.includes(name); wait++) await pause(10);
      expect(places).toContain(name);
    };
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

  it('finds what was written in folders that cannot be watched, and only that', async () => {
    const places: string[] = [];
    const refuse = (): never => {
      throw Object.assign(new Error('no more watches'), { code: 'ENOSPC' });
    };
    const onChange = (place: string): void => void places.push(path.relative(root, place));
    const blind = watchFolders(root, { onChange, watch: refuse });
    await blind.ready;
    expect(blind.counts()).toEqual({ folders: 3, unwatched: 3, isLimitReached: true });
    await blind.lookAtUnwatched();
    expect(places).toEqual([]);
    appendFileSync(path.join(root, 'a/b/one.jsonl'), 'x\n');
    writeFileSync(path.join(root, 'a/two.jsonl'), '');
    await blind.lookAtUnwatched();
    expect(new Set(places)).toEqual(new Set(['a/b/one.jsonl', 'a/two.jsonl']));
    blind.close();
  });
});
