import { plural } from '../../core/index.ts';
import { type DiffRow, isNearChange } from '../../core/transcript/index.ts';
import { html, type Markup, text } from './markup.ts';

const CONTEXT = 3;
const SHOWN_ROWS = 60;
/** A gap must hide more than it takes to say so. */
const SMALLEST_GAP = 4;

/** Lines that went and lines that came; what stayed the same is folded away. */
export function renderDiff(rows: readonly DiffRow[]): Markup {
  return html`${segmentsOf(rows).map(({ isShown, from, to }) => {
    const lines = renderRows(rows.slice(from, to));
    if (isShown) return lines;
    return html`<details class="more"><summary>${plural(to - from, 'line')} more</summary>${lines}</details>`;
  })}`;
}

interface Segment {
  readonly isShown: boolean;
  readonly from: number;
  readonly to: number;
}

function segmentsOf(rows: readonly DiffRow[]): readonly Segment[] {
  const isNear = isNearChange(rows, CONTEXT);
  const segments: { isShown: boolean; from: number; to: number }[] = [];
  let shown = 0;
  for (let index = 0; index < rows.length; index++) {
    const isShown = isNear(index) && shown < SHOWN_ROWS;
    if (isShown) shown++;
    const last = segments.at(-1);
    if (last?.isShown === isShown) last.to = index + 1;
    else segments.push({ isShown, from: index, to: index + 1 });
  }
  return segments.map((one) => (one.to - one.from < SMALLEST_GAP ? { ...one, isShown: true } : one));
}

/** Neighbours of one kind are one element. Signs stand in the text: copied, it is a diff. */
function renderRows(rows: readonly DiffRow[]): Markup {
  const runs: DiffRow[][] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last?.[0]?.kind === row.kind) last.push(row);
    else runs.push([row]);
  }
  return html`<pre class="text diff">
${runs.map(renderRun)}</pre>`;
}

function renderRun(run: readonly DiffRow[]): Markup {
  switch (run[0]?.kind) {
    case 'added':
      return html`<ins>${run.map((row) => renderRow('+', row))}</ins>`;
    case 'removed':
      return html`<del>${run.map((row) => renderRow('−', row))}</del>`;
    default:
      return html`${run.map((row) => renderRow(' ', row))}`;
  }
}

function renderRow(sign: string, { text: line, changed }: DiffRow): Markup {
  if (!changed || changed[1] <= changed[0]) return html`${sign}${text(line)}\n`;
  const [from, to] = changed;
  return html`${sign}${text(line.slice(0, from))}<b>${text(line.slice(from, to))}</b>${text(line.slice(to))}\n`;
}
