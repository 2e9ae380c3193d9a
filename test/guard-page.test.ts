/// <reference lib="dom" />
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import { fillSpool, type RecordedHook, recordedHooks } from '../src/audit/testing/recorded-spool.ts';
import { createProgramHome, type ProgramHome, type RunningProgram } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The guard view in a real browser: a recorded session, and what its hooks told, one by one.

const NAME = '2.1.197-nested';
const SESSION = '487d4d81-571f-4152-9fdf-cc0674de72ba';
const calls = recordedHooks(NAME).filter(({ payload }) => payload['hook_event_name'] === 'PreToolUse');
const AUDIT = String(calls.find(({ payload }) => payload['agent_id'] !== undefined)?.payload['agent_id']);

let program: ProgramHome;
let browser: Browser;
let context: BrowserContext;
let state: string;
let policyFile: string;
const complaints: string[] = [];

beforeAll(async () => {
  program = createProgramHome(NAME);
  state = path.join(program.home, '.local/state/troupe');
  policyFile = path.join(program.home, '.config/troupe/policy.yaml');
  mkdirSync(path.dirname(policyFile), { recursive: true });
  const server: RunningProgram = program.start(['--no-open', '--json']);
  await vi.waitUntil(() => server.out().trimEnd().endsWith('}'), { timeout: 30_000 });
  browser = await chromium.launch(await findBrowser());
  context = await browser.newContext({ viewport: { width: 1500, height: 950 }, reducedMotion: 'reduce' });
});
afterAll(async () => {
  await browser?.close();
  await program?.end();
});

async function open(hash: string): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => complaints.push('a dialog')));
  const { origin, createLink } = accessTo(state);
  await page.goto(await createLink());
  await page.goto(`${origin}/${hash}`);
  await page.locator('.sessions-group').first().waitFor();
  return page;
}

const rows = (page: Page) => page.getByRole('grid', { name: 'Tool calls' }).locator('tbody tr');
const agents = (page: Page) => rows(page).locator('.guard-agent').allTextContents();

/** One that happened again, under other ids and as of later. */
function again(hook: RecordedHook, index: number, over: Record<string, unknown> = {}): RecordedHook {
  const at = new Date(Date.parse(hook.at) + (index + 1) * 1000).toISOString();
  return { at, payload: { ...hook.payload, tool_use_id: `toolu_again_${index}`, ...over } };
}

