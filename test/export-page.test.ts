/// <reference lib="dom" />
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
});
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
  });

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
    const page = await open(`#/graph/${NESTED}`);
    await page.keyboard.press('x');
    await sheet(page).waitFor();
    for (const [colorScheme, width] of [
      ['light', 1500],
      ['dark', 1500],
      ['light', 375],
      ['dark', 375],
    ] as const) {
      await show(page, colorScheme, width);
      expect(await axeViolations(page), `${colorScheme} ${width}`).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    await page.close();
  });
});

describe('Review what is taken out… on the page', () => {
  const panel = (page: Page) => sheet(page).getByRole('region', { name: 'Review' });
  const list = (page: Page) => panel(page).getByRole('listbox');
  const decisions = path.join(home.state, 'redact-decisions.json');

  async function openReview(): Promise<Page> {
    const page = await open(`#/graph/${NESTED}`);
    await page.keyboard.press('x');
    await sheet(page).getByRole('button', { name: 'Review what is taken out…' }).click();
    await list(page).waitFor({ timeout: 30_000 });
    return page;
  }

  async function textOf(page: Page): Promise<string> {
    const { file } = await exportAs(page, /JSON/);
    return readFileSync(file, 'utf8');
  }

  it('lists each value once with its line and the reason, and by keyboard shows one in this file only', async () => {
    const page = await openReview();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('listbox');
    const options = await list(page).getByRole('option').allTextContents();
    expect(options.filter((text) => text.includes(PLANTED['Please do the job.'] ?? '-'))).toHaveLength(1);
    await page.keyboard.press('/');
    await page.keyboard.type('correct-horse');
    await page.keyboard.press('Enter');
    await panel(page).getByText('The name in front of it, "DB_PASSWORD", says that it is secret.').waitFor();
    expect(await panel(page).locator('pre').textContent()).toContain('DB_PASSWORD=correct-horse-fake-staple');
    await page.keyboard.press('s');
    await panel(page).getByText('show: DB_PASSWORD = correct-horse-fake-staple').waitFor();
    const text = await textOf(page);
    expect(text).toContain('correct-horse-fake-staple');
    for (const trace of ['FAKEfake', 'Passw0rd']) expect(text).not.toContain(trace);
    expect(existsSync(decisions)).toBe(false);
    // Another download does not know of it.
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    expect(await textOf(page)).not.toContain('correct-horse');
    await page.close();
  });

  it('undoes, chooses for a kind, and does not write before Export is pressed', async () => {
    const page = await openReview();
    const shown = (): Promise<number> => panel(page).locator('.review-shown').count();
    await page.keyboard.press('s');
    await expect.poll(shown).toBe(1);
    await page.keyboard.press('Home');
    await page.keyboard.press('*');
    await page.keyboard.press('u');
    await page.keyboard.press('u');
    await expect.poll(shown).toBe(0);
    await page.keyboard.press('u');
    await panel(page).getByText('There is nothing to undo.').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(existsSync(decisions)).toBe(false);
    await page.close();
  });

  it('keeps a decision for the project, for later downloads and exports, until it is taken back', async () => {
    const page = await openReview();
    await page.keyboard.press('/');
    await page.keyboard.type('correct-horse');
    await page.keyboard.press('Enter');
    await page.keyboard.press('a');
    expect(await textOf(page)).toContain('correct-horse-fake-staple');
    const kept = readFileSync(decisions, 'utf8');
    expect(kept).not.toContain('correct-horse');
    expect(statSync(decisions).mode & 0o777).toBe(0o600);
    await page.close();

    // A download without a review, and the command line, both know it.
    const later = await open(`#/graph/${NESTED}`);
    await later.keyboard.press('x');
    expect(await textOf(later)).toContain('correct-horse-fake-staple');
    await later.close();
    const folder = path.join(home.home, 'by-command');
    expect((await home.run(['export', NESTED, '-o', folder, '--format', 'json'])).code).toBe(0);
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
    expect(texts.some((text) => text.includes('correct-horse-fake-staple'))).toBe(true);

    const again = await openReview();
    await again.keyboard.press('/');
    await again.keyboard.type('correct-horse');
    await again.keyboard.press('Enter');
    await expect.poll(() => list(again).getByRole('option').first().textContent()).toContain('always show');
    await again.keyboard.press('r');
    expect(await textOf(again)).not.toContain('correct-horse');
    await again.close();
    expect(JSON.parse(readFileSync(decisions, 'utf8')).decisions).toEqual([]);
  });

  it('a value that is always redacted everywhere is gone from downloads where nothing marks it', async () => {
    const page = await openReview();
    await page.keyboard.press('/');
    await page.keyboard.type('correct-horse');
    await page.keyboard.press('Enter');
    await page.keyboard.press('x');
    await textOf(page);
    await page.close();
    const later = await open(`#/graph/${NESTED}`);
    await later.keyboard.press('x');
    expect(await textOf(later)).not.toContain('correct-horse');
    await later.close();
    expect(JSON.parse(readFileSync(decisions, 'utf8')).decisions).toMatchObject([{ decision: 'everywhere' }]);
    rmSync(decisions);
  });

  it('starts again when what is looked for changes', async () => {
    const page = await openReview();
    expect(await list(page).getByText(MAIL).count()).toBe(0);
    await sheet(page)
      .getByRole('checkbox', { name: /e-mail/ })
      .check();
    await expect.poll(() => panel(page).count()).toBe(0);
    await sheet(page).getByRole('button', { name: 'Review what is taken out…' }).click();
    await list(page).getByText(MAIL).first().waitFor({ timeout: 30_000 });
    await page.close();
  });

  it('axe finds nothing wrong with the review, light and dark, on a desk and on a phone', async () => {
    const page = await openReview();
    for (const [colorScheme, width] of [
      ['light', 1500],
      ['dark', 1500],
      ['light', 375],
      ['dark', 375],
    ] as const) {
      await show(page, colorScheme, width);
      expect(await axeViolations(page), `${colorScheme} ${width}`).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    await page.close();
  });
});

/** In a theme and on a screen of this width, until the page has painted it. */
async function show(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 850 });
  await page.waitForFunction((theme) => (document.documentElement.dataset['theme'] ?? 'light') === theme, colorScheme);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function axeViolations(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const found = await page.evaluate(`(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`);
  const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** How much wider the open sheet is than its room. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]');
    return dialog ? dialog.scrollWidth - dialog.clientWidth : -1;
  });
}

/** The one that the server has running at this moment, if any. */
function exportProcess(): number | undefined {
  const all = execFileSync('ps', ['-A', '-o', 'ppid=,pid=,args='], { encoding: 'utf8' }).split('\n');
  const own = all.map((line) => line.trim().split(/\s+/)).filter(([parent]) => parent === String(server.child.pid));
  const [, pid] = own.find((words) => words.some((word) => word.endsWith('export-process.js'))) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
