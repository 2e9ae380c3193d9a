// Takes the pictures of the page in docs/: the demo recording, played in the built program, in headless Chromium.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './ensure-installed.mjs';
import { findBrowser } from './find-browser.mjs';

const SPEED = 3;
/** When in the demo, in seconds of the recording: nested agents at work, one failed, one in the background. */
const MOMENT = 25;
const PICTURES = [
  ['race', 'dark', 1440, 720, ''],
  ['graph', 'light', 1440, 820, ''],
  ['timeline', 'dark', 1440, 720, ''],
  ['read', 'light', 1440, 900, ''],
];

const home = mkdtempSync(path.join(tmpdir(), 'troupe-shots-'));
const args = ['dist/troupe.js', '--demo', '--speed', String(SPEED), '--no-open', '--json'];
const child = spawn(process.execPath, args, {
  cwd: root,
  env: { ...process.env, TROUPE_HOME: home },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch(await findBrowser());
try {
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.trimEnd().endsWith('}')) break;
  }
  const { url, loginUrl } = JSON.parse(text);
  const first = await browser.newContext();
  await (await first.newPage()).goto(loginUrl);
  const storageState = await first.storageState();
  const pages = [];
  for (const [view, colorScheme, width, height] of PICTURES) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, storageState });
    await page.goto(url);
    await page.evaluate((name) => {
      location.hash = `#/${name}`;
    }, view);
    pages.push([view, page]);
  }
  await new Promise((resolve) => setTimeout(resolve, (MOMENT * 1000) / SPEED));
  for (const [view, page] of pages) {
    await page.bringToFront();
    await page.waitForTimeout(700);
    await page.screenshot({ path: path.join(root, 'docs', `page-${view}.png`) });
  }
} finally {
  await browser.close();
  child.kill('SIGTERM');
  rmSync(home, { recursive: true, force: true });
}
