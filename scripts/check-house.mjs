// House rules that a script can see: file length, names, and fixtures without a machine's or a person's traces.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { root } from './ensure-installed.mjs';

/** A file that is longer has more than one subject, as a rule. */
const LONG_LINES = 500;
const VAGUE_NAME = /(^|\/)(utils?|helpers?|common|misc)(\.[a-z]+|\/)/;
/** Recordings use /home/dev; any other home, key or address does not belong into the repository. */
const TRACES = [
  [/\/(?:root|work|Users|farm)\/[A-Za-z0-9]/, 'a path of some machine'],
  [/\/home\/(?!dev[/"'\\ ]|dev$)[a-z]/, 'a path of some person'],
  [/sk-ant-[A-Za-z0-9-]{20,}|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY/, 'a credential'],
  [/[\w.+-]+@(?!anthropic\.com|example\.)[\w-]+\.(?:com|org|net|io)\b/, 'an e-mail address'],
];

/** Who shows and judges works through the adapters: a host's name there is a special case that the next host does not have. */
const HOST_BLIND =
  /^(?:web\/src|src\/(?:audit|cli|control|core|export|guard(?!\/policy)|hook|notify|server|sessions|tui))\//;
const FOR_TESTS = /\.test\.tsx?$|\/testing\//;
/** Models are called after them, and are shown by name. */
const OF_MODELS = new Set([
  'web/src/views/race/facts.ts',
  'src/core/reports/prices.ts',
  'src/core/reports/price-table.ts',
]);
const HOST_NAME = new RegExp(`\\b(?:${hostWords().join('|')})`, 'i');

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
    if (lines > LONG_LINES) console.warn(`${file}: ${lines} lines; see whether it has one subject`);
  }
  if (HOST_BLIND.test(file) && /\.tsx?$/.test(file) && !FOR_TESTS.test(file) && !OF_MODELS.has(file))
    checkHostNames(file);
  if (/fixtures\/|^demo\/|\.snap$/.test(file)) checkTraces(file);
}
for (const problem of problems) console.error(problem);
console.log(`house: ${files.length} files, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkTraces(file) {
  const whole = readFileSync(root + file, 'utf8');
  const text = file.startsWith('src/hosts/codex/') ? whole.replaceAll(AGENT_PATH, '') : whole;
  for (const [pattern, what] of TRACES) {
    const match = text.match(pattern);
    if (match) problems.push(`${file}: holds ${what} («${match[0].slice(0, 60)}»)`);
  }
}

/** In what is run; comments may say where a fact was seen. */
function checkHostNames(file) {
  const code = readFileSync(root + file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');
  const match = code.match(HOST_NAME);
  if (match) problems.push(`${file}: names a host («${match[0]}»); what is special about it belongs into its adapter`);
}

/** `claude` of `claude-code`: as the folders of adapters are called. */
function hostWords() {
  const registry = readFileSync(`${root}src/hosts/registry.ts`, 'utf8');
  return [...registry.matchAll(/from '\.\/([a-z]+)[a-z-]*\/host\.ts'/g)].map(([, word]) => word);
}
