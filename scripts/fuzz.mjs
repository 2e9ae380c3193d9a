// `npm run fuzz`: the tests that draw at random, with a new seed in each round. Prints the seed, and how to repeat a failure.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ensureInstalled, root } from './ensure-installed.mjs';
import { fuzzWithStrace, NAME as STRACE } from './fuzz-strace.mjs';

const HELP = `Usage: npm run fuzz -- [NAME …] [--seed N] [--runs N] [--load N]

Run the property tests with random seeds. (npm test runs them with a fixed seed, the slow ones a quarter as often.)

  NAME        only test files with this in their path
  --seed N    seed of the first round; each further round takes the next number (default: random)
  --runs N    number of rounds (default: 10)
  --load N    number of busy threads beside the tests (default: 0)
  --list      print the names of the test files
  --help      print this

Examples:
  npm run fuzz                        every property, ten rounds
  npm run fuzz -- suggest             one part
  npm run fuzz -- guard --runs 100    one part, a hundred rounds
  npm run fuzz -- guard/strace        run 20,000 allowed commands under strace (Linux)
  npm run fuzz -- timing --load 6     the tests of live programs, on a busy machine
  npm run fuzz -- --seed 1274900597 policy/suggest-allow
                                      repeat a failure`;

/** Tests that watch, lock or stop programs: what they see depends on how fast the machine is. */
const TIMING = [
  ...[
    'audit/drain',
    'audit/exactly-once',
    'core/reports/live',
    'hook/hook-stubs',
    'lib/lock-file',
    'lib/watch-folders',
  ],
  ...['notify/tracker', 'server/claim-daemon', 'server/hook-hold', 'server/http/asks', 'server/http/events'],
  ...[
    'server/served-feed',
    'sessions/follow-rollouts',
    'sessions/settled-states',
    'sessions/tracker',
    'tui/watch-screen',
  ],
].map((name) => `src/${name}.test.ts`);
TIMING.push(...['asks', 'attach-page', 'live', 'needs-you', 'run-live'].map((name) => `test/${name}.test.ts`));

const { seed: first, runs, load, names, isHelp, isList } = readOptions();
const known = findPropertyTests();
for (const name of names)
  if (!known.some((file) => file.includes(name)) && !STRACE.includes(name) && name !== 'timing')
    refuse(
      `no property test has "${name}" in its path. Known:\n${[...known.map(nameOf), STRACE, 'timing'].map((name) => `  ${name}`).join('\n')}`,
    );
const properties = names.length === 0 ? known : known.filter((file) => names.some((name) => file.includes(name)));
const files = [...new Set([...properties, ...(names.includes('timing') ? TIMING : [])])];
const withStrace = names.length === 0 || names.some((name) => STRACE.includes(name));
if (isHelp) console.log(HELP);
else if (isList) console.log([...files.map(nameOf), ...(withStrace ? [STRACE] : [])].join('\n'));
else {
  ensureInstalled();
  await import('./build.mjs');
  for (let at = 0; at < load; at++) new Worker('for (;;);', { eval: true });
  await fuzz();
  process.exit();
}

async function fuzz() {
  console.log(`fuzz: ${files.length} test files, ${runs} rounds, first seed ${first}`);
  if (withStrace) {
    const failure = await fuzzWithStrace(first);
    if (failure !== null) {
      console.log(`fuzz: ${STRACE} failed with seed ${first}: ${failure}\n  npm run fuzz -- --seed=${first} ${STRACE}`);
      process.exitCode = 1;
      return;
    }
    console.log(`fuzz: ${STRACE}, seed ${first}: passed`);
  }
  for (let round = 1; round <= runs && files.length > 0; round++) {
    // fast-check takes 32 bits.
    const seed = (first + round - 1) | 0;
    const { passed, failed, output } = runRound(seed);
    if (failed.length > 0) {
      console.log(`${output}\nfuzz: round ${round} of ${runs} failed with seed ${seed}. To repeat it:`);
      for (const file of failed) console.log(`  npm run fuzz -- --seed=${seed} ${nameOf(file)}`);
      process.exitCode = 1;
      return;
    }
    console.log(`fuzz: round ${round} of ${runs}, seed ${seed}: ${passed} tests passed`);
  }
}

function runRound(seed) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-fuzz-'));
  const report = path.join(work, 'report.json');
  const args = ['run', '--testTimeout=3600000', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', ...args, ...files],
    {
      cwd: root,
      env: { ...process.env, TROUPE_SEED: String(seed) },
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    },
  );
  const output = `${stdout}${stderr}`;
  try {
    const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = testResults.filter((one) => one.status !== 'passed').map((one) => path.relative(root, one.name));
    // An error outside of all tests fails the run as well.
    return { passed: numPassedTests, failed: status === 0 || failed.length > 0 ? failed : files, output };
  } catch {
    return { passed: 0, failed: files, output };
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Test files that load fast-check, themselves or by what they import. */
function findPropertyTests() {
  const importsOf = new Map();
  for (const folder of ['src', 'web', 'test'])
    for (const entry of readdirSync(path.join(root, folder), { recursive: true })) {
      const file = path.posix.join(folder, entry.split(path.sep).join('/'));
      if (/\.tsx?$/.test(file)) importsOf.set(file, readImports(file));
    }
  const loading = new Set(['fast-check']);
  for (let before = 0; before < loading.size; ) {
    before = loading.size;
    for (const [file, imports] of importsOf) if (imports.some((one) => loading.has(one))) loading.add(file);
  }
  return [...loading].filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/hosts/')).sort();
}

function readImports(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, name]) =>
    name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name,
  );
}

function nameOf(file) {
  return file.replace(/\.test\.ts$/, '');
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        runs: { type: 'string' },
        load: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { seed = String(randomInt(2 ** 31)), runs = '10', load = '0', list: isList, help: isHelp } = values;
    if (String(Number(seed) | 0) !== seed) refuse(`--seed must be an integer of 32 bits, not "${seed}".`);
    if (!/^[1-9]\d{0,8}$/.test(runs)) refuse(`--runs must be a number from 1 on, not "${runs}".`);
    if (!/^\d{1,3}$/.test(load)) refuse(`--load must be a number from 0 to 999, not "${load}".`);
    return { seed: Number(seed), runs: Number(runs), load: Number(load), names: positionals, isHelp, isList };
  } catch (error) {
    refuse(error.message);
  }
}

function refuse(message) {
  console.error(`fuzz: ${message}\nSee npm run fuzz -- --help.`);
  process.exit(2);
}
