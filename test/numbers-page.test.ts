/// <reference lib="dom" />
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../scripts/find-browser.mjs';
import {
  agentsOf,
  computeAt,
  costText,
  countStandings,
  FIRST_VIEW,
  formatCount,
  NO_SESSIONS,
  originTexts,
  outputText,
  plural,
  type SessionDetail,
  type SessionReport,
  standingsText,
  type TimelineReport,
  timeText,
} from '../src/core/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { formatFrame } from '../src/tui/frame.ts';
import { createWatchPaint } from '../src/tui/paint.ts';
import { settleView } from '../src/tui/tree.ts';
import { programIn } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// The same number, read from every place that shows it.

const fixtures = fileURLToPath(new URL('../src/hosts/claude-code/fixtures', import.meta.url));
const SESSIONS = {
  'with a failed agent': '6006cc9d-100a-4fc2-844c-7079fa458f7c',
  'with an unknown agent': '1e5b2de6-a9f1-478f-9ab1-474951671d27',
  'forked, with copied usage': '480c8054-eb7c-4bcd-af81-50c90cf2af24',
  'with nested agents': 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd',
};
const EMPTY_SESSIONS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const NESTED = SESSIONS['with nested agents'];

const home = makeTemporaryFolder('numbers');
const program = programIn(home);
let browser: Browser;
let page: Page;
let origin = '';

beforeAll(async () => {
  const recordings = ['failing', 'hang-sigkill', 'forks', 'nested', 'inter-clear'].map((name) => `2.1.325-${name}`);
  for (const name of [...recordings, 'derived-2.1.325-titles'])
    cpSync(path.join(fixtures, name), path.join(home, '.claude'), { recursive: true });
  const empty = path.join(home, '.claude/projects/-home-dev-empty');
  mkdirSync(empty);
  for (const id of EMPTY_SESSIONS) writeFileSync(path.join(empty, `${id}.jsonl`), '');
  const { out } = program.start(['--no-open', '--json']);
  browser = await chromium.launch(await findBrowser());
  await until(() => out().trimEnd().endsWith('}'), 'the address of the server');
  const access = accessTo(path.join(home, '.local/state/troupe'));
  origin = access.origin;
  page = await browser.newPage({ viewport: { width: 1500, height: 950 }, reducedMotion: 'reduce' });
  await page.goto(await access.createLink());
});
afterAll(async () => {
  await browser?.close();
  await program.end();
});

const get = <T>(address: string): Promise<T> => page.evaluate(async (one) => (await fetch(one)).json(), address);
const textOf = async (selector: string): Promise<string> => {
  const text = await page.locator(selector).first().innerText();
  return text.replace(/\s+/g, ' ').trim();
};

/** `replayAt`: with the session as it was then. */
async function open(view: string, session: string, replayAt?: number): Promise<void> {
  const moment = replayAt === undefined ? '' : `?at=${replayAt}`;
  await page.goto(`${origin}/#/${view}/${session}${moment}`);
  await page.locator(`.sessions-row a[aria-current="true"][href*="${session}"]`).waitFor();
}

/** What the page says of a session: its row in the list, its panel, its transcript. */
async function readPage(
  session: string,
  replayAt?: number,
): Promise<Readonly<Record<'row' | 'panel' | 'read', string>>> {
  await open('read', session, replayAt);
  await page.locator('.read-facts', { hasText: 'tokens written' }).waitFor();
  return {
    row: await textOf(`.sessions-row a[href*="${session}"]`),
    panel: await textOf('aside.panel'),
    read: await textOf('.read-facts'),
  };
}

/** What every place is to say. */
function expectOnPage(shown: Awaited<ReturnType<typeof readPage>>, detail: SessionDetail, now: number): void {
  const { main, usage, cost } = detail;
  const standings = standingsText(countStandings(agentsOf(detail)));
  const atWork = detail.running > 0 ? `${detail.running} of ${detail.agents} at work` : plural(detail.agents, 'agent');
  expect(shown.row).toContain(atWork);
  expect(shown.panel).toContain(`Agents ${detail.agents} · ${standings}`);
  expect(shown.panel).toContain(`Tool calls ${main.toolCallCount} of ${detail.toolCallCount} in the session`);
  expect(shown.panel).toContain(`Duration ${timeText(main, now)}`);
  const whole = outputText({ usage, usageIsLowerBound: detail.usageIsLowerBound });
  expect(shown.panel).toContain(`output ${outputText(main)} ${whole} input`);
  expect(shown.panel).toContain(`cost ${costText(main.cost)} ${costText(cost)}`);
  expect(shown.read).toContain(`${outputText(main)} tokens written`);
  expect(shown.read).toContain(timeText(main, now));
}

