/// <reference lib="dom" />
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { createProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// A session is exported from the built page, by the built program: a recording of the real one, with secrets written into it.

const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const LEAF = 'ab4c7b9a30ff9f65c';
/** Put together here, so that nobody who scans this repository finds them. By the words of the recording that they follow. */
const PLANTED: Readonly<Record<string, string>> = {
  'Please do the job.': `ghp${'_'}${'FAKEfake'.repeat(4)}0000`,
  'Audit this repository;': `postgres://${'demo:'}fake-Passw0rd!@db.example.invalid:5432/app`,
  'I will delegate one file.': `sk${'_live_'}${'FAKEfake'.repeat(3)}`,
  'The file looks fine.': `DB_PASSWORD${'='}correct-horse-fake-staple`,
};
const TRACES = ['FAKEfake', 'Passw0rd', 'correct-horse'];
const MAIL = 'grace.planted@mail.example.dev';

const home = createProgramHome();
let browser: Browser;
let context: BrowserContext;
let server: RunningProgram;

beforeAll(async () => {
  plant();
  browser = await chromium.launch(await findBrowser());
  server = home.start(['--no-open', '--json']);
  await vi.waitFor(() => expect(server.out().trimEnd()).toMatch(/}$/), { timeout: 30_000 });
  context = await browser.newContext({ viewport: { width: 1500, height: 950 }, reducedMotion: 'reduce' });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  server?.child.kill();
  await home.end();
});

