import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { fillSample } from '../src/redact/testing/fill-sample.ts';
import { programIn } from './testing/program.ts';

// Large sessions are exported by several threads. Here small ones are, because somebody wished for it.

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = path.join(root, 'src/hosts/claude-code/fixtures');
const work = makeTemporaryFolder('threads');

const troupe = programIn(path.join(work, 'home'));
const envWith = (threads: number) => ({ TROUPE_EXPORT_THREADS: String(threads), NODE_OPTIONS: LATER });

const PLANTED = 'planted';
const planted = path.join(work, 'source');
const tokens = [1, 2, 3, 4, 5].map((seed) => fillSample('ghp_{an:36}', seed).text);

/** A recording in which every agent says a secret of its own, and those of others; one names a person that others know, too. */
function plant(): void {
  cpSync(path.join(fixtures, '2.1.325-parallel'), planted, { recursive: true });
  const files = readdirSync(planted, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  expect(files.length).toBeGreaterThan(2);
  for (const [index, file] of files.sort().entries()) {
    const place = path.join(planted, file);
    const other = Buffer.from(tokens[(index + 2) % tokens.length] ?? '').toString('base64');
    const words = `${tokens[index % tokens.length]} ${other} for alexandra ${tokens[0]?.slice(0, 20)}… `;
    const said = readFileSync(place, 'utf8').replaceAll('"text":"', `"text":"${words}`);
    writeFileSync(place, index === 1 ? said.replaceAll('"input":{', '"input":{"cwd":"/home/alexandra/x",') : said);
  }
}
beforeAll(plant);
/** Files that were written in the last seconds are read twice (`src/lib/fingerprint.ts`): for the program, it is a minute later. */
const LATER = '--import=data:text/javascript,globalThis.clock=Date.now;Date.now=()=>clock()+60000';

/** Every file of an export, by its name. */
async function exported(
  name: string,
  threads: number,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const folder = path.join(work, `${name}-${threads}`);
  const source = name === PLANTED ? planted : path.join(fixtures, name);
  const args = ['export', '--root', source, '-o', folder, '--force', ...flags];
  expect(await troupe.run(args, { env: { ...envWith(threads), ...env } })).toMatchObject({ code: 0 });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const pages = files.filter((file) => statSync(path.join(folder, file)).isFile());
  return Object.fromEntries(pages.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
}

it('starts as many threads as the setting says', async () => {
  const profiles = path.join(work, 'profiles');
  // There is one of each thread.
  const instead = [
    ...[process.execPath, '--cpu-prof', `--cpu-prof-dir=${profiles}`, 'dist/troupe.js'],
    ...['export', '--root', planted, '-o', path.join(work, 'counted')],
  ];
  expect(await troupe.run([], { instead, env: envWith(3) })).toMatchObject({ code: 0 });
  expect(readdirSync(profiles)).toHaveLength(3);
});

describe('exports the same pages with one thread and with several', () => {
  it.each([
    [PLANTED, ['-f', 'html,md'], [2, 4]],
    [PLANTED, ['-f', 'html,md,json', '--compact', '--redact', 'pii'], [3]],
    ['2.1.325-nested-deep', ['-f', 'html', '--page-size', '2'], [3]],
    ['2.1.325-team', ['--no-redact'], [3]],
    ['2.1.325-orphan-forked', ['--single-file'], [3]],
    ['1.0.60-parallel', ['-f', 'html,md'], [3]],
    ['derived-2.1.20-progress-only', ['-f', 'html,md'], [3]],
  ])('%s %j', async (name, flags, several) => {
    const [alone = {}, ...together] = await Promise.all(
      [1, ...several].map((threads) => exported(name, threads, flags)),
    );
    expect(Object.keys(alone).length).toBeGreaterThan(1);
    if (name === PLANTED) {
      expect(JSON.parse(alone['redactions.json'] ?? '').secrets).toBeGreaterThan(4);
      for (const text of Object.values(alone)) for (const token of tokens) expect(text).not.toContain(token);
    }
    for (const pages of together) expect(pages).toEqual(alone);
  });
});

it('exports in one thread when no other can start', async () => {
  const preload = path.join(work, 'no-threads.cjs');
  writeFileSync(preload, "if (!require('node:worker_threads').isMainThread) throw new Error('no room');");
  const alone = await exported(PLANTED, 1, ['-f', 'html,md']);
  const crowded = await exported(PLANTED, 3, ['-f', 'html,md'], { NODE_OPTIONS: `--require ${preload} ${LATER}` });
  expect(crowded).toEqual(alone);
});

it.skipIf(process.platform === 'win32')('reports an error of another thread like one of its own', async () => {
  const folder = path.join(work, 'full');
  // No file may become larger than 8 blocks of 512 bytes: less than any page.
  const before = ['sh', '-c', 'trap "" XFSZ; ulimit -f 8; exec "$@"', 'sh'];
  const args = ['export', '--root', path.join(fixtures, '2.1.325-parallel'), '-o', folder];
  const run = await troupe.run(args, { before, env: envWith(2) });
  expect(run.errors).toContain('a file may not become that large there');
  expect(run.code).toBe(2);
  expect(readdirSync(work)).not.toContain('full');
});
