/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { type HeldCalls, prepareHeldCalls, RECORDING } from './testing/held-calls.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// Calls that wait for the person, in a real browser, with the scripts that hosts run behind them.

let program: ProgramHome;
let calls: HeldCalls;
let browser: Browser;
let context: BrowserContext;
const complaints: string[] = [];

beforeAll(async () => {
  program = createProgramHome(RECORDING);
  calls = await prepareHeldCalls(program);
  const server = program.start(['--no-open', '--json']);
  await vi.waitUntil(() => server.out().trimEnd().endsWith('}'), { timeout: 30_000 });
  browser = await chromium.launch(await findBrowser());
  context = await browser.newContext({ viewport: { width: 1500, height: 950 }, reducedMotion: 'reduce' });
});
afterEach(async () => {
  for (const page of context.pages()) await page.close();
  // Whatever a test left open.
  await program.run(['guard', 'asks', '--json']).then(async ({ out }) => {
    for (const { id } of JSON.parse(out).asks) await program.run(['guard', 'answer', id, 'deny']);
  });
});
afterAll(async () => {
  await browser?.close();
  await program?.end();
});

async function open(): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(await accessTo(program.state).createLink());
  await page.locator('.sessions-group').first().waitFor();
  return page;
}

const bar = (page: Page) => page.getByRole('region', { name: /wait/ });
const item = (page: Page, command: string) => bar(page).getByRole('listitem').filter({ hasText: command });

describe.sequential('a call that waits', () => {
  it('is shown with its agent, command, rule and time, counted, announced, and answered', async () => {
    const page = await open();
    expect(await bar(page).count()).toBe(0);
    const hook = calls.push('git push origin main\ngit push --tags');
    const waiting = item(page, 'git push origin main');
    await waiting.waitFor();
    const text = await waiting.innerText();
    expect(text).toContain('Bash git push origin main\ngit push --tags');
    expect(text).toMatch(/pushes are asked about: It leaves this machine\.\s*user:1/);
    expect(text).toMatch(/\d:\d\d left, then denied/);
    await waiting.getByRole('button', { name: /^main › Audit the repo › Check/ }).waitFor();
    await page
      .getByRole('banner')
      .getByRole('button', { name: /1\s*needs you/ })
      .waitFor();
    await expect.poll(() => page.title()).toMatch(/1 needs you/i);
    await expect
      .poll(() => page.locator('[data-asks-said]').textContent())
      .toContain('wants your answer: Bash git push');
    await waiting.getByRole('button', { name: 'Allow once' }).click();
    expect((await hook.ended).said.permissionDecision).toBe('allow');
    await waiting.getByText('Allowed on the page.').waitFor();
    expect(await waiting.getByRole('button', { name: 'Deny' }).count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('asks-title');
    await bar(page).waitFor({ state: 'detached', timeout: 15_000 });
    expect(complaints).toEqual([]);
  });

  it('by keyboard alone', async () => {
    const page = await open();
    const hook = calls.push();
    await item(page, 'git push').waitFor();
    await page.keyboard.press('a');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    for (let step = 0; step < 8 && (await focused()) !== 'Deny'; step++) await page.keyboard.press('Tab');
    expect(await focused()).toBe('Deny');
    await page.keyboard.press('Enter');
    expect((await hook.ended).said.permissionDecision).toBe('deny');
    await page.keyboard.press('Enter');
    await item(page, 'git push').getByText('Denied on the page.').waitFor();
  });

  it('two tabs: the second shows the answer of the first, and its late answer does nothing', async () => {
    const [first, second] = [await open(), await open()];
    const hook = calls.push('git push two');
    await item(second, 'git push two').waitFor();
    await item(first, 'git push two').getByRole('button', { name: 'Deny' }).click();
    expect((await hook.ended).said.permissionDecision).toBe('deny');
    const allow = item(second, 'git push two').getByRole('button', { name: 'Allow once' });
    // Whether it has heard of it by now or not.
    if ((await allow.count()) > 0) await allow.click({ timeout: 1_000 }).catch(() => undefined);
    await item(second, 'git push two').getByText('Denied on the page.').waitFor();
    const { out } = await program.run(['guard', 'log', '--json', '-n', '1']);
    expect(JSON.parse(out)).toMatchObject({ decision: 'deny', answeredBy: 'page' });
  });

  it('an answer from elsewhere, and a withdrawal by the host, are shown and then disappear', async () => {
    const page = await open();
    const hook = calls.push('git push three');
    await item(page, 'git push three').waitFor();
    hook.child.kill('SIGKILL');
    await item(page, 'git push three').getByText('Taken back before an answer came.').waitFor({ timeout: 10_000 });
  });

  it('a page that is loaded while a call waits shows it; a new call does not take the place of an old one', async () => {
    const first = calls.push('git push four');
    await vi.waitUntil(async () => (await program.run(['guard', 'asks'])).out.includes('git push four'), 30_000);
    const page = await open();
    await item(page, 'git push four').waitFor();
    // Within the bar: its own lines may still come, such as the name of the agent.
    const place = async (): Promise<number> => {
      const [call, whole] = [await item(page, 'git push four').boundingBox(), await bar(page).boundingBox()];
      return (call?.y ?? 0) - (whole?.y ?? 0);
    };
    // Answers of before stay for a few seconds.
    await expect.poll(() => bar(page).getByRole('listitem').count()).toBe(1);
    const before = await place();
    calls.push('git push five');
    await item(page, 'git push five').waitFor();
    expect(await place()).toBe(before);
    await bar(page).getByText('2 calls wait for your answer').waitFor();
    expect(first.child.exitCode).toBeNull();
  });

  it('hostile text executes nothing and fits; axe finds nothing wrong, light and dark, desk and phone', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    calls.push(`git push "<img src=x onerror=alert(1)>\u202e" ${'x'.repeat(600)}`);
    for (const [colorScheme, width] of [
      ['light', 1500],
      ['dark', 375],
    ] as const) {
      const page = await open();
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      await item(page, '<img src=x').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      if (process.env['TROUPE_PICTURES'])
        await page.screenshot({ path: `${process.env['TROUPE_PICTURES']}/asks-${colorScheme}-${width}.png` });
      const found = await page.evaluate(
        `(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`,
      );
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      await page.close();
    }
    expect(complaints).toEqual([]);
  });
});
