// Marks of the dialect that CONTRIBUTING asks to avoid, where a pattern can find them: in comments, texts, test names, docs and commit subjects.
// Old text still has some. `language-marks.json` holds how many of each are left; a change may lower a number, never raise it.
// node scripts/check-language.mjs --write   lowers the numbers to what is there now.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './ensure-installed.mjs';

const MARKS = {
  guillemets: /[«»]/g,
  anew: /\banew\b/gi,
  mend: /\bmend(?:s|ed|ing)?\b/gi,
  wishes: /\bwish(?:es)?\b/gi,
  'whoever, somebody, nobody': /\b(?:whoever|somebody|nobody)\b/gi,
  '"is no X" for "is not a X"':
    /(?<!there )\b(?:is|are) no (?!longer\b|more\b|one\b|such\b|need\b|point\b|reason\b|way\b)[a-z]/gi,
  'told, hears, heard for data': /\b(?:is|are|was|were) told\b|\bhears? of\b|\bheard of\b/gi,
  'stands, lies for "is"': /\b(?:stands|lies) (?:in|there|here|beside|below|above|behind)\b/gi,
  'so long, so many': /\bso (?:long|many|much) (?!as\b)[a-z]/gi,
  '"Where" for "if"': /(?:^|[.;:] |, )where (?:no|it|there|none|one|a|they|he|she|we|you) /gi,
};
/** Texts of others, and lists of words. */
const SKIPPED =
  /(?:^|\/)(?:fixtures|node_modules|dist)\/|^demo\/|\.snap$|\.txt$|package-lock|language-marks|check-language|CHANGELOG/;
const SUBJECT = /^(?:feat|fix|refactor|perf|test|docs|style|build|ci|chore)(?:\([a-z0-9 ,/-]+\))?!?: [a-z`"0-9].{2,}$/;
/** Older subjects stay as they are. */
const SINCE = '0673ffcb7ef5';

const file = `${root}scripts/language-marks.json`;
const allowed = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const found = Object.fromEntries(Object.keys(MARKS).map((mark) => [mark, 0]));
const places = Object.fromEntries(Object.keys(MARKS).map((mark) => [mark, []]));
const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
for (const name of listed) {
  if (!/\.(?:tsx?|mjs|md|css|html)$/.test(name) || SKIPPED.test(name) || !existsSync(root + name)) continue;
  const lines = readFileSync(root + name, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    const text = name.endsWith('.md') ? line : textIn(line);
    for (const [mark, pattern] of Object.entries(MARKS))
      for (const _ of text.matchAll(pattern)) {
        found[mark]++;
        places[mark].push(`${name}:${index + 1}: ${line.trim().slice(0, 120)}`);
      }
  }
}
if (process.argv.includes('--write')) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
let problems = 0;
for (const [mark, count] of Object.entries(found)) {
  if (process.argv.includes('--list')) for (const place of places[mark]) console.log(`${mark}: ${place}`);
  if (process.argv.includes('--write') || count <= (allowed[mark] ?? 0)) continue;
  problems++;
  console.error(
    `${mark}: ${count}, at most ${allowed[mark] ?? 0}. See them with: node scripts/check-language.mjs --list`,
  );
}
for (const subject of newSubjects()) {
  if (subject.length <= 72 && SUBJECT.test(subject)) continue;
  problems++;
  console.error(`commit "${subject}": write \`type(scope): imperative summary\` in at most 72 characters`);
}
console.log(
  `language: ${problems} problems, ${Object.values(found).reduce((sum, count) => sum + count, 0)} old marks left`,
);
process.exitCode = problems === 0 ? 0 : 1;

/** Comments and quoted texts of a line of code. */
function textIn(line) {
  const comment = /(?:^|\s)(?:\/\/|\/?\*\*?)\s(.*)$/.exec(line)?.[1] ?? '';
  const texts = [...line.matchAll(/'([^']*\s[^']*)'|"([^"]*\s[^"]*)"|`([^`]*\s[^`]*)`|>([^<>{}]*\s[^<>{}]*)</g)];
  return [comment, ...texts.map((match) => match.slice(1).join(''))].join('\n');
}

/** A shallow clone has no history to look at. */
function newSubjects() {
  try {
    const log = ['log', '--no-merges', '--format=%s', `${SINCE}..HEAD`];
    return execFileSync('git', log, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
