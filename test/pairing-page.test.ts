/// <reference lib="dom" />
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { type HeldCalls, prepareHeldCalls, RECORDING, writePassphrase } from './testing/held-calls.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';
import { hasTerminal, openTerminal } from './testing/terminal.ts';

// Under hands-off-the-guard, a browser has to be paired before it may allow a call.

const PASSPHRASE = 'correct horse battery staple';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let program: ProgramHome;
let calls: HeldCalls;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await chromium.launch(await findBrowser());
});
afterAll(() => browser?.close());

beforeEach(async () => {
  program = createProgramHome(RECORDING);
  calls = await prepareHeldCalls(program);
  calls.setPolicy('120s', 'deny', 'presets: [hands-off-the-guard]\n');
  await serve();
  context = await browser.newContext({ viewport: { width: 1200, height: 850 }, reducedMotion: 'reduce' });
});
afterEach(async () => {
  await context.close();
  await program.end();
});

async function serve(): Promise<void> {
  const server = program.start(['--no-open', '--json']);
  await vi.waitUntil(() => server.out().trimEnd().endsWith('}'), { timeout: 30_000 });
}

async function open(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(await accessTo(program.state).createLink());
  await page.locator('.sessions-group').first().waitFor();
  return page;
}

const keyFile = (): string => path.join(program.state, 'approval-key.json');
const setPassphrase = (passphrase = PASSPHRASE) => writePassphrase(program.state, passphrase);

const waiting = (page: Page) => page.getByRole('region', { name: /wait/ }).getByRole('listitem').first();
const press = (page: Page, name: string) => waiting(page).getByRole('button', { name }).click();
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Allow calls from this browser' });
const closeSheet = (page: Page) => sheet(page).getByRole('button', { name: 'Close' }).click();
const footer = (page: Page) => page.getByRole('contentinfo');

async function pair(page: Page, passphrase = PASSPHRASE): Promise<void> {
  await sheet(page).getByLabel('Passphrase for approvals').fill(passphrase);
  await sheet(page).getByRole('button', { name: 'Pair this browser' }).click();
}

/** Axe, no sideways scrolling, in both themes, on a desk and a phone. */
async function look(page: Page, name: string): Promise<void> {
  for (const [theme, width] of [
    ['light', 1200],
    ['dark', 375],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 850 });
    await page.waitForFunction(
      (dark) => (document.documentElement.dataset['theme'] === 'dark') === dark,
      theme === 'dark',
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    const pictures = process.env['TROUPE_PICTURES'];
    if (pictures) await page.screenshot({ path: `${pictures}/pairing-${name}-${theme}-${width}.png` });
    const found = await page.evaluate(
      `(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`,
    );
    const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 1200, height: 850 });
}

