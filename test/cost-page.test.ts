/// <reference lib="dom" />
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import type { BudgetReport } from '../src/core/index.ts';
import { writeHookStubs } from '../src/hook/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { programIn } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The Cost view in a real browser, and `troupe budget`, over a recording that is as if it was written today.

const NESTED = fileURLToPath(new URL('../src/hosts/claude-code/fixtures/2.1.325-nested-deep', import.meta.url));
const SESSION = '22585c89-be56-4140-ba12-3c8fe9b6c8e1';
const AGENT = 'a5c7991c170c0ab86';
const POLICY = `version: 1
budgets:
  - { name: everybody, per: session, turns: 5 }
  - { name: helpers, agents: { kind: subagent }, per: agent, tokens: 100k, turns: 50 }
  - { name: today, per: day, usd: 1000 }
`;

const home = makeTemporaryFolder('cost-page');
const root = path.join(home, 'data');
let browser: Browser;
let page: Page;
let stop: () => Promise<void>;

beforeAll(async () => {
  cpSync(NESTED, root, { recursive: true });
  mkdirSync(path.join(home, '.config/troupe'), { recursive: true });
  writeFileSync(path.join(home, '.config/troupe/policy.yaml'), POLICY);
  browser = await chromium.launch(await findBrowser());
  const { child, out, ended } = programIn(home).start(['--no-open', '--json', '--root', root]);
  stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
  const context = await browser.newContext({ viewport: { width: 1300, height: 1000 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  await page.goto(await accessTo(path.join(home, '.local/state/troupe')).createLink());
  await page.goto(`${JSON.parse(out()).url}#/cost`);
});
afterAll(async () => {
  await browser?.close();
  await stop?.();
});

describe('the Cost view', () => {
  it('shows the share of sub-agents and what was used by day', async () => {
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => page.locator('.cost-share').innerText()).toMatch(/\d+ %\s+of the cost by sub-agents/);
    expect(await page.locator('.cost table tbody tr').count()).toBeGreaterThan(0);
  });

  it('groups by agent, and measures tokens', async () => {
    await page.locator('.cost-choices select').selectOption('agent');
    await expect.poll(() => page.locator('.cost table tbody tr').count()).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Tokens' }).click();
    await expect.poll(() => page.locator('.cost-share').innerText()).toMatch(/of the tokens by sub-agents/);
  });

  it('shows a bar for each budget, with what is used', async () => {
    const budgets = page.locator('.cost-budget');
    await expect.poll(() => budgets.count()).toBe(3);
    await expect.poll(() => budgets.first().locator('.cost-meter-reached').count()).toBe(1);
    expect(await budgets.first().innerText()).toMatch(/everybody per session[\s\S]* of 5 turns/);
    expect(await budgets.nth(2).innerText()).toMatch(/today per day · resets .*\([\w/+-]+\)/);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(wide).toBe(false);
  });
});

describe('an agent that has used up a budget', () => {
  it('is denied, which is in the list, in the detail and announced at once', async () => {
    await page.setViewportSize({ width: 1300, height: 1000 });
    const options = { node: process.execPath, hookFile: path.resolve('dist/hook.cjs') };
    const { guard } = await writeHookStubs(programIn(home).state, {
      ...options,
      configFolder: path.join(home, '.config/troupe'),
    });
    const transcript = path.join(root, 'projects', '-home-dev-nested-deep', `${SESSION}.jsonl`);
    const payload = {
      ...{ session_id: SESSION, transcript_path: transcript, cwd: '/home/dev/nested-deep' },
      ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 'toolu_01', tool_input: { command: 'ls' } },
      ...{ agent_id: AGENT, agent_type: 'general-purpose', permission_mode: 'default' },
    };
    const env = { ...process.env, HOME: home };
    const { stdout } = spawnSync('sh', ['-c', `'${guard}' claude-code`], { env, input: JSON.stringify(payload) });
    expect(JSON.parse(String(stdout)).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
    await expect.poll(() => page.locator('.sessions-alarms').innerText()).toContain('budget used up');
    await expect.poll(() => page.locator('[data-announcer]').innerText()).toContain('has used up a budget.');
    await page.locator('.sessions a').first().click();
    const section = page.locator('.panel-section', {
      has: page.getByRole('heading', { name: 'Budgets', exact: true }),
    });
    await expect
      .poll(() => section.innerText())
      .toMatch(/Used up, at a call of .*\n?.*Budget "everybody" of this session is used up/);
    await section.getByRole('link').click();
    await expect.poll(() => section.innerText()).toMatch(/Used up\s+Budget "everybody"/);
  });
});

describe('troupe budget', () => {
  it('shows the same as the page, as text and as JSON', async () => {
    const { out } = await programIn(home).run(['budget', '--root', root]);
    expect(out).toMatch(/^everybody {2}per session · denies at the limit\n {2}█{16} +\d+ % .* of 5 turns/m);
    expect(out).toMatch(/^today {2}per day · .* resets \d{4}-\d\d-\d\d 00:00 \(/m);
    const { budgets }: { budgets: readonly BudgetReport[] } = JSON.parse(
      (await programIn(home).run(['budget', '--root', root, '--json'])).out,
    );
    expect(budgets.map(({ name, holders }) => [name, holders[0]?.state])).toEqual([
      ['everybody', 'reached'],
      ['helpers', 'ok'],
      ['today', 'ok'],
    ]);
  });

  it('is raised by nobody whom a coding agent started', async () => {
    const run = await programIn(home).run(['budget', 'raise', 'everybody', 'turns=100'], { env: { CLAUDECODE: '1' } });
    expect(run.code).not.toBe(0);
    expect(run.errors).toContain('coding agent');
  });
});
