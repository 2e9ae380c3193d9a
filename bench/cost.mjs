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
    ({ fields, isSplit }) => isSplit && fields.every((field) => field === 'cacheWrite'),
  ],
  ["the host's total holds more than the messages", ({ session }) => session.unattributedUsage !== null],
  [
    'messages, agents or a team that several sessions have count in another one, and each once',
    ({ family }) => family.length > 1,
  ],
  [
    'ccusage counts agents of workflows, and those whose files are beside the session, as sessions of their own',
    ({ isApart }) => isApart,
  ],
  ['a reply was cut off, or its last line is not its largest', ({ fields }) => fields.includes('output')],
];

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
    return { ...compare(readMessages(data), { sessions, rows, theirRows }), times: least };
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

/**
 * Every difference has to follow from what is in the files: theirs are what their rules make of them, and ours, of all sessions together that
 * have something in common, the largest numbers of each message once.
 */
function compare(messages, { sessions, rows, theirRows }) {
  const ours = new Map(rows.map(({ key, total }) => [key, total]));
  const theirs = new Map(theirRows.map((one) => [one.sessionId, one]));
  const { families, expected } = sumFamilies(messages, sessions);
  const byTheirRules = countAsCcusage(messages);
  const splits = new Set(messages.filter(({ usage, split }) => split < usage.cacheWrite).map(({ session }) => session));
  const apart = new Set(
    messages.filter((one) => (one.workflow ?? one.group) !== one.session).map((one) => one.session),
  );
  const usageOf = (id) => ours.get(id)?.usage ?? NOTHING;
  const isWhole = (family) =>
    isSame(
      family.reduce((sum, one) => minus(plus(sum, usageOf(one.id)), one.unattributedUsage ?? NOTHING), NOTHING),
      expected.get(family) ?? NOTHING,
    );
  const differences = [];
  let equal = 0;
  for (const session of sessions) {
    const [usage, other] = [usageOf(session.id), theirs.get(session.id)];
    const their = other ? toUsage(other) : NOTHING;
    const [usd, theirUsd] = [ours.get(session.id)?.cost.usd ?? 0, other?.totalCost ?? 0];
    if (isSame(usage, their) && Math.abs(usd - theirUsd) <= 0.01 * Math.max(usd, theirUsd)) {
      equal++;
      continue;
    }
    const family = families.get(session.id);
    const fields = FIELDS.filter((field) => usage[field] !== their[field]);
    const facts = { session, fields, family };
    const flags = { isSplit: splits.has(session.id), isApart: apart.has(session.id) };
    const isExplained = isSame(their, byTheirRules.get(session.id) ?? NOTHING) && isWhole(family);
    const known =
      fields.length === 0 ? 'another price list' : RULES.find(([, holds]) => holds({ ...facts, ...flags }))?.[0];
    const rule = (isExplained && known) || 'NOT EXPLAINED';
    differences.push({ id: session.id, rule, usage, their, usd, theirUsd });
  }
  return { sessions: sessions.length, equal, differences };
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const combine = (a, b, how) => Object.fromEntries(FIELDS.map((field) => [field, how(a[field], b[field])]));
const plus = (a, b) => combine(a, b, (one, two) => one + two);
const minus = (a, b) => combine(a, b, (one, two) => one - two);
const isSame = (a, b) => FIELDS.every((field) => a[field] === b[field]);
const sumOf = (usage) => FIELDS.reduce((sum, field) => sum + usage[field], 0);

function toUsage({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }) {
  return { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheCreationTokens };
}

/** Every line with numbers, in the order of paths: of which session, agent and team, and how its cache writes are split. */
function readMessages(data) {
  const projects = path.join(data, 'projects');
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return files.sort().flatMap((name) => {
    const text = readFileSync(path.join(projects, name), 'utf8');
    const parts = name.split(path.sep);
    const [project, first] = parts;
    const agent = /^agent-(.+)\.jsonl$/.exec(parts.at(-1))?.[1];
    const isBeside = parts.length === 2 && agent !== undefined;
    const session = isBeside ? /"sessionId":"([^"]+)"/.exec(text)?.[1] : first?.replace('.jsonl', '');
    const workflow = parts.find((part) => part.startsWith('wf_'));
    const team = /"teamName":"([^"]+)"/.exec(text)?.[1];
    const file = { session, agent, workflow, group: isBeside ? first?.replace('.jsonl', '') : session };
    return text.split('\n').flatMap((line) => {
      if (!line.includes('"usage"')) return [];
      const { message, requestId } = parseOrNothing(line);
      const { usage, id, model } = message ?? {};
      if (!usage) return [];
      const { ephemeral_5m_input_tokens: short = 0, ephemeral_1h_input_tokens: long = 0 } = usage.cache_creation ?? {};
      const cacheWrite = usage.cache_creation_input_tokens ?? 0;
      const { input_tokens: input = 0, output_tokens: output = 0, cache_read_input_tokens: cacheRead = 0 } = usage;
      return {
        ...{ ...file, team: team && `${project} ${team}`, id, key: requestId ? `${id}:${requestId}` : id, model },
        ...{ usage: { input, output, cacheRead, cacheWrite }, split: usage.cache_creation ? short + long : cacheWrite },
      };
    });
  });
}

function parseOrNothing(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** Its rules: each message in the first file that has it, with the numbers of the line that has most; the split of cache writes. */
function countAsCcusage(messages) {
  const known = new Map();
  for (const { key, group, workflow, usage, split } of messages) {
    const counted = { ...usage, cacheWrite: split };
    const one = known.get(key);
    if (!one) known.set(key, { session: workflow ?? group, counted });
    else if (sumOf(counted) > sumOf(one.counted)) one.counted = counted;
  }
  const sums = new Map();
  for (const { session, counted } of known.values()) sums.set(session, plus(sums.get(session) ?? NOTHING, counted));
  return sums;
}

/** Sessions with something in common, and what all their messages used, each once. */
function sumFamilies(messages, sessions) {
  const families = new Map(sessions.map((session) => [session.id, [session]]));
  // Of a team, members with a terminal of their own are in the lead's tree, and not listed.
  for (const { session: id } of messages) if (!families.has(id)) families.set(id, [{ id, unattributedUsage: null }]);
  const join = (id, other) => {
    const [one, two] = [families.get(id), families.get(other)];
    if (!one || !two || one === two) return;
    one.push(...two);
    for (const member of two) families.set(member.id, one);
  };
  for (const { id, forkedFrom, continuedFrom } of sessions)
    for (const other of [forkedFrom, continuedFrom]) join(id, other);
  const [firsts, largest] = [new Map(), new Map()];
  for (const { session, id, agent, team, model, usage } of messages) {
    for (const shared of [id, agent && `agent ${agent}`, team].filter(Boolean)) {
      if (firsts.has(shared)) join(session, firsts.get(shared));
      else firsts.set(shared, session);
    }
    if (model === '<synthetic>') continue;
    const before = largest.get(id);
    largest.set(id, { session, usage: before ? combine(before.usage, usage, Math.max) : usage });
  }
  const expected = new Map();
  for (const { session, usage } of largest.values()) {
    const family = families.get(session);
    expected.set(family, plus(expected.get(family) ?? NOTHING, usage));
  }
  return { families, expected };
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
