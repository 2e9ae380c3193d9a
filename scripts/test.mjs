// `npm test`: install, build, run every test. Arguments go to vitest: `npm test -- src/core`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureInstalled, root } from './ensure-installed.mjs';
import { findBrowser } from './find-browser.mjs';

ensureInstalled();
await import('./build.mjs');
// Once, before several files want it at the same time.
if (process.argv.length === 2) await findBrowser();
const work = mkdtempSync(path.join(tmpdir(), 'troupe-test-'));
const report = path.join(work, 'report.json');
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
// The plain closing line that every CI can read.
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
rmSync(work, { recursive: true });
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
process.exitCode = status ?? 1;
