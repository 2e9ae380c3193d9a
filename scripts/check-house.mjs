// House rules that a script can see: file length, names, and fixtures without a machine's or a person's traces.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { root } from './ensure-installed.mjs';

const MAX_LINES = 400;
const VAGUE_NAME = /(^|\/)(utils?|helpers?|common|misc)(\.[a-z]+|\/)/;
/** Recordings use /home/dev; any other home, key or address does not belong into the repository. */
const TRACES = [
  [/\/(?:root|work|Users|farm)\/[A-Za-z0-9]/, 'a path of some machine'],
  [/\/home\/(?!dev[/"'\\ ]|dev$)[a-z]/, 'a path of some person'],
  [/sk-ant-[A-Za-z0-9-]{20,}|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY/, 'a credential'],
  [/[\w.+-]+@(?!anthropic\.com|example\.)[\w-]+\.(?:com|org|net|io)\b/, 'an e-mail address'],
];

/** Codex names its agents by paths of tasks below `/root`: a path, but none of a machine. */
const AGENT_PATH = /\/root(?:\/[a-z0-9_]+)+(?=["\\…])/g;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file && existsSync(root + file));
const problems = [];
for (const file of files) {
  if (VAGUE_NAME.test(file)) problems.push(`${file}: a name that says nothing`);
  if (/^(src|web|scripts)\/.*\.(ts|tsx|mjs)$/.test(file)) {
    const lines = readFileSync(root + file, 'utf8').split('\n').length;
    if (lines > MAX_LINES) problems.push(`${file}: ${lines} lines, at most ${MAX_LINES}`);
  }
  if (/fixtures\/|^demo\/|\.snap$/.test(file)) checkTraces(file);
}
for (const problem of problems) console.error(problem);
console.log(`house: ${files.length} files, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkTraces(file) {
  const whole = readFileSync(root + file, 'utf8');
  const text = file.startsWith('src/adapters/codex/') ? whole.replaceAll(AGENT_PATH, '') : whole;
  for (const [pattern, what] of TRACES) {
    const match = text.match(pattern);
    if (match) problems.push(`${file}: holds ${what} («${match[0].slice(0, 60)}»)`);
  }
}
