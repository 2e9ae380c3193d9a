/// <reference lib="dom" />
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { programIn } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The built page in a real browser, served by the built program, over recordings of the real one.

const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = path.join(root, 'src/hosts/claude-code/fixtures');
const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const AUDIT = 'a2ca437af9f568b24';
const RECORDINGS = ['2.1.325-nested', '2.1.325-xss', '2.1.325-failing', '2.1.325-parallel'];

interface Served {
  readonly url: string;
  /** A browser is logged in by the first page that is opened. */
  link: string | undefined;
  readonly child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const home = makeTemporaryFolder('page');
const data = path.join(home, '.claude');
let browser: Browser;
let context: BrowserContext;
let server: Served;
/** What the browser complained about, and what it asked for elsewhere. */
const complaints: string[] = [];

beforeAll(async () => {
  for (const name of RECORDINGS) cpSync(path.join(fixtures, name), data, { recursive: true });
  browser = await chromium.launch(await findBrowser());
  server = await serve();
  context = await browser.newContext({ viewport: { width: 1500, height: 950 }, reducedMotion: 'reduce' });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function serve(...args: readonly string[]): Promise<Served> {
  const { child, out, ended } = programIn(home).start(['--no-open', '--json', ...args]);
  await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
  const { url, loginUrl } = JSON.parse(out());
  return {
    url,
    // The demo is found by nobody else, and gives out one link.
    link: loginUrl ?? (await accessTo(path.join(home, '.local/state/troupe')).createLink()),
    child,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}

async function open(hash = '', where = server): Promise<Page> {
  const page = await context.newPage();
  const { host } = new URL(where.url);
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host !== host && url.protocol !== 'data:') complaints.push(`asked elsewhere: ${request.url()}`);
  });
  const { link } = where;
  if (link !== undefined) await page.goto(link);
  where.link = undefined;
  await page.goto(`${where.url}${hash}`);
  await page.locator('.sessions-group').first().waitFor();
  return page;
}

const lanes = (page: Page, session = NESTED) => page.locator(`.race-mirror [data-session="${session}"]`);
const tab = (page: Page, name: string) => page.getByRole('tab', { name });

/** Finished sessions are parked behind one row: open it. */
/** Until the view has its data and has been painted. */
async function drawn(page: Page, view: string): Promise<void> {
  const panel = page.locator(`[role=tabpanel][aria-labelledby="tab-${view}"]`);
  await panel.locator('> *').first().waitFor();
  await panel.locator('.empty-loading, [aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function openEarlier(page: Page): Promise<void> {
  const earlier = page.locator('.race-mirror [data-row="earlier"]');
  if ((await earlier.count()) > 0 && (await earlier.getAttribute('aria-expanded')) === 'false') {
    await earlier.focus();
    await page.keyboard.press('Enter');
  }
}

describe('the page', () => {
  it('race: a lane for each agent, with name, status and position, for eyes that cannot see it', async () => {
    const page = await open('#/race');
    await openEarlier(page);
    await lanes(page).first().waitFor();
    const main = lanes(page).first();
    expect(await main.getAttribute('data-status')).toBe('completed');
    expect(Number(await main.getAttribute('data-position'))).toBeGreaterThan(0);
    await page.close();
  });

  it('graph: who asked whom as a tree that folds', async () => {
    const page = await open(`#/graph/${NESTED}`);
    const cards = page.locator('.graph-tree [role="treeitem"]');
    await expect.poll(() => cards.count()).toBe(4);
    await page.getByRole('button', { name: /^Fold 2 sub-agents/ }).click();
    await expect.poll(() => cards.count()).toBe(2);
    await page.close();
  });

  it('timeline: a row for each agent; the scrubber takes every view into the past', async () => {
    const page = await open(`#/timeline/${NESTED}`);
    await page.locator('.timeline').waitFor();
    const moment = page.getByLabel('Moment of the session');
    await moment.waitFor();
    await moment.focus();
    await page.keyboard.press('Home');
    await tab(page, 'Graph').click();
    await expect.poll(() => page.locator('.graph-tree [role="treeitem"]').count()).toBe(1);
    await tab(page, 'Timeline').click();
    await moment.focus();
    await page.keyboard.press('End');
    await tab(page, 'Graph').click();
    await expect.poll(() => page.locator('.graph-tree [role="treeitem"]').count()).toBe(4);
    await page.close();
  });

  it('panel: everything about the agent that is selected', async () => {
    const page = await open(`#/graph/${NESTED}/${AUDIT}`);
    const panel = page.getByRole('complementary', { name: 'Detail' });
    // What it was asked is read from its transcript.
    await panel.getByText('Audit this repository').waitFor();
    const text = (await panel.textContent()) ?? '';
    for (const word of ['Audit this repository', 'claude-sonnet-4-5', 'Check app.js', 'Check util.js', '$'])
      expect(text).toContain(word);
    await page.close();
  });

  it('reader: through a door into the sub-agent, back again, and found by a link', async () => {
    const page = await open(`#/read/${NESTED}/${AUDIT}`);
    const feed = page.getByRole('feed', { name: 'Transcript' });
    await feed.getByText('I will delegate one file.').waitFor();
    await feed.getByText('open →').first().click();
    await expect.poll(() => page.url()).toContain('ab4c7b9a30ff9f65c');
    await feed.getByText('The file looks fine.').first().waitFor();
    await page.getByRole('navigation', { name: 'Who asked whom' }).getByText('Audit the repo').click();
    await expect.poll(() => page.url()).toContain(AUDIT);
    await page.keyboard.press('/');
    await page
      .getByRole('textbox', { name: 'Find in this transcript' })
      .or(page.getByLabel('Find in this transcript').getByRole('searchbox'))
      .first()
      .fill('delegate');
    await page.locator('.read-find-count').filter({ hasText: /of \d/ }).waitFor();
    await page.close();
  });

  it('filters sessions by text, and says when nothing matches', async () => {
    const page = await open();
    const search = page.getByLabel('Search sessions and agents');
    await search.fill('Audit the repo');
    const rows = page.getByRole('navigation', { name: 'Sessions' }).getByText('play:nested');
    await expect.poll(() => rows.count()).toBe(1);
    await search.fill('no such thing anywhere');
    await page.getByRole('main').getByRole('status').first().waitFor();
    await page.close();
  });

  it('by keyboard: views, help, the next session', async () => {
    const page = await open(`#/race/${NESTED}`);
    await page.keyboard.press('2');
    await expect.poll(() => tab(page, 'Graph').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('4');
    await expect.poll(() => page.url()).toContain('#/read/');
    await page.keyboard.press('1');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.close();
  });

  it('follows a session that is written while it looks, and reconnects when the server was away', async () => {
    const page = await open();
    const from = path.join(fixtures, '2.1.325-background');
    for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.parentPath.includes('projects')) continue;
      const source = path.join(entry.parentPath, entry.name);
      const target = path.join(data, path.relative(from, source));
      mkdirSync(path.dirname(target), { recursive: true });
      for (const line of readFileSync(source, 'utf8').split(/(?<=\n)/)) appendFileSync(target, line);
    }
    const sessions = page.getByRole('navigation', { name: 'Sessions' });
    await sessions.getByText('play:background').waitFor();
    await server.stop('SIGKILL');
    await page.getByRole('alert').waitFor();
    server = await serve();
    await expect.poll(() => page.getByRole('alert').count(), { timeout: 30_000 }).toBe(0);
    const file = path.join(data, 'projects/-home-dev-nested', `${NESTED}.jsonl`);
    appendFileSync(file, `${JSON.stringify({ type: 'custom-title', customTitle: 'A new name', sessionId: NESTED })}\n`);
    await sessions.getByText('A new name').waitFor();
    await page.close();
    complaints.length = 0;
  });

  it('hostile text executes nothing, in every view', async () => {
    const id = readdirSync(path.join(data, 'projects')).flatMap((project) =>
      project.includes('xss') ? readdirSync(path.join(data, 'projects', project)) : [],
    )[0];
    const session = (id ?? '').replace(/\.jsonl$/, '');
    for (const view of ['race', 'graph', 'timeline', 'read', 'guard']) {
      const page = await open(`#/${view}/${session}`);
      await drawn(page, view);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(width, view).toBeLessThanOrEqual(0);
      const links = await page.evaluate(() =>
        [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href') ?? ''),
      );
      expect(links.filter((href) => /^\s*(javascript|data|vbscript):/i.test(href))).toEqual([]);
      await page.close();
    }
    expect(complaints).toEqual([]);
  });

  it('asks a browser that is not logged in to log in, and shows no data', async () => {
    const stranger = await browser.newContext();
    const page = await stranger.newPage();
    await page.goto(server.url);
    await page.getByText('This browser is not logged in.').waitFor();
    expect(await page.textContent('body')).not.toContain('nested');
    await stranger.close();
  });

  it('axe finds nothing wrong, in any view, light and dark, on a desk and on a phone', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const page = await open(`#/race/${NESTED}`);
    for (const [colorScheme, width] of [
      ['light', 1500],
      ['dark', 1500],
      ['dark', 375],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 850 });
      for (const view of ['race', 'graph', 'timeline', 'read', 'guard']) {
        await page.evaluate((hash) => {
          location.hash = hash;
        }, `#/${view}/${NESTED}`);
        await drawn(page, view);
        // As a function of the debugger, not as a script of the page: its policy allows none from elsewhere.
        const found = await page.evaluate(
          `(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`,
        );
        const violations = (found as { violations: { id: string; nodes: { html: string }[] }[] }).violations;
        expect(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
          `${view} ${colorScheme} ${width}`,
        ).toEqual([]);
      }
    }
    await page.close();
  });
});

describe('the demo', () => {
  it('plays on the page', async () => {
    const demo = await serve('--demo', '--speed', '30');
    const page = await open('', demo);
    await expect.poll(() => page.locator('.race-mirror [data-agent]').count(), { timeout: 30_000 }).toBeGreaterThan(3);
    await page.close();
    await demo.stop();
  });
});
