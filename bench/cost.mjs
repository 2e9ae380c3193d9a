// What sessions cost by `troupe cost`, session by session, beside ccusage on the same files; and the time that both take.
// usage: node bench/cost.mjs [--megabytes 1100] [--runs 3] [FOLDER]   (a data folder of Claude Code instead of the corpus)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../scripts/ensure-installed.mjs';
import { ccusageFile } from './history.mjs';
import { writeHistory } from './history-corpus.mjs';
import { removeFolder } from './processes.mjs';

const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

/** Why a session may differ (docs/explanation/cost.md, "Other tools"); the first that holds. */
const RULES = [
  [
    'ccusage counts the split of cache writes by their life, and the host wrote a smaller one than the whole',
    ({ fields, isSplit }) => isSplit && fields.length === 0,
  ],
  [
    'messages that a fork copied count in another session, and not in fewer',
    ({ family, byFamily }) => family.length > 1 && byFamily.every(([ours, their]) => ours >= their),
  ],
  [
    "the host's total holds more than the messages",
    ({ session, usage, their, fields }) =>
      session.unattributedUsage !== null && fields.every((field) => usage[field] > their[field]),
  ],
  [
    'a reply was cut off, or its last line is not its largest',
    ({ usage, their, fields }) => isOnly(fields, 'output') && usage.output > their.output,
  ],
];

const isOnly = (fields, name) => fields.length === 1 && fields[0] === name;

/** 2,000 transcripts. */
const MEGABYTES = 1_100;

export async function benchCost({ megabytes = MEGABYTES, runs = 3, folder } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  try {
    const data = folder ? path.resolve(folder) : path.join(work, 'data');
    if (!folder) {
      writeHistory(data, { megabytes });
      dateFiles(data);
    }
    const home = path.join(work, 'home');
    mkdirSync(home);
    const ccusage = ccusageFile();
    if (!ccusage || !existsSync(ccusage)) throw new Error('ccusage could not be fetched');
    const env = {
      HOME: home,
      PATH: process.env['PATH'],
      CLAUDE_CONFIG_DIR: data,
      TROUPE_HOME: path.join(work, 'state'),
    };
    const run = (command) => {
      const started = performance.now();
      const { stdout, status } = spawnSync(command[0], command.slice(1), { env, maxBuffer: 1e9, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
      return { ms: performance.now() - started, json: stdout };
    };
    const troupe = (...args) => [process.execPath, path.join(root, 'dist/troupe.js'), ...args, '--root', data];
    const theirs = [ccusage, 'claude', 'session', '--offline', '--json'];
    const sessions = JSON.parse(run(troupe('ls', '--all', '--json')).json).sessions;
    const rows = JSON.parse(run(troupe('cost', '--all', '--by', 'session', '--json')).json).rows;
    const theirRows = JSON.parse(run(theirs).json).sessions;
    const times = { ccusage: [], cost: [], node: [] };
    for (let count = 0; count < runs; count++) {
      times.ccusage.push(run(theirs).ms);
      times.cost.push(run(troupe('cost', '--since', '30d')).ms);
      times.node.push(run([process.execPath, '-e', '0']).ms);
    }
    const least = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, Math.min(...all)]));
    return { ...compare(sessions, rows, theirRows), times: least };
  } finally {
    await removeFolder(work);
  }
}

/** As where people work: a file was last written to when its last line was. */
function dateFiles(data) {
  for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.jsonl')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    const last = bytes.subarray(bytes.lastIndexOf('"timestamp":"')).toString('latin1', 0, 60);
    const at = Date.parse(/^"timestamp":"([^"]+)"/.exec(last)?.[1] ?? '') / 1_000;
    if (!Number.isNaN(at)) utimesSync(file, at, at);
  }
}