function plant(): void {
  const project = path.join(home.home, '.claude/projects');
  const found = new Set<string>();
  for (const entry of readdirSync(project, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
    const file = path.join(entry.parentPath, entry.name);
    let text = readFileSync(file, 'utf8');
    for (const [words, secret] of Object.entries(PLANTED)) {
      if (text.includes(words)) found.add(words);
      text = text.replaceAll(words, `${words} ${secret} ${MAIL}`);
    }
    writeFileSync(file, text);
  }
  expect([...found].sort()).toEqual(Object.keys(PLANTED).sort());
}

async function open(hash: string): Promise<Page> {
  const page = await context.newPage();
  const { origin, createLink } = accessTo(home.state);
  await page.goto(await createLink());
  await page.goto(`${origin}/${hash}`);
  await page.locator('.sessions-group').first().waitFor();
  return page;
}

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Export this session' });

async function exportAs(page: Page, choice: RegExp): Promise<{ readonly name: string; readonly file: string }> {
  await sheet(page).getByRole('radio', { name: choice }).check();
  const waiting = page.waitForEvent('download');
  await sheet(page).getByRole('button', { name: 'Export', exact: true }).click();
  const download = await waiting;
  const file = path.join(home.home, download.suggestedFilename());
  await download.saveAs(file);
  await sheet(page).getByRole('status').filter({ hasText: download.suggestedFilename() }).waitFor();
  return { name: download.suggestedFilename(), file };
}

describe('Export… on the page', () => {
  it('saves a session as a page, Markdown or JSON, and nothing secret is in any of them', async () => {
    const page = await open(`#/graph/${NESTED}`);
    // The page itself shows the session as it is: there is something to take out.
    await page.getByRole('complementary', { name: 'Detail' }).getByText('FAKEfake').first().waitFor();
    await page.getByRole('complementary', { name: 'Detail' }).getByRole('button', { name: 'Export…' }).click();
    const texts: string[] = [];
    for (const [choice, ending] of [
      [/One page/, 'html'],
      [/Markdown/, 'md'],
      [/JSON/, 'json'],
    ] as const) {
      const { name, file } = await exportAs(page, choice);
      expect(name).toBe(`troupe-nested-fa129e54.${ending}`);
      const text = readFileSync(file, 'utf8');
      for (const trace of TRACES) expect(text.includes(trace), `${trace} in ${name}`).toBe(false);
      expect(text).toMatch(/redacted:github-token#1/);
      expect(text).toContain(ending === 'md' ? 'grace.planted' : MAIL);
      expect(text).not.toContain(home.home);
      texts.push(text);
    }
    const [html = '', markdown = '', json = ''] = texts;
    for (const whole of [html, json]) expect(whole).toContain('The file looks fine.');
    expect(markdown).not.toContain('The file looks fine.');
    expect(JSON.parse(json)).toMatchObject({ format: 'troupe-transcript' });
    await sheet(page)
      .getByRole('checkbox', { name: /e-mail/ })
      .check();
    const { file } = await exportAs(page, /JSON/);
    expect(readFileSync(file, 'utf8')).not.toContain('planted@');
    await page.close();
  }, 60_000);

  it('the saved page works from a file, asks for nothing, and has no way to export it again', async () => {
    const stranger = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await stranger.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const address = pathToFileURL(path.join(home.home, 'troupe-nested-fa129e54.html')).href;
    await page.goto(`${address}#/read/${NESTED}/${LEAF}`);
    await page.getByRole('feed', { name: 'Transcript' }).getByText('The file looks fine.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Export…' }).count()).toBe(0);
    await page.keyboard.press('x');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys and marks' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await page.getByRole('dialog').textContent()).not.toContain('export this session');
    // Whoever reads it is not the one who asked.
    await page.goto(`${address}#/read/${NESTED}/${NESTED}`);
    await page.getByText('asked by the person').waitFor();
    expect(asked.filter((one) => !one.startsWith(address) && !one.startsWith('data:'))).toEqual([]);
    await stranger.close();
  });

  it('by keyboard alone, over a transcript too', async () => {
    const page = await open(`#/read/${NESTED}/${LEAF}`);
    await page.getByRole('tabpanel').getByRole('button', { name: 'Export…' }).waitFor();
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').textContent()).toContain('export this session');
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await sheet(page).getByText(`troupe export ${NESTED} --out-dir ./share`).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    expect(
      await sheet(page)
        .getByRole('radio', { name: /Markdown/ })
        .isChecked(),
    ).toBe(true);
    const waiting = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    expect((await waiting).suggestedFilename()).toBe('troupe-nested-fa129e54.md');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.close();
  });

  it('explains why there is no file, and can be cancelled', async () => {
    const config = path.join(home.home, '.config/troupe/config.json');
    mkdirSync(path.dirname(config), { recursive: true });
    writeFileSync(config, '{ "redact": 7 }');
    const page = await open(`#/graph/${NESTED}`);
    const saved: string[] = [];
    page.on('download', (download) => saved.push(download.suggestedFilename()));
    await page.keyboard.press('x');
    await sheet(page).getByRole('button', { name: 'Export', exact: true }).click();
    await sheet(page).getByRole('status').filter({ hasText: 'config.json' }).waitFor();
    rmSync(config);
    await sheet(page).getByRole('button', { name: 'Export', exact: true }).click();
    // Held where it is, so that it cannot be done before somebody changes their mind.
    process.kill(await vi.waitUntil(exportProcess, { timeout: 30_000, interval: 10 }), 'SIGSTOP');
    await sheet(page).getByRole('button', { name: 'Cancel' }).click();
    await sheet(page).getByText('Nothing was saved.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Export');
    await expect.poll(exportProcess).toBeUndefined();
    expect(saved).toEqual([]);
    await page.close();
  });

  it('axe finds nothing wrong with the sheet, light and dark, on a desk and on a phone', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const [colorScheme, width] of [
      ['light', 1500],
      ['dark', 1500],
      ['light', 375],
      ['dark', 375],
    ] as const) {
      const page = await open(`#/graph/${NESTED}`);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 850 });
      await page.keyboard.press('x');
      await sheet(page).waitFor();
      const found = await page.evaluate(
        `(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`,
      );
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
        `${colorScheme} ${width}`,
      ).toEqual([]);
      const overflow = await page.evaluate(() => {
        const dialog = document.querySelector('dialog[open]');
        return dialog ? dialog.scrollWidth - dialog.clientWidth : -1;
      });
      expect(overflow).toBe(0);
      await page.close();
    }
  }, 60_000);
});

/** The one that the server has running at this moment, if any. */
function exportProcess(): number | undefined {
  const all = execFileSync('ps', ['-A', '-o', 'ppid=,pid=,args='], { encoding: 'utf8' }).split('\n');
  const own = all.map((line) => line.trim().split(/\s+/)).filter(([parent]) => parent === String(server.child.pid));
  const [, pid] = own.find((words) => words.some((word) => word.endsWith('export-process.js'))) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