describe('a browser that is not paired', () => {
  it('reads and denies, and says how to set a passphrase when it wants to allow', async () => {
    const page = await open();
    const hook = calls.push();
    await waiting(page).getByText('git push origin main').waitFor();
    await press(page, 'Allow once');
    await sheet(page).getByText('none is set yet').waitFor();
    await look(page, 'none');
    await closeSheet(page);
    await press(page, 'Deny');
    expect((await hook.ended).said.permissionDecision).toBe('deny');
  });

  it.runIf(hasTerminal)(
    'notices the passphrase that is set in a terminal, is paired, allows, and is revoked',
    async () => {
      const page = await open();
      const hook = calls.push();
      await press(page, 'Allow once');
      await sheet(page).getByText('none is set yet').waitFor();
      const terminal = openTerminal(program.home, { ...process.env, HOME: program.home });
      try {
        terminal.type(`clear; ${process.execPath} ${path.resolve('dist/troupe.js')} server passphrase`);
        await terminal.until(/New passphrase:[^\n]*$/);
        terminal.type(PASSPHRASE);
        await terminal.until(/again:[^\n]*$/);
        terminal.type(PASSPHRASE);
        await terminal.until('The passphrase is set');
      } finally {
        terminal.close();
      }
      await sheet(page).getByText('Enter your passphrase once').waitFor();
      await look(page, 'form');
      await pair(page);
      await sheet(page).getByText('This browser may allow calls until').waitFor();
      await look(page, 'paired');
      await closeSheet(page);
      await press(page, 'Allow once');
      expect((await hook.ended).said.permissionDecision).toBe('allow');

      await footer(page).getByRole('button', { name: 'may allow calls' }).click();
      await sheet(page)
        .getByText(/^Chrome \d+ on \w+ \(this browser\)/)
        .waitFor();
      await sheet(page)
        .getByRole('button', { name: /^Revoke/ })
        .click();
      await sheet(page).getByText('can only deny calls now').waitFor();
      await closeSheet(page);
      await footer(page).getByRole('button', { name: 'not paired' }).waitFor();
      await page.getByText('Allowed on the page.', { exact: true }).waitFor({ state: 'detached', timeout: 15_000 });
      const second = calls.push('git push again');
      await waiting(page).getByText('git push again').waitFor();
      await press(page, 'Allow once');
      await sheet(page).getByText('Enter your passphrase once').waitFor();
      second.child.kill();
      await second.ended;
    },
  );

  it('is paired by keyboard alone', async () => {
    await setPassphrase();
    const page = await open();
    const hook = calls.push();
    await waiting(page).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const tabTo = async (text: string): Promise<void> => {
      for (let step = 0; step < 12 && (await focused()) !== text; step++) await page.keyboard.press('Tab');
      expect(await focused()).toBe(text);
    };
    await page.keyboard.press('a');
    await tabTo('Allow once');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe('password');
    await page.keyboard.type(PASSPHRASE);
    await page.keyboard.press('Enter');
    await sheet(page).getByText('This browser may allow calls until').waitFor();
    await page.keyboard.press('Escape');
    await sheet(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('a');
    await tabTo('Allow once');
    await page.keyboard.press('Enter');
    expect((await hook.ended).said.permissionDecision).toBe('allow');
  });

  it('says that a passphrase is wrong, and that one has to wait after three wrong ones', async () => {
    await setPassphrase();
    const page = await open();
    await footer(page).getByRole('button', { name: 'not paired' }).click();
    const alert = sheet(page).getByRole('alert');
    for (let tries = 0; tries < 3; tries++) {
      await pair(page, `not the passphrase ${tries}`);
      await alert.getByText('This is not the passphrase').waitFor();
    }
    await pair(page);
    await alert.getByText(/Too many wrong passphrases: wait \d s/).waitFor();
    await look(page, 'wait');
    expect(await sheet(page).getByLabel('Passphrase for approvals').inputValue()).toBe('');
    expect(await page.evaluate(() => localStorage.getItem('troupe-pairing'))).toBeNull();
  });
});

describe('the alarm', () => {
  it('is shown, and says what to do, when the file of the passphrase is replaced', async () => {
    await setPassphrase();
    const page = await open();
    await footer(page).getByRole('button', { name: 'not paired' }).click();
    await pair(page);
    await sheet(page).getByText('This browser may allow calls until').waitFor();
    await closeSheet(page);
    await setPassphrase('the passphrase of an agent');
    const hook = calls.push();
    const banner = page.getByRole('alert').filter({ hasText: 'Alarm:' });
    await banner.getByText('replaced').waitFor();
    await look(page, 'alarm');
    await press(page, 'Allow once');
    await sheet(page).getByText('Do not enter your passphrase').waitFor();
    expect(await sheet(page).getByLabel('Passphrase for approvals').count()).toBe(0);
    await look(page, 'alarm-help');
    hook.child.kill();
    await hook.ended;
  });

  it('is shown by the browser that was paired, if the server forgot its passphrase, too', async () => {
    await setPassphrase();
    const page = await open();
    await footer(page).getByRole('button', { name: 'not paired' }).click();
    await pair(page);
    await sheet(page).getByText('This browser may allow calls until').waitFor();
    await closeSheet(page);
    await program.run(['server', 'stop']);
    const file = path.join(program.state, 'address.json');
    const { approvalKey, ...address } = JSON.parse(readFileSync(file, 'utf8'));
    expect(approvalKey).toBeTypeOf('string');
    for (const forge of [() => rmSync(keyFile()), () => setPassphrase('the passphrase of an agent')]) {
      await forge();
      writeFileSync(file, JSON.stringify(address));
      await serve();
      await page.reload();
      await page.getByRole('alert').filter({ hasText: 'Alarm:' }).waitFor();
      await program.run(['server', 'stop']);
    }
  });
});
