// Takes sessions of Copilot CLI, or a recording of it, into the project as a fixture: events, fields and locks of sessions
// only, neutral paths, vendor texts cut. Every line is kept. Then look at what you got before you commit it.
// usage: node scripts/import-copilot-recording.mjs FOLDER NAME     (FOLDER holds session-state/)
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './ensure-installed.mjs';

/** Longest text that stays whole, and what is left of a longer one. */
const CUT_AT = 400;
const LEFT = 60;
/** What a model asked for and was told is read by the reader, however long. */
const WHOLE = new Set(['prompt', 'command', 'content', 'detailedContent', 'file_text']);
/** Nothing that anybody reads: numbers for the vendor, the same totals three times. */
const DROPPED = new Set([
  'toolTelemetry',
  'accountingSnapshot',
  'providerModelMetrics',
  'usageAccountingWatermarks',
  'transformedContent',
]);

const [from, name] = process.argv.slice(2);
if (!from || !name) {
  console.error('usage: node scripts/import-copilot-recording.mjs FOLDER NAME');
  process.exit(2);
}
const source = path.join(from, 'session-state');
const target = path.join(root, 'src/hosts/copilot/fixtures', name, 'session-state');
rmSync(target, { recursive: true, force: true });
for (const session of readdirSync(source)) {
  if (!existsSync(path.join(source, session, 'events.jsonl'))) continue;
  for (const file of readdirSync(path.join(source, session))) {
    if (!/^(?:events\.jsonl|workspace\.yaml|inuse\.\d+\.lock)$/.test(file)) continue;
    const text = neutral(readFileSync(path.join(source, session, file), 'utf8'));
    mkdirSync(path.join(target, session), { recursive: true });
    writeFileSync(path.join(target, session, file), file.endsWith('.jsonl') ? scrubLines(text) : text);
  }
}

/** `--root` of the recording kit, or its own temporary folder; the scenario's folder is below. */
function neutral(text) {
  return text.replaceAll(/\/tmp(?:\/[\w.-]+)+?\/(project|home|temp)\b/g, `/home/dev/${name}/$1`);
}

function scrubLines(text) {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : JSON.stringify(scrubEvent(JSON.parse(line)))))
    .join('\n');
}

function scrubEvent(event) {
  const { type, data } = event;
  if (type === 'system.message') return { ...event, data: { role: data.role, content: '[cut]' } };
  if (type === 'hook.start') return { ...event, data: { ...data, input: { sessionId: data.input?.sessionId } } };
  return { ...event, data: scrub(data) };
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