describe.each(Object.entries(SESSIONS))('a session %s', (_, session) => {
  it('has the same numbers in the list, the panel, the transcript, the timeline and the race', async () => {
    const shown = await readPage(session);
    const detail = await get<SessionDetail>(`/api/sessions/${session}`);
    expectOnPage(shown, detail, Date.now());
    if (detail.forkedFrom !== null)
      expect(shown.panel).toContain(`${formatCount(detail.inheritedUsage?.output ?? 0)} of the tokens were copied`);
    await open('timeline', session);
    for (const { id, toolCallCount } of agentsOf(detail))
      await page.locator(`[data-agent="${id}"]`, { hasText: plural(toolCallCount ?? 0, 'call') }).waitFor();
    await open('race', session);
    const standings = standingsText(countStandings(detail.subagents), { words: true });
    await page
      .locator('.race-mirror [data-row]', {
        hasText: `${plural(detail.subagents.length, 'sub-agent')}, ${standings}, folded`,
      })
      .first()
      .waitFor({ state: 'attached' });
  });

  it('has the same numbers in the terminal, in JSON and in exports', async () => {
    const detail = await get<SessionDetail>(`/api/sessions/${session}`);
    const output = outputText(detail);
    const { session: report, agents } = JSON.parse((await program.run(['tree', session, '--json'])).out);
    for (const name of ['agents', 'running', 'toolCallCount', 'usage', 'cost', 'inheritedUsage'] as const)
      expect(report[name], name).toEqual(detail[name]);
    expect(agents.length).toBe(detail.agents);

    const listed = (await program.run(['ls'])).out.split('\n').find((line) => line.includes(session.slice(0, 8)));
    expect(listed).toMatch(new RegExp(` ${detail.agents} +${output} `));
    const tree = (await program.run(['tree', session])).out;
    expect(tree).toContain(`${plural(detail.agents, 'agent')} ·`);
    for (const agent of agentsOf(detail))
      expect(tree).toMatch(new RegExp(` ${agent.toolCallCount ?? '–'} +${outputText(agent)} `));

    const size = { columns: 200, rows: 40 };
    const picture = { ...NO_SESSIONS, sessions: [detail], isComplete: true };
    const { rows, view } = settleView(picture, FIRST_VIEW, { size, now: Date.now(), keepsOpen: true });
    const options = {
      size,
      now: Date.now(),
      paint: createWatchPaint('none'),
      source: { text: '', isLost: false },
      version: '1',
    };
    const screen = formatFrame(picture, rows, view, options).join('\n');
    expect(screen).toContain(plural(detail.agents, 'agent'));
    expect(screen).toMatch(new RegExp(` ${output} `));
    for (const [standing, word] of [
      ['completed', 'done'],
      ['failed', 'failed'],
      ['unknown', 'unknown'],
    ] as const) {
      const count = countStandings(agentsOf(detail)).get(standing);
      if (count !== undefined) expect(screen).toContain(`${count} ${word}`);
    }

    const folder = path.join(home, 'out', session);
    mkdirSync(path.dirname(folder), { recursive: true });
    await program.run(['export', session, '-o', folder, '-f', 'html,md,json', '-y']);
    const facts = [
      plural(detail.agents, 'agent'),
      plural(detail.toolCallCount ?? 0, 'tool call'),
      `${output} tokens written`,
      costText(detail.cost),
      ...originTexts(detail),
    ];
    expect(tree).toContain([`${output} output tokens`, ...originTexts(detail)].join(' · '));
    expect(readFileSync(path.join(folder, 'index.md'), 'utf8')).toContain(facts.join(' · '));
    expect(readFileSync(path.join(folder, 'index.html'), 'utf8')).toContain(
      facts.map((fact) => `<span>${fact}</span>`).join(' · '),
    );
    const exported = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')).session.session;
    expect(exported).toMatchObject({
      agents: detail.agents,
      toolCallCount: detail.toolCallCount,
      usage: detail.usage,
      cost: detail.cost,
    });
  });
});

