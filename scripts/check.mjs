// `npm run check`: everything a machine can say about the code without running it, side by side. Prints what failed.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { ensureInstalled, root } from './ensure-installed.mjs';

const CHECKS = {
  types: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  'types without Node': ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.pure.json'],
  'types of the page': ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.web.json'],
  lint: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
  imports: ['scripts/check-imports.mjs'],
  house: ['scripts/check-house.mjs'],
  language: ['scripts/check-language.mjs'],
  'library types': ['scripts/api-report.mjs'],
  'dead code': ['node_modules/knip/bin/knip.js', '--no-progress'],
  package: ['node_modules/publint/src/cli.js', '--strict'],
};

ensureInstalled();
await import('./build.mjs');
const started = performance.now();
const results = await Promise.all(Object.entries(CHECKS).map(([name, args]) => runCheck(name, args)));
for (const { name, code, output } of results) {
  if (code !== 0) console.error(`\n✗ ${name}\n${output}`);
}
const failed = results.filter(({ code }) => code !== 0).length;
console.log(
  `checks: ${results.length - failed} passed, ${failed} failed (${((performance.now() - started) / 1000).toFixed(1)} s)`,
);
process.exitCode = failed === 0 ? 0 : 1;

function runCheck(name, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, FORCE_COLOR: '0' } });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('close', (code) => resolve({ name, code, output }));
  });
}
