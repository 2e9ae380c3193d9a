// Takes a recording of the real program, or one that `npm run matrix -- --keep` left, into the project as a fixture: transcripts,
// sidecars, process records and the history of prompts only, neutral paths, vendor texts cut. Every line is kept. Then look at what you got before you commit it.
// usage: node scripts/import-recording.mjs RECORDING NAME [--truth FILE]
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './ensure-installed.mjs';

/** Longest text that a line of this kind keeps: these hold the vendor's prompts, and nothing that the tree needs. */
const CUT_AT = 160;
const VENDOR_LINES = new Set(['attachment', 'api-request', 'api-request-shape', 'api-request-blob', 'system']);
const KEEP = ['projects', 'sessions', 'history.jsonl'];
const TRUTH_FIELDS = [
  'key',
  'id',
  'description',
  'type',
  'parent',
  'depth',
  'kind',
  'endStatus',
  'toolCalls',
  'outputTokens',
  'recordedOutputTokens',
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { truth: { type: 'string' } } });
const [recording, name] = positionals;
if (!recording || !name) {
  console.error('usage: node scripts/import-recording.mjs RECORDING NAME [--truth FILE]');
  process.exit(2);
}
const target = path.join(root, 'src/hosts/claude-code/fixtures', name);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const config = ['config', 'home/.claude'].map((folder) => path.join(recording, folder)).find(existsSync);
for (const folder of config ? KEEP : []) {
  const from = path.join(config, folder);
  if (existsSync(from)) cpSync(from, path.join(target, folder), { recursive: true });
}
const cwd = findCwd(path.join(target, 'projects'));
scrub(target);
if (values.truth) writeTruth(values.truth);

function scrub(folder) {
  for (const entry of readdirSync(folder)) {
    const place = path.join(folder, entry);
    if (statSync(place).isDirectory()) {
      if (['tool-results', 'memory'].includes(entry)) rmSync(place, { recursive: true });
      else scrub(place);
    } else if (entry.endsWith('.jsonl')) {
      // Names first: a path that was cut in two is no longer recognised.
      const lines = neutral(readFileSync(place, 'utf8')).split('\n');
      writeFileSync(place, lines.map((line) => (line === '' ? line : scrubLine(line))).join('\n'));
    } else if (entry.endsWith('.json')) {
      writeFileSync(place, neutral(readFileSync(place, 'utf8')));
    } else {
      rmSync(place);
    }
    const renamed = neutral(entry);
    if (renamed !== entry && existsSync(place)) renameSync(place, path.join(folder, renamed));
  }
}

function scrubLine(line) {
  const record = JSON.parse(line);
  // The program writes JSON without spaces: a line that needs no cut comes out byte for byte.
  return VENDOR_LINES.has(record.type) ? JSON.stringify(cut(record)) : line;
}

function cut(value) {
  if (typeof value === 'string') {
    const isNotice = value.includes('<task-notification>');
    return value.length <= CUT_AT || isNotice ? value : `${value.slice(0, 40)}… [${value.length - 40} characters cut]`;
  }
  if (Array.isArray(value)) return value.slice(0, 6).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]));
}

/** /anywhere/of/the/recording → /home/dev/<name>, in paths and in the folder names made from them. */
function neutral(raw) {
  const text = raw.replace(
    /\/[^\s"'\\]*\/hook-recorder\.mjs [^\s"'\\]+/g,
    '/home/dev/hook-recorder.mjs /home/dev/hooks.jsonl',
  );
  if (!cwd || cwd.startsWith('/home/dev/')) return text;
  const above = path.dirname(cwd);
  const slug = (place) => place.replace(/[^A-Za-z0-9]/g, '-');
  return text.replaceAll(above, `/home/dev/${name}`).replaceAll(slug(above), slug(`/home/dev/${name}`));
}

function findCwd(folder) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    if (!entry.endsWith('.jsonl')) continue;
    for (const line of readFileSync(path.join(folder, entry), 'utf8').split('\n')) {
      const found = line.match(/"cwd":"([^"]+)"/)?.[1];
      if (found) return found;
    }
  }
  return undefined;
}

function writeTruth(file) {
  const truth = JSON.parse(readFileSync(file, 'utf8'));
  const mine = truth.find((entry) => path.resolve(path.dirname(file), entry.path) === path.resolve(recording));
  if (!mine) throw new Error(`${file} says nothing about ${recording}`);
  const agents = mine.agents.map((agent) =>
    Object.fromEntries(
      TRUTH_FIELDS.filter((field) => agent[field] !== undefined).map((field) => [field, agent[field]]),
    ),
  );
  writeFileSync(
    path.join(target, 'truth.json'),
    `${JSON.stringify({ version: mine.version, hidden: mine.hidden ?? [], agents }, null, 1)}\n`,
  );
}
