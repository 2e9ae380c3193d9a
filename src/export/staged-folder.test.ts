import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { type StagedFolder, stageFolder } from './staged-folder.ts';
import { MANIFEST_NAME } from './write-file.ts';

let home: string;
beforeEach(() => {
  home = makeTemporaryFolder('export');
});

type Pages = { readonly [name: string]: string };

async function publish(
  folder: string,
  pages: Pages,
  force = false,
): Promise<Awaited<ReturnType<StagedFolder['publish']>>> {
  const staged = await stageFolder(folder, { force });
  try {
    for (const [name, text] of Object.entries(pages)) await staged.write(name, [text]);
    return await staged.publish();
  } finally {
    await staged.close();
  }
}

const read = (file: string): string => readFileSync(path.join(home, file), 'utf8');

describe('a folder of pages', () => {
  it('is made, and nothing else is left behind', async () => {
    await publish(path.join(home, 'a/b/out'), { 'agent-1.html': 'one', 'index.html': 'all' });
    expect(readdirSync(path.join(home, 'a/b/out')).sort()).toEqual(['agent-1.html', 'index.html', MANIFEST_NAME]);
    expect(readdirSync(path.join(home, 'a/b'))).toEqual(['out']);
  });

  it('is the same twice, byte for byte', async () => {
    await publish(path.join(home, 'one'), { 'agent-1.html': 'one', 'index.html': 'all' });
    await publish(path.join(home, 'two'), { 'agent-1.html': 'one', 'index.html': 'all' });
    for (const name of readdirSync(path.join(home, 'one'))) expect(read(`two/${name}`)).toBe(read(`one/${name}`));
  });

  it('is replaced: outdated pages are removed, changed pages and other files stay', async () => {
    const folder = path.join(home, 'out');
    await publish(folder, { 'a.html': 'a', 'b.html': 'b', 'sub/c.html': 'c', 'index.html': '1' });
    writeFileSync(path.join(folder, 'b.html'), 'my own words');
    writeFileSync(path.join(folder, 'CNAME'), 'example.org');
    const { removed, kept } = await publish(folder, { 'd.html': 'd', 'index.html': '2' });
    expect({ removed, kept }).toEqual({ removed: ['a.html', 'sub/c.html'], kept: ['b.html'] });
    expect(readdirSync(folder).sort()).toEqual(['CNAME', 'b.html', 'd.html', 'index.html', MANIFEST_NAME]);
    expect(read('out/index.html')).toBe('2');
  });

  it('is refused when it is not an export; with force it is used and its files stay', async () => {
    const folder = path.join(home, 'out');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'thesis.txt'), 'years of work');
    await expect(publish(folder, { 'index.html': 'x' })).rejects.toThrow(/not empty, and not an export of troupe/);
    expect(readdirSync(home)).toEqual(['out']);
    await publish(folder, { 'index.html': 'x' }, true);
    expect(read('out/thesis.txt')).toBe('years of work');
    expect(read('out/index.html')).toBe('x');
  });

  it('that is a file, or below one, is refused in words', async () => {
    writeFileSync(path.join(home, 'file'), '');
    await expect(publish(path.join(home, 'file'), {})).rejects.toThrow('is a file, not a folder');
    await expect(publish(path.join(home, 'file/out'), {})).rejects.toThrow(UserError);
  });

  it('writes nothing when a page would be outside of the folder', async () => {
    for (const name of ['../x.html', '/x.html', 'a/../../x.html', 'a/b/c.html', '.x', '', MANIFEST_NAME, 'a\0b']) {
      await expect(publish(path.join(home, 'out'), { [name]: 'x' })).rejects.toThrow(/no name of a page/);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it('is written to the target of a link', async () => {
    mkdirSync(path.join(home, 'real'));
    symlinkSync(path.join(home, 'real'), path.join(home, 'link'));
    await publish(path.join(home, 'link'), { 'index.html': 'x' });
    expect(read('real/index.html')).toBe('x');
  });

  it('does not write through a link in place of a page', async () => {
    writeFileSync(path.join(home, 'precious'), 'mine');
    mkdirSync(path.join(home, 'out'));
    symlinkSync(path.join(home, 'precious'), path.join(home, 'out/index.html'));
    await publish(path.join(home, 'out'), { 'index.html': 'x' }, true);
    expect(read('precious')).toBe('mine');
    expect(read('out/index.html')).toBe('x');
  });

  it('is written by one at a time', async () => {
    const folder = path.join(home, 'out');
    const first = await stageFolder(folder, { force: false });
    await expect(stageFolder(folder, { force: false })).rejects.toThrow(/Another troupe is writing/);
    await first.close();
    await publish(folder, { 'index.html': 'x' });
  });

  it('keeps a character that falls between two batches', async () => {
    const text = `${'x'.repeat(128 * 1024 - 1)}😀`;
    const staged = await stageFolder(path.join(home, 'out'), { force: false });
    await staged.write('index.html', [text.slice(0, -1), text.slice(-1)]);
    await staged.publish();
    await staged.close();
    expect(read('out/index.html')).toBe(text);
  });

  it('stays as it was when a page cannot be made', async () => {
    const folder = path.join(home, 'out');
    await publish(folder, { 'index.html': 'old' });
    const staged = await stageFolder(folder, { force: false });
    await expect(staged.write('a.html', failing())).rejects.toThrow('no more');
    await staged.close();
    expect(read('out/index.html')).toBe('old');
    expect(readdirSync(home)).toEqual(['out']);
  });
});

function* failing(): Iterable<string> {
  yield 'half of a page';
  throw new Error('no more');
}

describe('parts that are brought to their places one by one', () => {
  const sign = (text: string) => `${text.length}`;
  const stage = (secret = sign) => stageFolder(path.join(home, 'out'), { force: false, sign: secret });
  /** As if it was interrupted then. */
  async function begin(): Promise<void> {
    const staged = await stage();
    await staged.write('one/index.html', ['one']);
    await staged.publishPart('first', { said: 1 });
    await staged.write('two/index.html', ['half of it']);
    await staged.close();
  }

  it('are there before the index, and are known to the next run', async () => {
    await begin();
    expect(readdirSync(path.join(home, 'out')).sort()).toEqual(['one', 'troupe-export.unfinished']);
    const staged = await stage();
    expect(await staged.readPart('first')).toEqual({ said: 1 });
    expect(await staged.readPart('second')).toBeUndefined();
    await staged.write('index.html', ['all']);
    const { files } = await staged.publish();
    await staged.close();
    expect(files.map(({ name }) => name)).toEqual(['one/index.html', 'index.html']);
    expect(readdirSync(path.join(home, 'out')).sort()).toEqual(['index.html', 'one', MANIFEST_NAME]);
  });

  it('are not taken from a run that somebody else says there was, nor if a page was changed', async () => {
    await begin();
    const other = await stage((text) => `other ${text.length}`);
    expect(await other.readPart('first')).toBeUndefined();
    await other.close();
    writeFileSync(path.join(home, 'out/one/index.html'), 'my own words');
    const staged = await stage();
    expect(await staged.readPart('first')).toBeUndefined();
    await staged.close();
  });

  it('are removed if a later run does not have them', async () => {
    await begin();
    const { removed } = await publish(path.join(home, 'out'), { 'index.html': 'another' });
    expect(removed).toEqual(['one/index.html']);
    expect(readdirSync(path.join(home, 'out')).sort()).toEqual(['index.html', MANIFEST_NAME]);
  });
});

describe('killed at any moment', () => {
  let scripts: string;
  beforeAll(async () => {
    scripts = makeTemporaryFolder('export-script');
    await build({
      entryPoints: [fileURLToPath(new URL('./testing/staging-process.ts', import.meta.url))],
      outfile: path.join(scripts, 'stage.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'error',
    });
  });

  /** `kill`: as soon as that page is in its place, or so many milliseconds after the beginning. */
  async function run(folder: string, edition: number, pages: number, kill: { page?: number; ms?: number } = {}) {
    const args = [folder, String(edition), String(pages), ...(kill.page === undefined ? [] : [String(kill.page)])];
    const child = spawn(process.execPath, [path.join(scripts, 'stage.mjs'), ...args], { stdio: 'inherit' });
    if (kill.ms !== undefined) setTimeout(() => child.kill('SIGKILL'), kill.ms);
    await once(child, 'close');
  }

  /** Which edition is whole in a folder. */
  function editionIn(folder: string): string | undefined {
    if (!existsSync(path.join(folder, 'index.html'))) return undefined;
    const [, edition, pages] =
      /edition (\d+) of (\d+) pages/.exec(readFileSync(path.join(folder, 'index.html'), 'utf8')) ?? [];
    for (let page = 1; page <= Number(pages); page++) {
      const file = path.join(folder, `agent-${page}.html`);
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (!text.startsWith(`edition ${edition} page ${page}\n`) || !text.endsWith('\nend\n')) return undefined;
    }
    return edition;
  }

  it('the old or the new export is whole, in its place or beside it, and the next run restores it', async () => {
    const folder = path.join(home, 'out');
    await run(folder, 1, 40);
    expect(editionIn(folder)).toBe('1');
    let halfway = 0;
    for (let round = 0; round < 24; round++) {
      const pages = 30 + (round % 3) * 20;
      await run(folder, round + 2, pages, round % 4 === 0 ? { ms: 40 + round } : { page: 1 + ((round * 7) % pages) });
      const beside = path.join(home, '.out.troupe-export');
      const isWhole = editionIn(folder) !== undefined;
      if (!isWhole) {
        halfway++;
        expect(existsSync(path.join(beside, 'complete'))).toBe(true);
        // Not of this run where it was killed before it had brought in that of the last one.
        const whole = editionIn(path.join(beside, 'new'));
        expect(whole).toBeDefined();
        // Restored by a run that itself comes to nothing.
        cpSync(home, `${home}-copy`, { recursive: true });
        const staged = await stageFolder(path.join(`${home}-copy`, 'out'), { force: false });
        await staged.close();
        expect(editionIn(path.join(`${home}-copy`, 'out'))).toBe(whole);
        rmSync(`${home}-copy`, { recursive: true });
      }
    }
    await run(folder, 99, 35);
    expect(editionIn(folder)).toBe('99');
    expect(readdirSync(home)).toEqual(['out']);
    expect(readdirSync(folder).length).toBe(37);
    // If none was caught in the middle, this test proves nothing of it.
    expect(halfway).toBeGreaterThan(0);
  });
});
