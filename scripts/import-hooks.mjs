// Takes the hook calls of a recording into the project, beside the fixture of the same run: payloads only, long texts cut.
// usage: node scripts/import-hooks.mjs RECORDING NAME
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './ensure-installed.mjs';

const CUT_AT = 160;

const [recording, name] = process.argv.slice(2);
if (!recording || !name) {
  console.error('usage: node scripts/import-hooks.mjs RECORDING NAME');
  process.exit(2);
}
const lines = readFileSync(path.join(recording, 'hooks.jsonl'), 'utf8').split('\n').filter(Boolean);
const kept = lines.map((line) => {
  const { at, payload } = JSON.parse(line);
  return JSON.stringify({ at, payload: cut(payload) });
});
const folder = path.join(root, 'src/hosts/claude-code/hooks/fixtures');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, `${name}.jsonl`), `${kept.join('\n')}\n`);

function cut(value) {
  if (typeof value === 'string') {
    return value.length <= CUT_AT ? value : `${value.slice(0, 40)}… [${value.length - 40} characters cut]`;
  }
  if (Array.isArray(value)) return value.slice(0, 6).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]));
}
