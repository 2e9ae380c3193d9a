// The list of sessions in headless Chromium: the longest frame while it is scrolled, with 100 sessions and with 10,000 in the same run.
// usage: node bench/session-list.mjs [--sessions 10000] [--rounds 3] [--shots FOLDER]
import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findBrowser } from '../scripts/find-browser.mjs';
import { createLink, get, startServer } from './live-server.mjs';
import { removeFolder } from './processes.mjs';

const FEW = 100;

export async function benchSessionList({ sessions = 10_000, rounds = 3, shots } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-list-bench-'));
  const browser = await chromium.launch(await findBrowser());
  const longest = new Map([
    [FEW, []],
    [sessions, []],
  ]);
  const servers = [];
  const times = [];
  try {
    for (const count of longest.keys()) {
      const [data, home] = [path.join(work, `${count}`), path.join(work, `${count}-home`)];
      mkdirSync(home);
      writeShortSessions(data, count);
      const server = await startServer(home, data);
      servers.push({ count, server });
      await untilRead(server);
    }
    times.push(...(await timeRequests(servers.at(-1).server)));
    // Alternating, so that what else the machine does hits both.
    for (let round = 0; round < rounds; round++)
      for (const { count, server } of servers) longest.get(count).push(await scrollThrough(browser, server));
    if (shots !== undefined) await takeShots(browser, servers.at(-1).server, shots);
  } finally {
    for (const { server } of servers) await server.stop();
    await browser.close();
    await removeFolder(work);
  }
  const [few, many] = [...longest.values()].map((list) => Math.min(...list));
  return [
    {
      what: `list of ${sessions} sessions, longest frame while scrolling (least of ${rounds})`,
      value: `${many.toFixed(1)} ms; ${few.toFixed(1)} ms with ${FEW}: ${(many / few).toFixed(2)} times`,
      promise: 'at most 1.5 times',
    },
    { what: `one part of ${sessions} sessions, by the server`, value: times.join(', '), promise: '–' },
  ];
}

const WORDS = 'add fix move check explain review measure rename split merge test describe'.split(' ');
const THINGS = 'the rate limiter|the login page|the parser|the build|the flaky tests|the cache|the schema'.split('|');

/** Over a year and forty projects, in the shape of Claude Code 2.1.325. */
export function writeShortSessions(root, count) {
  for (let at = 0; at < count; at++) {
    const time = Date.now() - 2 * 86_400_000 - at * 3_000_000;
    const project = `project-${at % 40}`;
    const session = `${at.toString(16).padStart(8, '0')}-d574-4fea-bbfe-0dd74bbd38cd`;
    const folder = path.join(root, 'projects', `-home-dev-${project}`);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${session}.jsonl`);
    const said = `${WORDS[at % WORDS.length]} ${THINGS[at % THINGS.length]} of number ${at}`;
    const line = (n, record) =>
      `${JSON.stringify({
        ...{ parentUuid: n === 0 ? null : `${session}-${n - 1}`, isSidechain: false, userType: 'external' },
        ...{ cwd: `/home/dev/${project}`, sessionId: session, version: '2.1.325', gitBranch: 'main' },
        ...{ uuid: `${session}-${n}`, timestamp: new Date(time + n * 60_000).toISOString(), ...record },
      })}\n`;
    const usage = { input_tokens: 1000 + at, output_tokens: 200 + ((at * 37) % 9000), cache_read_input_tokens: 0 };
    const content = [{ type: 'text', text: `Done: ${said}.` }];
    const message = { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5' };
    writeFileSync(
      file,
      line(0, { type: 'user', message: { role: 'user', content: said } }) +
        line(1, {
          type: 'assistant',
          requestId: `req_${at}`,
          message: { ...message, content, stop_reason: 'end_turn', usage },
        }),
    );
    utimesSync(file, new Date(time), new Date(time));
  }
}

async function untilRead(server) {
  for (;;) {
    const { total, unread } = await list(server, 'limit=1');
    if (total > 0 && unread === 0) return;
    await sleep(500);
  }
}

async function list(server, query) {
  let text = '';
  for await (const chunk of await get(server, `/api/session-list?${query}`)) text += chunk;
  return JSON.parse(text);
}

async function timeRequests(server) {
  const times = [];
  for (const query of ['', 'sort=cost', 'group=project&from=5000', 'q=limiter+project%3Aproject-7']) {
    const begin = performance.now();
    await list(server, query);
    times.push(`${query || 'newest'} ${(performance.now() - begin).toFixed(0)} ms`);
  }
  return times;
}

/** With the wheel, from top to bottom and back, then in large steps. */
async function scrollThrough(browser, server) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  await page.goto(await createLink(server));
  const rows = page.locator('.sessions-row > a');
  await rows.nth(5).waitFor();
  await sleep(1_000);
  await page.evaluate(() => {
    window.frames = [];
    let last = performance.now();
    const note = (now) => {
      window.frames.push(now - last);
      last = now;
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await page.mouse.move(140, 600);
  for (let step = 0; step < 80; step++) {
    await page.mouse.wheel(0, step < 50 ? 600 : step < 60 ? 20_000 : -400);
    await sleep(16);
  }
  await sleep(300);
  const frames = await page.evaluate(() => window.frames.slice(2));
  await page.close();
  return Math.max(...frames);
}

async function takeShots(browser, server, folder) {
  mkdirSync(folder, { recursive: true });
  const link = await createLink(server);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('.sessions-row > a').nth(5).waitFor();
  await sleep(500);
  await page.screenshot({ path: path.join(folder, 'desk.png') });
  await page.goto(`${server.url}#/race?sort=cost&group=project&q=limiter`);
  await sleep(1_500);
  await page.screenshot({ path: path.join(folder, 'desk-project.png') });
  await page.locator('.sessions-row > a').nth(3).click();
  await sleep(1_500);
  await page.screenshot({ path: path.join(folder, 'desk-open.png') });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Sessions' }).click();
  await sleep(800);
  await page.screenshot({ path: path.join(folder, 'phone.png') });
  await context.close();
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function printSessionList(rows) {
  console.log(`\nlist of sessions, headless Chromium, load ${loadavg()[0].toFixed(2)}`);
  console.log('| what | measured | promised |\n|---|---|---|');
  for (const { what, value, promise } of rows) console.log(`| ${what} | ${value} | ${promise} |`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      sessions: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
      shots: { type: 'string' },
    },
  });
  const { sessions, rounds, shots } = values;
  printSessionList(await benchSessionList({ sessions: Number(sessions), rounds: Number(rounds), shots }));
}
