// Takes a data folder of Codex, or a recording of it, into the project as a fixture: rollouts and names of threads only,
// neutral paths, vendor texts cut. Every line is kept. Then look at what you got before you commit it.
// usage: node scripts/import-codex-recording.mjs FOLDER NAME [--only FILE]
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './ensure-installed.mjs';

const KEEP = ['sessions', 'archived_sessions', 'session_index.jsonl'];
/** Longest text that stays whole, and what is left of a longer one. */
const CUT_AT = 300;
const LEFT = 60;
/** What a model asked for is read by its reader, however long. */
const WHOLE = new Set(['arguments', 'input', 'encrypted_content']);
/** Nothing that anybody reads. Of what is said about a message, only who said it. */
const DROPPED = new Set(['rate_limits', 'turn_attribution', 'thread_settings', 'create_time', 'content_item_metadata']);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [from, name] = positionals;
if (!from || !name) {
  console.error('usage: node scripts/import-codex-recording.mjs FOLDER NAME [--only FILE]');
  process.exit(2);
}
const to = path.join(root, 'src/hosts/codex/fixtures', name);
// What was written beside it by hand or by a test stays.
for (const part of [...KEEP, ...(values.only ? [values.only] : [])])
  rmSync(path.join(to, part), { recursive: true, force: true });
for (const part of values.only ? [values.only] : KEEP) take(path.join(from, part), path.join(to, part));

function take(source, target) {
  if (!existsSync(source)) return;
  if (statSync(source).isDirectory()) {
    for (const entry of readdirSync(source)) take(path.join(source, entry), path.join(target, entry));
    return;
  }
  if (!source.endsWith('.jsonl')) return;
  mkdirSync(path.dirname(target), { recursive: true });
  const lines = readFileSync(source, 'utf8').split('\n');
  writeFileSync(target, lines.map((line) => (line === '' ? line : scrubLine(line))).join('\n'));
}

function scrubLine(line) {
  const { metadata: _metadata, ...record } = JSON.parse(
    line.replaceAll(/\/tmp\/troupe-live-\w+\/[\w-]+/g, `/home/dev/${name}`),
  );
  if (record.type === 'world_state') record.payload = { full: record.payload.full };
  return JSON.stringify(scrub(record));
}

function scrub(value, key) {
  if (typeof value === 'string') return WHOLE.has(key) ? value : cut(value);
  if (Array.isArray(value)) return value.map((one) => scrub(one, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, one]) => (DROPPED.has(field) ? [] : [[field, scrub(one, field)]])),
  );
}

function cut(text) {
  return text.length <= CUT_AT || text.endsWith(' characters cut]')
    ? text
    : `${text.slice(0, LEFT)}… [${text.length - LEFT} characters cut]`;
}
