/// <reference lib="dom" />
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeShortSessions } from '../bench/session-list.mjs';
import { findBrowser } from '../scripts/find-browser.mjs';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { programIn } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The search box of the page in a real browser, served by the built program.

const home = makeTemporaryFolder('search-page');
const state = path.join(home, '.local/state/troupe');
const data = path.join(home, '.claude');
const KEY = ['ghp', 'Zx8Qm2Lw9Rt4Yv7Kc1Nb6Hs3Jd5Fg0Pa2Ue'].join('_');
let browser: Browser;
let context: BrowserContext;
let page: Page;
let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  writeShortSessions(data, 12);
  const file = path.join(data, 'projects/-home-dev-project-3/00000003-d574-4fea-bbfe-0dd74bbd38cd.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('of number 3', `with the pelican token ${KEY}`));
  browser = await chromium.launch(await findBrowser());
  const { child, out, ended } = programIn(home).start(['--no-open', '--json']);
  stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
  url = JSON.parse(out()).url;
  context = await browser.newContext({ viewport: { width: 1500, height: 900 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  await page.goto(await accessTo(state).createLink());
  await page.locator('.sessions-row > a').first().waitFor();
});
afterAll(async () => {
  await browser?.close();
  await stop?.();
});

const daemon = () => JSON.parse(readFileSync(path.join(state, 'daemon.json'), 'utf8'));
const ask = (route: string, body?: unknown) =>
  fetch(new URL(route, url), {
    headers: { authorization: `Bearer ${daemon().token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
const misfits = (name: string, value: unknown): string => {
  const schema = JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.validate(schema, value) ? '' : ajv.errorsText();
};

describe('the search box of the page', () => {
  it('has no index before the person agreed, which no program with the token can', async () => {
    await page.getByLabel('Search sessions and agents').fill('pelican');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Search in messages?' }).waitFor();
    const refused = await ask('api/search/index', { allow: true });
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'only-browsers']);
    expect((await ask('api/search/index', { allow: 'yes' })).status).toBe(400);
    expect(existsSync(path.join(state, 'history/text.db'))).toBe(false);
    expect((await (await ask('api/search?q=pelican')).json()).index.state).toBe('undecided');
  });

  it('finds messages once the person agreed, and opens them at their place', async () => {
    await page.getByRole('button', { name: 'Make the index' }).click();
    await page.locator('.hits-session a').first().waitFor();
    await expect.poll(() => page.locator('.hits [role=status]').innerText()).toContain('2 messages in 1 session');
    expect(await page.locator('.hits mark').first().innerText()).toBe('pelican');
    expect(await page.locator('.hits-path').first().innerText()).toMatch(/^main\s*› prompt/);
    await page.locator('.hits-session a', { hasText: 'answer' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/read\/00000003-[^/]+\/00000003-[^/]+\/1\?q=pelican&in=messages$/);
    await page.locator('.app-view').getByText('Done: check').first().waitFor();
    await page.reload();
    await page.locator('.hits-session a').first().waitFor();
    expect(await page.getByLabel('Search sessions and agents').inputValue()).toBe('pelican');
  });

  it('shows secrets to the person on the page, and to no program', async () => {
    await expect.poll(() => page.locator('.hits').innerText()).toContain(KEY);
    const report = await (await ask('api/search?q=pelican')).json();
    expect(misfits('search', report)).toBe('');
    expect(report.isRedacted).toBe(true);
    expect(JSON.stringify(report)).not.toContain(KEY);
    expect(report.sessions[0].messages).toHaveLength(2);
  });

  it('says that nothing matches, and what is wrong with a query', async () => {
    const status = page.locator('.hits [role=status]');
    await page.getByLabel('Search sessions and agents').fill('nothingissaidso');
    await expect.poll(() => status.innerText()).toBe('No message matches.');
    await page.getByLabel('Search sessions and agents').fill('after:someday x');
    await expect.poll(() => status.innerText()).toContain('"after:someday" is not a time.');
    for (const query of ['limit=0', 'hits=51']) expect((await ask(`api/search?q=x&${query}`)).status).toBe(400);
  });
});
