// Draws docs/tree.svg: what `troupe tree` shows of the demo recording, as it looks in a terminal.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { root } from './ensure-installed.mjs';

const LINE = 20;
const CHAR = 8.43;
const COLOURS = { 31: '#f0776c', 32: '#7cc77c', 33: '#e0b050' };

const output = execFileSync(process.execPath, ['dist/troupe.js', 'tree', '--root', 'demo'], {
  cwd: root,
  encoding: 'utf8',
  env: { ...process.env, FORCE_COLOR: '1', COLORTERM: 'truecolor' },
});
// The age changes from day to day; the picture should not.
const lines = [
  '$ troupe tree',
  ...output
    .trimEnd()
    .replace(/ · [^·\n]+ ago · /, ' · 2 min ago · ')
    .split('\n'),
];
const columns = Math.max(...lines.map((line) => [...line.replace(/\u001b\[[\d;]*m/g, '')].length));
const width = Math.ceil(columns * CHAR) + 40;
const height = lines.length * LINE + 36;
const text = lines.map((line, index) => `<text x="20" y="${34 + index * LINE}">${toSpans(line)}</text>`).join('\n');
writeFileSync(
  `${root}docs/tree.svg`,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="troupe tree: a session with ten agents">
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d8dce3">
${text}
</g>
</svg>
`,
);

function toSpans(line) {
  let style = {};
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const code = part.match(/^\u001b\[([\d;]*)m$/)?.[1];
      if (code === undefined) return part === '' ? '' : `<tspan${attributes(style)}>${toXml(part)}</tspan>`;
      style = next(style, code);
      return '';
    })
    .join('');
}

function next(style, code) {
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, dim: true };
  if (code === '22') return { ...style, bold: false, dim: false };
  if (code === '39') return { ...style, colour: undefined };
  const rgb = code.match(/^38;2;(\d+);(\d+);(\d+)$/);
  return { ...style, colour: rgb ? `rgb(${rgb.slice(1).join(',')})` : COLOURS[code] };
}

function attributes({ bold, dim, colour }) {
  return `${colour ? ` fill="${colour}"` : ''}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.55"' : ''}`;
}

function toXml(part) {
  return part.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/ /g, '&#160;');
}
