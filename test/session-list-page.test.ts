/// <reference lib="dom" />
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeShortSessions } from '../bench/session-list.mjs';
import { findBrowser } from '../scripts/find-browser.mjs';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { programIn } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The list of all sessions in a real browser, served by the built program: more sessions than are followed or fit on a screen.

const COUNT = 450;
const home = makeTemporaryFolder('session-list');
let browser: Browser;
let context: BrowserContext;
let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  writeShortSessions(path.join(home, '.claude'), COUNT);
  // So that titles are known from the beginning.
  await programIn(home).run(['index', 'build']);
  browser = await chromium.launch(await findBrowser());
  const { child, out, ended } = programIn(home).start(['--no-open', '--json']);
  stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
  url = JSON.parse(out()).url;
  context = await browser.newContext({ viewport: { width: 1500, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(await accessTo(path.join(home, '.local/state/troupe')).createLink());
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await stop?.();
});

async function open(hash = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}${hash}`);
  await rows(page).first().waitFor();
  return page;
}
const rows = (page: Page) => page.locator('.sessions-row > a');
const count = (page: Page) => page.locator('.filter-count');
const indexInFocus = (page: Page) =>
  page.evaluate(() => Number(document.activeElement?.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1));

describe('the list of all sessions', () => {
  it('counts every session, and has only those in sight on the page', async () => {
    const page = await open();
    await expect.poll(() => count(page).innerText()).toBe(`${COUNT} sessions`);
    await expect.poll(() => rows(page).first().innerText()).toContain('add the rate limiter of number 0');
    expect(await rows(page).count()).toBeLessThan(60);
    expect(await page.locator('.sessions-row').first().getAttribute('aria-setsize')).toBe(String(COUNT));
    await page.close();
  });

  it('goes by keyboard to the last session and back, over rows that were not on the page', async () => {
    const page = await open();
    await rows(page).first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => indexInFocus(page)).toBe(COUNT - 1);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => indexInFocus(page)).toBe(COUNT - 2);
    await expect.poll(() => page.locator(':focus').innerText()).toContain(`number ${COUNT - 2}`);
    await page.keyboard.press('Home');
    await expect.poll(() => indexInFocus(page)).toBe(0);
    await page.close();
  });

  it('opens a session from long ago by a click, in the view that is open', async () => {
    const page = await open('#/graph');
    await page.getByLabel('Search sessions and agents').fill('number 444');
    await expect.poll(() => count(page).innerText()).toContain(`1 of ${COUNT}`);
    await rows(page).first().click();
    await page.locator('.graph-tree [role="treeitem"]').first().waitFor();
    expect(page.url()).toContain('#/graph/000001bc-');
    await expect.poll(() => rows(page).first().getAttribute('aria-current')).toBe('true');
    await page.close();
  });

  it('keeps filters, order, selection, moment and zoom over a reload and the way back', async () => {
    const page = await open('#/race');
    await page.getByLabel('Search sessions and agents').fill('limiter project:project-3');
    await page.getByLabel('Order of the sessions').selectOption('cost');
    await page.getByLabel('Groups of the sessions').selectOption('project');
    await expect.poll(() => page.locator('.sessions-head-name').allInnerTexts()).toContain('project-3');
    await rows(page).first().click();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const moment = page.getByLabel('Moment of the session');
    await moment.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => page.url()).toMatch(/[?&]at=\d+&window=\d+-\d+$/);
    const before = page.url();
    await page.reload();
    await rows(page).first().waitFor();
    await expect.poll(() => page.getByLabel('Order of the sessions').inputValue()).toBe('cost');
    expect(await page.getByLabel('Search sessions and agents').inputValue()).toBe('limiter project:project-3');
    await expect.poll(() => page.locator('.sessions-row > [aria-current=true]').count()).toBe(1);
    await expect.poll(() => page.getByLabel('Moment of the session').inputValue()).toBe('0');
    await page.getByRole('tab', { name: 'Graph' }).click();
    await expect.poll(() => page.url()).toContain('#/graph/');
    await page.goBack();
    await expect.poll(() => page.url()).toBe(before);
    await page.close();
  });

  it('says what is wrong with a query, and what is found by messages only', async () => {
    const page = await open();
    const problem = page.locator('.sessions-problem');
    await page.getByLabel('Search sessions and agents').fill('hots:codex');
    await expect.poll(() => problem.innerText()).toContain('did you mean "host:"');
    await page.getByLabel('Search sessions and agents').fill('tool:Bash');
    await expect.poll(() => problem.innerText()).toContain('finds messages');
    await page.getByLabel('Search sessions and agents').fill('nothingisnamedso');
    await expect.poll(() => page.locator('.sessions-none').innerText()).toBe('No session matches.');
    await page.close();
  });

  it('folds a group, and has no row beyond the edge of a phone', async () => {
    const page = await open('#/race?group=project');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: 'Sessions' }).click();
    const head = page.locator('.sessions-head button').first();
    const first = await rows(page).first().innerText();
    await head.click();
    expect(await head.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => rows(page).first().innerText()).not.toBe(first);
    const wide = await rows(page).evaluateAll((links) =>
      links.filter((link) => link.getBoundingClientRect().right > 390),
    );
    expect(wide).toHaveLength(0);
    const heights = await rows(page).evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await page.close();
  });
});
