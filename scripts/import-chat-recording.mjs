// Takes a data folder of Gemini CLI or Qwen Code, or a recording of it, into the project as a fixture: conversations and
// what names their projects, vendor texts cut. Every line is kept. Then look at what you got before you commit it.
// usage: node scripts/import-chat-recording.mjs gemini|qwen FOLDER NAME
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './ensure-installed.mjs';

const KEEP = { gemini: ['tmp', 'projects.json'], qwen: ['projects'] };
const FILES = /(?:[\\/](?:chats|subagents)[\\/].*\.jsonl?(?:\.stream)?|projects\.json|\.project_root)$/;
/** Longest text that stays whole, and what is left of a longer one. */
const CUT_AT = 400;
const LEFT = 240;
/** Nothing that anybody reads. */
const DROPPED = new Set(['recentActivity', 'persistedCliFlags', 'renderOutputAsMarkdown']);
/** Of what the program notes about its own requests: whose they were, and what went wrong. */
const NOTED = new Set(['event.name', 'prompt_id', 'subagent_id', 'error_message', 'status_code']);

const [host, from, name] = process.argv.slice(2);
if (!KEEP[host] || !from || !name) {
  console.error('usage: node scripts/import-chat-recording.mjs gemini|qwen FOLDER NAME');
  process.exit(2);
}
const to = path.join(root, 'src/hosts', host, 'fixtures', name);
for (const part of KEEP[host]) {
  rmSync(path.join(to, part), { recursive: true, force: true });
  take(path.join(from, part), path.join(to, part));
}

function take(source, target) {
  if (!existsSync(source)) return;
  if (statSync(source).isDirectory()) {
    for (const entry of readdirSync(source)) take(path.join(source, entry), path.join(target, entry));
    return;
  }
  if (!FILES.test(source)) return;
  mkdirSync(path.dirname(target), { recursive: true });
  const text = readFileSync(source, 'utf8');
  writeFileSync(target, scrubFile(source, text));
}

function scrubFile(source, text) {
  if (source.endsWith('.project_root')) return text;
  if (source.endsWith('.json')) return JSON.stringify(scrub(JSON.parse(text)), null, 2);
  return text
    .split('\n')
    .map((line) => (line === '' ? line : JSON.stringify(scrub(JSON.parse(line)))))
    .join('\n');
}

function scrub(value) {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(scrub);
  if (typeof value !== 'object' || value === null) return value;
  const isNote = 'event.name' in value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, one]) =>
      DROPPED.has(field) || (isNote && !NOTED.has(field)) ? [] : [[field, scrub(one)]],
    ),
  );
}

/** The folder stands in the middle of what the program tells the model about itself. */
function cut(text) {
  if (text.length <= CUT_AT || text.endsWith(' characters cut]') || text.startsWith('<task-notification>')) return text;
  const folders = /^- \*\*Workspace Directories:\*\*\n {2}- .+$/m.exec(text)?.[0];
  const left = folders ? `${text.slice(0, LEFT / 4)}…\n${folders}\n` : text.slice(0, LEFT);
  return `${left}… [${text.length - left.length} characters cut]`;
}