describe.sequential('the guard view', () => {
  it('says how to install hooks when no hook event was recorded', async () => {
    const page = await open(`#/guard/${SESSION}`);
    await page.getByText('troupe hooks install').waitFor();
    await page.getByText(`Hooks heard 0 of ${calls.length} calls`).waitFor();
    await page.close();
  });

  it('follows: each call with the path of its agent, and the coverage with it', async () => {
    const page = await open('#/race');
    await page.keyboard.press('5');
    await expect.poll(() => page.url()).toContain('#/guard');
    for (const call of calls.slice(0, -1)) fillSpool(state, [call]);
    await expect.poll(() => rows(page).count(), { timeout: 30_000 }).toBe(calls.length - 1);
    const missing = page.getByText(`Hooks heard ${calls.length - 1} of ${calls.length} calls`);
    await missing.waitFor();
    await missing.click();
    await page.getByRole('link', { name: 'main › Audit the repo › Check util.js' }).waitFor();
    fillSpool(state, calls.slice(-1));
    await page.getByText(`Hooks heard ${calls.length} of ${calls.length} calls`).waitFor();
    expect(await agents(page)).toEqual([
      'main',
      'main › Audit the repo',
      'main › Audit the repo',
      'main › Audit the repo',
      'main › Audit the repo › Check app.js',
      'main › Audit the repo › Check util.js',
    ]);
    await page.close();
  });

  it('is narrowed by chips, and by a link to an agent', async () => {
    const page = await open(`#/guard/${SESSION}/${AUDIT}`);
    await expect.poll(() => agents(page)).toEqual(Array.from({ length: 3 }, () => 'main › Audit the repo'));
    const only = page.getByRole('button', { name: 'only Audit the repo' });
    expect(await only.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Bash', exact: true }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'clear' }).click();
    await expect.poll(() => rows(page).count()).toBe(calls.length);
    await page.close();
  });

  it('by keyboard: from call to call, the agent, the place in the transcript', async () => {
    const page = await open(`#/guard/${SESSION}`);
    await rows(page).first().waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect
      .poll(() => page.locator('tr[aria-selected="true"] .guard-agent').textContent())
      .toContain('Check app.js');
    await page.keyboard.press(' ');
    const panel = page.getByRole('complementary', { name: 'Detail' });
    const section = panel.getByRole('region', { name: 'Calls heard by hooks' });
    await expect.poll(() => section.locator('li').allTextContents()).toEqual([expect.stringMatching(/Bash.*observed/)]);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/#\/read\/.*\/\d+$/);
    await page.getByRole('feed', { name: 'Transcript' }).getByText('wc -l src/app.js').first().waitFor();
    await page.close();
  });

  it('shows all lines of what a tool was given, by key and by button', async () => {
    const bash = calls.find(({ payload }) => payload['tool_name'] === 'Bash') as RecordedHook;
    const command = 'ls\nrm -rf build\nexport DB_PASS=hunter2';
    fillSpool(state, [again(bash, 702, { tool_input: { command } })]);
    const page = await open(`#/guard/${SESSION}`);
    await page.getByRole('grid').getByText('ls … (+2 lines)').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('i');
    const sheet = page.getByRole('dialog', { name: 'Bash was given' });
    await expect
      .poll(() => sheet.locator('pre').allTextContents())
      .toEqual(['ls\nrm -rf build\nexport DB_PASS=[masked pass-assignment]']);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    await rows(page).nth(1).getByRole('button', { name: 'All of the input' }).click();
    await sheet.getByText('ls', { exact: true }).waitFor();
    await page.close();
  });

  it('explains a denied call, by key, by press and from the panel, with the rule that would allow exactly this', async () => {
    writeFileSync(
      policyFile,
      'version: 1\nrules:\n  - name: auditors count nothing\n    agents: { depth: 1 }\n    tools: "Bash(wc:*)"\n    decision: deny\n    reason: Ask main.\n',
    );
    const leaf = calls.findLast(({ payload }) => payload['tool_name'] === 'Bash') as RecordedHook;
    const reason =
      'Bash (wc -l x) is denied by rule "auditors count nothing", which binds general-purpose and all below it: Ask main.';
    const told = { ppid: 1, decision: 'deny', rule: 'user:1', reason, ms: 2 } as const;
    fillSpool(state, [again(leaf, 703, { tool_input: { command: 'wc -l src/app.js > count.txt' } })], told);
    const page = await open(`#/guard/${SESSION}`);
    const row = rows(page).filter({ hasText: 'count.txt' });
    await expect
      .poll(() => row.locator('.guard-why').textContent())
      .toBe('user:1 "auditors count nothing", which binds general-purpose and all below it: Ask main.');
    await page.keyboard.press('End');
    await page.keyboard.press('e');
    const sheet = page.getByRole('dialog', { name: 'Why it was denied' });
    await sheet.getByText('auditors count nothing (user:1, ').first().waitFor();
    await sheet.getByText('for general-purpose, above it').waitFor();
    const text = (await sheet.locator('.explain-rule pre').textContent()) ?? '';
    expect(text).toMatch(/^ {2}- agents:\n/);
    for (const part of ['Bash(wc -l src/app.js)', 'Edit(/count.txt)', 'despite_ancestors: true'])
      expect(text).toContain(part);
    await sheet.getByText(policyFile, { exact: true }).waitFor();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await sheet.getByRole('button', { name: 'Copy the rule' }).click();
    await sheet.getByText('copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${text.trimEnd()}\n`);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    // What is copied, pasted: the call is allowed from now on, and the sheet says both.
    writeFileSync(policyFile, `${readFileSync(policyFile, 'utf8')}${text}`);
    await row.getByRole('button', { name: 'deny: explain Bash' }).click();
    await sheet.getByText('When it was made').waitFor();
    await expect
      .poll(() => sheet.locator('.explain-verdict').textContent())
      .toContain('By the policy of now: ✓ allow by user:2');
    await page.keyboard.press('Escape');
    await page.keyboard.press(' ');
    const panel = page.getByRole('complementary', { name: 'Detail' });
    await panel.getByRole('button', { name: 'deny: explain Bash' }).click();
    await sheet.getByText('When it was made').waitFor();
    await page.close();
  });

  it('explains nothing when the audit log does not have the whole call', async () => {
    const bash = calls.find(({ payload }) => payload['tool_name'] === 'Bash') as RecordedHook;
    const told = { ppid: 1, decision: 'deny', rule: 'user:1', reason: 'So it was.', ms: 2 } as const;
    fillSpool(state, [again(bash, 704, { tool_input: { command: 'deploy --password hunter2' } })], told);
    const page = await open(`#/guard/${SESSION}`);
    await rows(page).filter({ hasText: 'deploy' }).getByRole('button', { name: 'deny: explain Bash' }).click();
    const sheet = page.getByRole('dialog', { name: 'Why it was denied' });
    await sheet.getByText('is masked or cut').waitFor();
    await sheet.getByText('deny by user:1. So it was.').waitFor();
    expect(await sheet.locator('.explain-rule').count()).toBe(0);
    await page.close();
  });

  it('renders only visible rows of thousands, loads older ones, and stays in place when new ones come', async () => {
    const first = calls[0] as RecordedHook;
    const many = Array.from({ length: 700 }, (_, index) => again(first, index));
    fillSpool(state, many);
    const page = await open(`#/guard/${SESSION}`);
    const grid = page.getByRole('grid', { name: 'Tool calls' });
    await expect.poll(() => grid.getAttribute('aria-rowcount'), { timeout: 30_000 }).toBe('301');
    expect(await rows(page).count()).toBeLessThan(100);
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Show older calls' }).click();
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('600');
    const current = page.locator('tr[aria-selected="true"]');
    const before = await current.boundingBox();
    fillSpool(state, [again(first, 700)]);
    await page.getByRole('button', { name: '1 new call' }).waitFor();
    expect(await current.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: '1 new call' }).click();
    await expect.poll(() => rows(page).last().getAttribute('aria-rowindex')).toBe('601');
    await page.close();
  });

  it('hostile text executes nothing', async () => {
    const bash = calls.find(({ payload }) => payload['tool_name'] === 'Bash') as RecordedHook;
    const hostile = '<img src=x onerror=alert(1)>\u202e\u001b[31m';
    fillSpool(state, [again(bash, 701, { tool_name: `Bash${hostile}`, tool_input: { command: hostile } })]);
    const page = await open(`#/guard/${SESSION}`);
    await page.getByRole('grid').getByText('Bash<img src=x onerror=alert(1)>').waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(width).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('axe finds nothing wrong, light and dark, on a desk and on a phone', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const [colorScheme, width] of [
      ['light', 1500],
      ['dark', 375],
    ] as const) {
      const page = await open(`#/guard/${SESSION}/${AUDIT}`);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 850 });
      await rows(page).first().waitFor();
      for (const isExplaining of [false, true]) {
        if (isExplaining) await page.keyboard.press('End');
        if (isExplaining) await page.keyboard.press('e');
        if (isExplaining) await page.locator('dialog:modal .explain').waitFor();
        const found = await page.evaluate(
          `(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`,
        );
        const violations = (found as { violations: { id: string; nodes: { html: string }[] }[] }).violations;
        expect(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
          `${colorScheme} ${width} ${isExplaining ? 'explained' : ''}`,
        ).toEqual([]);
      }
      await page.close();
    }
  });
});
