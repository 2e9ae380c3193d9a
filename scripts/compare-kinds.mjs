// Compares the kinds of secrets that we redact with those of gitleaks and secretlint.
//   node scripts/compare-kinds.mjs                                  by the recorded facts
//   node scripts/compare-kinds.mjs --gitleaks FILE                  and with a newer config/gitleaks.toml
//   node scripts/compare-kinds.mjs --secretlint FOLDER              and with a newer checkout of secretlint
// Facts only: names of kinds and beginnings of tokens. A new kind goes into src/redact/testing/other-scanners.json, with a sample of our
// own or the reason why it is left.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './ensure-installed.mjs';

ensureInstalled();
const { values } = parseArgs({ options: { gitleaks: { type: 'string' }, secretlint: { type: 'string' } } });
const { compareKinds, compareLists } = await load();
const scanners = JSON.parse(readFileSync(path.join(root, 'src/redact/testing/other-scanners.json'), 'utf8'));
const compared = compareKinds(scanners);
for (const [scanner, { version, date, kinds }] of Object.entries(scanners)) {
  const own = compared.filter((kind) => kind.scanner === scanner);
  const left = own.filter(({ left }) => left !== undefined);
  const problems = own.filter(({ problem }) => problem !== null);
  console.log(
    `${scanner} ${version} (${date}): ${kinds.length} kinds, ${own.length - left.length - problems.length} found, ${left.length} left with a reason, ${problems.length} missing`,
  );
  for (const { kind, left: reason } of left) console.log(`  left ${kind}: ${reason}`);
  for (const { problem } of problems) fail(`  ${problem}`);
  const newer = values[scanner];
  if (newer === undefined) continue;
  const current = scanner === 'gitleaks' ? gitleaksKinds(newer) : secretlintRules(newer);
  const recorded =
    scanner === 'gitleaks'
      ? kinds
      : [...new Set(kinds.map(({ kind }) => kind.split('/')[0]))].map((kind) => ({ kind }));
  const { added, removed } = compareLists(recorded, current);
  console.log(`  ${newer}: ${current.length} kinds, ${added.length} of them new, ${removed.length} gone`);
  for (const kind of added) fail(`  new ${kind}`);
  for (const kind of removed) console.log(`  gone ${kind}`);
}

function gitleaksKinds(file) {
  return [...readFileSync(file, 'utf8').matchAll(/^id = "([^"]+)"$/gm)].map(([, kind]) => kind);
}

/** Rules that configure others, or are examples, find nothing by themselves. */
function secretlintRules(folder) {
  const prefix = 'secretlint-rule-';
  return readdirSync(path.join(folder, 'packages/@secretlint'))
    .filter((name) => name.startsWith(prefix) && !/-(?:preset|internal|example|filter)/.test(name))
    .map((name) => name.slice(prefix.length));
}

function fail(text) {
  console.log(text);
  process.exitCode = 1;
}

async function load() {
  const { build } = await import('esbuild');
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-compare-kinds-'));
  try {
    const outfile = path.join(work, 'compare-kinds.mjs');
    await build({
      entryPoints: [path.join(root, 'src/redact/testing/compare-kinds.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
