// The page in headless Chromium: from an append to the change of the DOM mirror, frames a second and memory with 1,000 agents,
// first paint of a session of 200. One table. usage: node bench/page.mjs [--minutes 2]
import { fork } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findBrowser } from '../scripts/find-browser.mjs';
import { lineOf, writeSessions } from './live-corpus.mjs';
import { createLink, startServer } from './live-server.mjs';
import { removeFolder, stopProcess } from './processes.mjs';

const CHANGES = 200;
const here = fileURLToPath(new URL('.', import.meta.url));

export async function benchPage({ minutes = 2 } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-page-bench-'));
  const browser = await chromium.launch(await findBrowser());
  const rows = [];
  try {
    await serve(work, 'small', 20, async (small) => rows.push(await benchMirror(browser, small)));
    await serve(work, 'middle', 200, async (middle) => rows.push(await benchFirstPaint(browser, middle)));
    await serve(work, 'large', 1000, async (large) => rows.push(...(await benchFrames(browser, large, minutes))));
    return rows;
  } finally {
    await browser.close();
    await removeFolder(work);
  }
}

async function serve(work, name, agents, use) {
  const data = path.join(work, name);
  const writers = writeSessions(data, { files: agents * 2 + 1, agents, sessions: 1 });
  mkdirSync(path.join(work, `${name}-home`));
  const server = await startServer(path.join(work, `${name}-home`), data);
  try {
    await use({ writers, server });
  } finally {
    await server.stop();
  }
}

async function open(browser, server, view = 'race') {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  await page.goto(await createLink(server));
  await page.evaluate((name) => {
    location.hash = `#/${name}`;
  }, view);
  return page;
}

/** Every change of the mirror is noted in the page, on the clock that we share. */
async function benchMirror(browser, { server, writers }) {
  const page = await open(browser, server);
  await page.locator('.race-mirror [data-agent]').nth(5).waitFor();
  await page.evaluate(() => {
    window.heard = [];
    const note = () => {
      const at = performance.timeOrigin + performance.now();
      const text = document.querySelector('.race-mirror')?.textContent ?? '';
      for (const [, n] of text.matchAll(/change (\d+);/g)) if (window.heard[n] === undefined) window.heard[n] = at;
    };
    const observer = new MutationObserver(note);
    observer.observe(document.querySelector('.race-mirror'), {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  const appended = [];
  const { file, session, agent } = writers[0];
  for (let n = 0; n < CHANGES; n++) {
    const blocks = [{ type: 'tool_use', id: `toolu_change_${n}`, name: 'Bash', input: { command: `change ${n};` } }];
    const line = lineOf({ session, agent, n: 1000 + n, time: new Date(), blocks, bytes: 2048 });
    appended.push(performance.timeOrigin + performance.now());
    appendFileSync(file, line);
    await sleep(100 + (n % 7) * 5);
  }
  await sleep(500);
  const heard = await page.evaluate(() => window.heard);
  const late = appended.map((at, n) => (heard[n] ?? Number.POSITIVE_INFINITY) - at).sort((a, b) => a - b);
  await page.close();
  return {
    what: `append to DOM mirror, ${CHANGES} changes`,
    value: `p50 ${late[CHANGES / 2].toFixed(0)} ms, p95 ${late[CHANGES * 0.95].toFixed(0)} ms, p99 ${late[CHANGES * 0.99 - 1].toFixed(0)} ms`,
    promise: 'p95 under 150 ms',
  };
}

async function benchFirstPaint(browser, { server }) {
  const times = [];
  for (let run = 0; run < 10; run++) {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    const link = await createLink(server);
    const begin = performance.now();
    await page.goto(link);
    await page.locator('.race-mirror [data-agent]').nth(5).waitFor();
    times.push(performance.now() - begin);
    await page.close();
  }
  return {
    what: 'first paint with data, 200 agents',
    value: `${Math.min(...times).toFixed(0)} ms (best of ten)`,
    promise: 'under 1000 ms',
  };
}

/** 1,000 agents, 20 updates a second, view after view. */
async function benchFrames(browser, { server, writers }, minutes) {
  const writer = fork(path.join(here, 'live-writer.mjs'), { stdio: 'inherit' });
  writer.send({ agents: writers, seconds: minutes * 60 + 120, perSecond: 0.02 });
  const rows = [];
  try {
    for (const view of ['race', 'graph', 'timeline']) {
      const page = await open(browser, server, view);
      await sleep(4000);
      rows.push({
        what: `${view}, 1,000 agents, 20 updates a second`,
        value: `${(await framesASecond(page)).toFixed(0)} frames a second`,
        promise: view === 'race' ? 'above 50' : 'usable',
      });
      await page.close();
    }
    const page = await open(browser, server);
    await sleep(10_000);
    const session = await page.context().newCDPSession(page);
    const before = await heap(session);
    await sleep(minutes * 60_000);
    const after = await heap(session);
    rows.push({
      what: `memory of the page over ${minutes} min`,
      value: `${before.toFixed(0)} → ${after.toFixed(0)} MB`,
      promise: 'flat',
    });
    await page.close();
  } finally {
    await stopProcess(writer);
  }
  return rows;
}

function framesASecond(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let frames = 0;
        const begin = performance.now();
        const count = () => {
          frames++;
          const passed = performance.now() - begin;
          if (passed < 8000) requestAnimationFrame(count);
          else resolve((frames * 1000) / passed);
        };
        requestAnimationFrame(count);
      }),
  );
}

async function heap(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function printPage(rows) {
  console.log(`\npage, headless Chromium, load ${loadavg()[0].toFixed(2)}`);
  console.log('| what | measured | promised |\n|---|---|---|');
  for (const { what, value, promise } of rows) console.log(`| ${what} | ${value} | ${promise} |`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' } } });
  printPage(await benchPage({ minutes: Number(values.minutes) }));
}
