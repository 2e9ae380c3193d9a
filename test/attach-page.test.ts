import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { createProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// Going on from an agent, as the built page shows it: a recording of the real program, read by the built one.

const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const AUDIT = 'a2ca437af9f568b24';

const home = createProgramHome();
let browser: Browser;
let server: RunningProgram;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch(await findBrowser());
  server = home.start(['--no-open', '--json']);
  await vi.waitFor(() => expect(server.out().trimEnd()).toMatch(/}$/), { timeout: 30_000 });
  const { origin, createLink } = accessTo(home.state);
  page = await browser.newPage({ viewport: { width: 1500, height: 950 }, reducedMotion: 'reduce' });
  await page.goto(await createLink());
  await page.goto(`${origin}/#/graph/${NESTED}/${AUDIT}`);
});
afterAll(async () => {
  await browser?.close();
  server?.child.kill();
  await home.end();
});

const sheet = () => page.getByRole('dialog', { name: 'Continue from this agent' });

describe('Continue… on the page', () => {
  it('shows the way, the command and every word, for the message and the host that are chosen; it starts nothing', async () => {
    const detail = page.getByRole('complementary', { name: 'Detail' });
    await detail.getByRole('heading', { name: 'Audit the repo' }).waitFor();
    await detail.getByRole('button', { name: 'Continue…' }).click();
    await sheet().getByText('A new session of Claude Code is told').waitFor();
    await sheet().getByText('none was given (--message)').waitFor();
    await sheet().getByText('Audit this repository; delegate file checks to another agent.').waitFor();

    await sheet().getByLabel('What to say to it').fill("What's next?");
    await sheet().getByText('its main agent wakes the sub-agent with your message').waitFor();
    await sheet().getByText(`troupe attach ${AUDIT} --message 'What'\\''s next?'`, { exact: true }).waitFor();

    await sheet().getByRole('combobox').selectOption({ label: 'Codex' });
    await sheet().getByText('A new session of Codex is told').waitFor();
    await sheet().getByText('Codex cannot open a conversation of Claude Code.').waitFor();
    expect(await sheet().locator('.attach-text').textContent()).toMatch(
      /## What is asked of you now\n\nWhat's next\?\n$/,
    );
    expect(await sheet().locator('.attach-text').textContent()).toContain('1. Bash: ls');
  });

  it('closes on Escape and opens on c', async () => {
    await page.keyboard.press('Escape');
    await expect.poll(() => sheet().isVisible()).toBe(false);
    await page.keyboard.press('c');
    await sheet().getByText('A new session of Claude Code is told').waitFor();
  });

  it('opens again when c follows before the browser has reported the closing', async () => {
    await page.evaluate(() => {
      document.querySelector<HTMLDialogElement>('dialog:modal')?.requestClose();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'c', bubbles: true }));
    });
    await sheet().getByText('A new session of Claude Code is told').waitFor();
    await page.evaluate(() => new Promise((done) => setTimeout(done)));
    expect(await sheet().isVisible()).toBe(true);
  });
});
