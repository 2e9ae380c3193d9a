/// <reference lib="dom" />
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { readRecorded } from '../src/audit/testing/recorded-sessions.ts';
import { sessionTitle } from '../src/export/pages/page-context.ts';
import { renderAgentPages } from '../src/export/pages/render-pages.ts';
import { renderSinglePage } from '../src/export/pages/session-map.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';

// Exported pages in a real browser, from a disk, over recordings of the real program.

const template = fileURLToPath(new URL('../dist/single-page.html', import.meta.url));
const folder = makeTemporaryFolder('pages');
const RECORDINGS = ['2.1.325-nested', '2.1.325-xss', '2.1.325-failing', '2.1.325-inter-team', '2.1.325-inter-compact'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser;
const files = new Map<string, readonly string[]>();

beforeAll(async () => {
  for (const name of RECORDINGS) files.set(name, await writePages(name));
  browser = await chromium.launch(await findBrowser());
});
afterAll(async () => {
  await browser?.close();
});

/** The pages of a recording, and the same in one file. */
async function writePages(name: string): Promise<readonly string[]> {
  const [recorded] = await readRecorded(name);
  if (!recorded) throw new Error(`no session in ${name}`);
  const { shared, plan, transcripts, detail, timeline } = recorded;
  mkdirSync(path.join(folder, name));
  const pages = transcripts.flatMap((transcript) => [...renderAgentPages(shared, plan, transcript)]);
  for (const { file, chunks } of pages) writeFileSync(path.join(folder, name, file), [...chunks].join(''));
  const snapshot = {
    sessions: [detail],
    older: [],
    olderTotal: 0,
    emptySessions: 0,
    ignoredFiles: 0,
    places: [],
    isComplete: true,
    notices: [],
    asks: [],
  };
  let single = '';
  for await (const chunk of renderSinglePage(readFileSync(template, 'utf8'), {
    session: shared.session.id,
    title: sessionTitle(shared.session, plan.pages[0]?.outline.asked),
    snapshot,
    timelines: { [shared.session.id]: timeline },
    transcripts: transcripts.map((transcript) => ({ depth: 0, transcript })),
    agents: shared.agents,
    outlines: plan.pages.map(({ outline }) => outline),
  }))
    single += chunk;
  writeFileSync(path.join(folder, name, 'single.html'), single);
  return pages.map(({ file }) => file);
}

interface Opened {
  readonly page: Page;
  /** What the browser complained about, what it asked for elsewhere, and every dialog. */
  readonly complaints: readonly string[];
}

async function open(name: string, file: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1300, height: 900 }, ...options });
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  await page.goto(`${pathToFileURL(path.join(folder, name)).href}/${file}`);
  return { page, complaints };
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(`(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`);
  const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

const injected = (page: Page) => page.evaluate(() => Object.keys(window).filter((key) => key.includes('xss')));

describe('exported pages', () => {
  it('ask for nothing, run nothing, and axe finds nothing wrong, light and dark, on a desk and on a phone', async () => {
    for (const [name, pages] of files) {
      for (const [index, file] of pages.entries()) {
        const isPhone = index % 2 === 1;
        const { page, complaints } = await open(name, file, {
          colorScheme: isPhone ? 'dark' : 'light',
          viewport: isPhone ? { width: 375, height: 800 } : { width: 1300, height: 900 },
        });
        // What is folded is checked, too.
        await page.evaluate(() => {
          for (const one of document.querySelectorAll('details')) one.open = true;
        });
        expect(await violationsOf(page), `${name} ${file}`).toEqual([]);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect(isWide, `${name} ${file} is wider than its screen`).toBe(false);
        expect(await injected(page)).toEqual([]);
        expect(complaints, `${name} ${file}`).toEqual([]);
        await page.close();
      }
    }
  });

  it('hostile text is shown as what it is', async () => {
    const { page } = await open('2.1.325-xss', 'index.html');
    const body = await page.locator('main').innerText();
    expect(body).toContain('</script><script>globalThis.__troupe_xss=1</script>');
    expect(body).toContain('[click me](javascript:globalThis.__troupe_xss=5)');
    const targets = await page
      .locator('a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    for (const target of targets)
      expect(target).toMatch(/^(?:#[\w-]+|(?:index|agent-[\w@.-]+)\.html(?:#[\w-]+)?|https?:\/\/.*)$/);
    await page.close();
  });

  it('from the map to an agent, to the call that made it, and back', async () => {
    const { page } = await open('2.1.325-nested', 'index.html');
    await page.locator('#map').getByRole('link', { name: 'Audit the repo' }).click();
    await page.locator('h1', { hasText: 'Audit the repo' }).waitFor();
    await page.locator('.gist').getByRole('link', { name: 'main' }).click();
    await expect.poll(() => page.url()).toMatch(/index\.html#m-2-\d$/);
    await page.locator('.door:target').getByRole('link', { name: /View/ }).click();
    await page.getByRole('navigation', { name: 'Who asked whom' }).getByRole('link', { name: 'main' }).click();
    await page.locator('h1', { hasText: 'Please do the job' }).waitFor();
    await page.close();
  });

  it('printed, everything is open', async () => {
    const { page } = await open('2.1.325-xss', 'index.html');
    const prompt = page.locator('.door details .text').first();
    expect(await prompt.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect((await prompt.boundingBox())?.height).toBeGreaterThan(5);
    await page.close();
  });
});

describe('the page of one file', () => {
  it('has tree, race and transcripts, and asks for nothing', async () => {
    const { page, complaints } = await open('2.1.325-xss', 'single.html');
    // It opens as the tree.
    await expect.poll(() => page.locator('.graph-tree [role="treeitem"]').count()).toBe(3);
    const session = new URL(page.url()).hash.split('/')[2];
    const go = (view: string) =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${view}/${session}`);
    await go('race');
    await page.locator(`.race-mirror [data-session="${session}"]`).first().waitFor({ state: 'attached' });
    await go('timeline');
    await page.getByLabel('Moment of the session').waitFor();
    await go('read');
    await page.getByText('globalThis.__troupe_xss=1').first().waitFor();
    expect(await injected(page)).toEqual([]);
    expect(await violationsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('without script says who did what', async () => {
    const { page } = await open('2.1.325-xss', 'single.html', { javaScriptEnabled: false });
    expect(await page.locator('noscript').innerText()).toContain('The file looks fine.');
    await page.close();
  });
});
