// A Chromium for the tests of the page: an installed one, else one that ships inside an npm package, fetched when it is
// first needed. Prints nothing; returns how to start it.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';
import { root, run } from './ensure-installed.mjs';

/** The newest release that accepts Node 20. */
const PACKAGED = '@sparticuz/chromium@143.0.4';

const INSTALLED = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
};

/** `{ executablePath, args }` for playwright-core. `TROUPE_BROWSER` names another one. */
export async function findBrowser() {
  const wanted = process.env.TROUPE_BROWSER;
  const installed =
    wanted && wanted !== 'packaged' ? wanted : (INSTALLED[process.platform] ?? []).find((file) => existsSync(file));
  if (installed && wanted !== 'packaged') return { executablePath: installed, args: ['--no-sandbox'] };
  const folder = path.join(root, 'node_modules', '.browser');
  if (!existsSync(folder)) fetchBrowser(folder);
  const entry = createRequire(path.join(folder, 'package.json')).resolve('@sparticuz/chromium');
  const { default: chromium } = await import(pathToFileURL(entry).href);
  const args = chromium.args.filter((flag) => !NOT_FOR_TESTS.test(flag));
  return { executablePath: await chromium.executablePath(), args: [...args, '--disable-gpu'] };
}

/**
 * In one process, contexts share their cookies, and closing one context can end the browser. An emulated graphics card takes
 * more than half of the processor time of a page.
 */
const NOT_FOR_TESTS =
  /^--(?:single-process|no-zygote|use-gl=angle|use-angle=swiftshader|enable-unsafe-swiftshader|ignore-gpu-blocklist)$/;

/** Into a folder of its own, renamed when it is whole: test files that run side by side may all want it at once. */
function fetchBrowser(folder) {
  console.error('troupe: fetching a browser for the tests (an npm package of 70 MB) …');
  const draft = `${folder}-${process.pid}-${threadId}`;
  const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  run('npm', ['install', '--prefix', draft, ...quiet, PACKAGED]);
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