function compare(sessions, rows, theirRows) {
  const ours = new Map(rows.map(({ key, total }) => [key, total]));
  const theirs = new Map(theirRows.map((one) => [one.sessionId, one]));
  const families = familiesOf(sessions);
  const compared = new Map(
    sessions.map((session) => {
      const usage = ours.get(session.id)?.usage ?? { ...NOTHING, cacheWrite5m: 0, cacheWrite1h: 0 };
      const other = theirs.get(session.id);
      const their = other
        ? {
            input: other.inputTokens,
            output: other.outputTokens,
            cacheRead: other.cacheReadTokens,
            cacheWrite: other.cacheCreationTokens,
          }
        : NOTHING;
      const split = usage.cacheWrite5m + usage.cacheWrite1h;
      return [session.id, { session, usage, their, split }];
    }),
  );
  // What the split leaves out is a rule of its own: the others are looked at without it.
  const isSplit = [...compared.values()].every(
    ({ their, split, usage }) => their.cacheWrite <= usage.cacheWrite || split === 0,
  );
  const written = ({ usage, split }) => (isSplit && split < usage.cacheWrite ? split : usage.cacheWrite);
  const amountOf = (one, field) => (field === 'cacheWrite' ? written(one) : one.usage[field]);
  const differences = [];
  let equal = 0;
  for (const one of compared.values()) {
    const { session, usage, their } = one;
    const [usd, theirUsd] = [ours.get(session.id)?.cost.usd ?? 0, theirs.get(session.id)?.totalCost ?? 0];
    const isSame = FIELDS.every((field) => usage[field] === their[field]);
    if (isSame && Math.abs(usd - theirUsd) <= 0.01 * Math.max(usd, theirUsd)) {
      equal++;
      continue;
    }
    const fields = FIELDS.filter((field) => amountOf(one, field) !== their[field]);
    const family = families.get(session.id).map((id) => compared.get(id));
    const byFamily = FIELDS.map((field) => [
      family.reduce((sum, member) => sum + amountOf(member, field), 0),
      family.reduce((sum, member) => sum + member.their[field], 0),
    ]);
    const facts = { session, usage, their, fields, family, byFamily, isSplit: !isSame && fields.length === 0 };
    const rule = isSame ? 'another price list' : RULES.find(([, holds]) => holds(facts))?.[0];
    differences.push({ id: session.id, rule: rule ?? 'NOT EXPLAINED', usage, their, usd, theirUsd });
  }
  return { sessions: sessions.length, equal, differences };
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Sessions that copied each other's messages, or whose process went from one to the other. */
function familiesOf(sessions) {
  const families = new Map(sessions.map(({ id }) => [id, [id]]));
  for (const { id, forkedFrom, continuedFrom } of sessions)
    for (const other of [forkedFrom, continuedFrom]) {
      const [one, two] = [families.get(id), families.get(other)];
      if (!two || one === two) continue;
      one.push(...two);
      for (const member of two) families.set(member, one);
    }
  return families;
}

export function printCost({ sessions, equal, differences, times }) {
  console.log(`cost: ${sessions} sessions, ${equal} equal to ccusage 20.0.24; load ${loadavg()[0].toFixed(2)}`);
  for (const rule of new Set(differences.map((one) => one.rule)))
    console.log(`  ${String(differences.filter((one) => one.rule === rule).length).padStart(5)}  ${rule}`);
  for (const { id, rule, usage, their, usd, theirUsd } of differences
    .toSorted((a, b) => Number(a.rule !== 'NOT EXPLAINED') - Number(b.rule !== 'NOT EXPLAINED'))
    .slice(0, 10))
    console.log(
      `    ${id.slice(0, 8)}  ${FIELDS.map((field) => `${field} ${usage[field]}/${their[field]}`).join('  ')}  $${usd.toFixed(4)}/$${theirUsd.toFixed(4)}  ${rule}`,
    );
  console.log(
    `  warm troupe cost --since 30d ${times.cost.toFixed(0)} ms, ccusage ${times.ccusage.toFixed(0)} ms: ${(times.cost / times.ccusage).toFixed(2)}; node -e 0 ${times.node.toFixed(0)} ms`,
  );
}

if (process.argv[1] === path.join(root, 'bench/cost.mjs')) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { megabytes: { type: 'string' }, runs: { type: 'string' } },
  });
  const result = await benchCost({
    megabytes: Number(values.megabytes ?? MEGABYTES),
    runs: Number(values.runs ?? 3),
    folder: positionals[0],
  });
  printCost(result);
  process.exitCode = result.differences.some(({ rule }) => rule === 'NOT EXPLAINED') ? 1 : 0;
}
