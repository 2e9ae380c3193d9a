// The table in the terminal, matrix/results.json and docs/reference/compatibility.md.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OFFERS } from './hosts/host-texts.mjs';
import { HOSTS } from './hosts/index.mjs';
import { PLAYS } from './plays.mjs';
import { root } from './troupe.mjs';

const FILES = {
  resultsFile: path.join(root, 'matrix/results.json'),
  pageFile: path.join(root, 'docs/reference/compatibility.md'),
};
const SIGNS = { green: '✓', red: '✗', grey: '–' };

export function formatTable(results) {
  const widths = [14, 10, 24];
  const line = (cells) =>
    cells
      .map((cell, index) => String(cell).padEnd(widths[index] ?? 0))
      .join('')
      .trimEnd();
  const rows = results.map(({ host, version, play, color, reason, differences }) =>
    line([host, version, play, `${SIGNS[color]} ${describeCell({ color, reason, differences })}`]),
  );
  return `${[line(['host', 'version', 'play', 'result']), ...rows].join('\n')}\n`;
}

function describeCell({ color, reason, differences }) {
  if (color === 'green') return 'green';
  if (color === 'grey') return `grey: ${reason}`;
  return `red: ${differences[0].check}: ${differences[0].text}`;
}

/** Lists what a version offers, as evidence for what it does not. */
export function writeOffers({ host, version, offers }, folder = path.join(root, 'matrix/offers')) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${host}-${version}.json`);
  writeFileSync(file, `${JSON.stringify({ host, version, ...offers }, null, 2)}\n`);
}

/** Cells of this run replace the same cells of earlier runs; the others stay. */
export function writePage(results, { resultsFile, pageFile } = FILES) {
  const before = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')).cells : [];
  const id = ({ host, version, play }) => `${host} ${version} ${play}`;
  const cells = new Map(before.map((cell) => [id(cell), cell]));
  for (const result of results) cells.set(id(result), toCell(result));
  const known = [...cells.values()].filter(({ host, play }) => HOSTS.some(({ name }) => name === host) && PLAYS[play]);
  known.sort((a, b) => compare(a, b));
  writeFileSync(resultsFile, `${JSON.stringify({ cells: known }, null, 2)}\n`);
  mkdirSync(path.dirname(pageFile), { recursive: true });
  writeFileSync(pageFile, formatPage(known));
}

/** What differs from run to run (times, ids of sessions, paths) is left out. */
function toCell({ host, version, play, color, reason, evidence, differences }) {
  const first = color === 'red' ? differences[0] : undefined;
  const text = first && `${first.check}: ${withoutIds(first.text)}`;
  return {
    host,
    version,
    play,
    color,
    ...(reason && { reason, evidence }),
    ...(first && { first: text, differences: differences.length }),
  };
}

const withoutIds = (text) =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'ID')
    .replace(/\b(?:a[0-9a-f]{16}|ses_\w+)\b/g, 'ID')
    .replace(/,? (?:first )?[\d.]+ s after the start/g, '');

function compare(a, b) {
  const place = ({ host, version, play }) => [
    HOSTS.findIndex(({ name }) => name === host),
    ...version.split('.').map((part) => -Number.parseInt(part, 10)),
    Object.keys(PLAYS).indexOf(play),
  ];
  const [first, second] = [place(a), place(b)];
  const at = first.findIndex((value, index) => value !== second[index]);
  return at < 0 ? 0 : first[at] - second[at];
}

function formatPage(cells) {
  const lines = [
    '# Compatibility',
    '',
    '<!-- Written by `npm run matrix`. Do not edit. -->',
    '',
    'Which versions of the hosts troupe was checked with, and what was checked. Each version ran on a real machine against a scripted model,',
    'with the troupe server beside it, and ran the plays of the first column.',
    '',
    '- ✓ The tree, every state shown live, the totals, the stream and the export are what really happened.',
    '- ✗ Something differs. The first difference is listed below the table.',
    '- – The host cannot do this, or does not write down what troupe would need. The reason and a recording that shows it are listed below',
    '  the table.',
    '- An empty cell was not played, mostly because the play is for other versions.',
    '',
    '[matrix/README.md](../../matrix/README.md) says how to run it, and how to add versions and plays.',
    '',
  ];
  for (const { name, title } of HOSTS) {
    const own = cells.filter(({ host }) => host === name);
    if (own.length > 0) lines.push(`## ${title}`, '', ...formatHost(own), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function formatHost(cells) {
  const versions = [...new Set(cells.map(({ version }) => version))];
  const plays = Object.keys(PLAYS).filter((play) => cells.some((cell) => cell.play === play));
  const find = (version, play) => cells.find((cell) => cell.version === version && cell.play === play);
  const rows = plays.map((play) => {
    const signs = versions.map((version) => SIGNS[find(version, play)?.color] ?? '');
    return `| \`${play}\` | ${PLAYS[play].about} | ${signs.join(' | ')} |`;
  });
  const head = [
    `| play | what happens | ${versions.join(' | ')} |`,
    `|---|---|${versions.map(() => ':-:').join('|')}|`,
  ];
  const noteLines = formatNotes(cells.filter(({ color }) => color !== 'green'));
  return [...head, ...rows, ...(noteLines.length > 0 ? ['', ...noteLines] : [])];
}

/** One line for each play and reason, with the versions it is true of. */
function formatNotes(cells) {
  const versions = new Map();
  for (const { host, version, play, color, reason, evidence, first } of cells) {
    const text = escapeMarkdown(reason ?? first) + (evidence ? ` ${formatEvidence({ host, version, evidence })}` : '');
    const note = JSON.stringify([color, play, text]);
    versions.set(note, [...(versions.get(note) ?? []), version]);
  }
  return [...versions].map(([note, own]) => {
    const [color, play, text] = JSON.parse(note);
    return `- ${SIGNS[color]} \`${play}\` (${own.join(', ')}): ${text}`;
  });
}

function formatEvidence({ host, version, evidence }) {
  if (evidence === OFFERS) return `[What ${version} offers](../../matrix/offers/${host}-${version}.json).`;
  return `Recording: [${evidence}](../../src/hosts/${host}/fixtures/${evidence}).`;
}

const escapeMarkdown = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