describe('the list of sessions', () => {
  it('counts sessions without a conversation and does not list them', async () => {
    await page.locator('.sessions-none', { hasText: `${EMPTY_SESSIONS.length} empty sessions not listed` }).waitFor();
    for (const id of EMPTY_SESSIONS) expect(await page.locator(`.sessions-row a[href*="${id}"]`).count()).toBe(0);
  });

  it('tells forks and sessions after /clear apart from others', async () => {
    const { sessions } = await get<{ readonly sessions: readonly SessionReport[] }>('/api/sessions');
    const origins = sessions.map(({ forkedFrom, continuedFrom }) =>
      forkedFrom !== null ? 'fork' : continuedFrom !== null ? 'after /clear' : '',
    );
    expect(new Set(origins)).toEqual(new Set(['fork', 'after /clear', '']));
    for (const [index, { id }] of sessions.entries()) {
      const marks = await page.locator(`.sessions-row a[href*="${id}"] .sessions-origin`).allInnerTexts();
      expect(marks.join()).toBe(origins[index]);
    }
  });

  it('has the copied tokens of forks, over HTTP as in troupe ls', async () => {
    const { sessions } = await get<{ readonly sessions: readonly SessionReport[] }>('/api/sessions');
    const listed: { readonly sessions: readonly SessionReport[] } = JSON.parse(
      (await program.run(['ls', '--json'])).out,
    );
    const copied = ({ sessions: all }: typeof listed) =>
      new Map(all.map(({ id, forkedFrom, inheritedUsage }) => [id, [forkedFrom, inheritedUsage?.output]]));
    expect(copied({ sessions })).toEqual(copied(listed));
    expect(sessions.some(({ inheritedUsage }) => (inheritedUsage?.output ?? 0) > 0)).toBe(true);
  });

  it('has the titles that the graph, the timeline and the panel have', async () => {
    const { sessions } = await get<{ readonly sessions: readonly SessionReport[] }>('/api/sessions');
    const { id = '' } = sessions.find(({ title }) => title === 'My title') ?? {};
    await open('graph', id);
    await page.locator('.graph-name', { hasText: 'My title' }).waitFor();
    expect(await textOf('aside.panel')).toContain('My title');
    await open('timeline', id);
    await page.locator(`[data-agent="${id}"]`, { hasText: 'My title' }).waitFor();
  }, 30_000);

  it('shows the row of a session that a link opens', async () => {
    await page.setViewportSize({ width: 1500, height: 300 });
    const { sessions } = await get<{ readonly sessions: readonly SessionReport[] }>('/api/sessions');
    const last = sessions.at(-1)?.id ?? '';
    await open('race', sessions[0]?.id ?? '');
    await open('race', last);
    const row = page.locator(`.sessions-row a[href*="${last}"]`);
    const scroller = page.locator('.sessions-scroll');
    await expect
      .poll(async () => {
        const [inner, outer] = [await row.boundingBox(), await scroller.boundingBox()];
        return (
          inner !== null && outer !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height
        );
      })
      .toBe(true);
    await page.setViewportSize({ width: 1500, height: 950 });
  });
});

describe('a session that is replayed', () => {
  it('has the numbers of that moment everywhere, and says so', async () => {
    await open('race', NESTED);
    const detail = await get<SessionDetail>(`/api/sessions/${NESTED}`);
    const timeline = await get<TimelineReport>(`/api/sessions/${NESTED}/timeline`);
    const offset = 1200;
    await page.locator('.replay input[type=range]').evaluate((slider: HTMLInputElement, to) => {
      slider.value = String(to);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    }, offset);
    await page.locator('.top-then').waitFor();
    const at = Date.parse(detail.startedAt ?? '') + offset;
    const past = computeAt(detail, timeline, at);
    expect(past.usage.output).toBeLessThan(detail.usage.output);
    expect(past.cost.usd).toBeLessThan(detail.cost.usd);

    const shown = await readPage(NESTED, at);
    expectOnPage(shown, past, at);
    expect(shown.panel).toContain('Up to the moment of the replay.');
    expect(shown.panel).toMatch(/Asked Please do the job\..* by you/);
    expect(shown.read).toContain('later messages are hidden');
    expect(shown.row).toContain('replayed');
    expect(await textOf('.top-then')).toContain(standingsText(countStandings(agentsOf(past))));
    const others = page.locator('.sessions-row', { hasText: 'failing' });
    expect(await others.first().innerText()).not.toMatch(/\d agents?/);
  });
});
