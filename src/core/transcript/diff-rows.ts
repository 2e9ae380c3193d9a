import { getOrAdd } from '../../lib/group.ts';
import { type DiffLine, diffLines } from '../../lib/patch-text.ts';
import { splitsCharacter } from '../index.ts';
import type { Edit } from './describe-call.ts';
import type { Span } from './folding.ts';

/** A line of a diff; where it stands against its counterpart, which characters differ. */
export interface DiffRow extends DiffLine {
  readonly changed?: Span;
}

/** All lines of the way from one text to the other. */
export function diffRows(before: string, after: string): readonly DiffRow[] {
  const lines = diffLines(before, after);
  const last = lines.at(-1);
  // A text that ends with a line break has nothing behind it.
  const shown = last?.kind === 'same' && last.text === '' && lines.length > 1 ? lines.slice(0, -1) : lines;
  return withChanges(shown);
}

const diffed = new WeakMap<Edit, readonly DiffRow[]>();

/** The rows of an edit; computed once. */
export function editRows(edit: Edit): readonly DiffRow[] {
  return getOrAdd(diffed, edit, ({ before, after }) => diffRows(before, after));
}

/** As it is read from top to bottom. */
export function diffText(edit: Edit): string {
  return editRows(edit)
    .map(({ text }) => text)
    .join('\n');
}

/** A file that was written anew: nobody says what stood there before. */
export function newRows(text: string): readonly DiffRow[] {
  const lines = text.split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ kind: 'added', text: line }));
}

export function countRows(rows: readonly DiffRow[], kind: DiffRow['kind']): number {
  return rows.reduce((sum, row) => sum + (row.kind === kind ? 1 : 0), 0);
}

/** Rows worth seeing at once: changes, with so many lines around them. */
export function isNearChange(rows: readonly DiffRow[], context: number): (index: number) => boolean {
  const near = new Uint8Array(rows.length);
  for (const [index, { kind }] of rows.entries())
    if (kind !== 'same') near.fill(1, Math.max(0, index - context), index + context + 1);
  return (index) => near[index] === 1;
}

/** As many lines go as come: they are taken as pairs. */
function withChanges(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = [...lines];
  for (let at = 0; at < rows.length; ) {
    const removed = runLength(rows, at, 'removed');
    const added = runLength(rows, at + removed, 'added');
    if (removed > 0 && removed === added) {
      for (let one = at; one < at + removed; one++) {
        const [before, after] = [rows[one], rows[one + removed]];
        const spans = before && after && changedSpans(before.text, after.text);
        if (!spans) continue;
        rows[one] = { ...before, changed: spans[0] };
        rows[one + removed] = { ...after, changed: spans[1] };
      }
    }
    at += Math.max(1, removed + added);
  }
  return rows;
}

function runLength(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let to = from;
  while (rows[to]?.kind === kind) to++;
  return to - from;
}

/** Nothing where the lines have too little in common for the eye to gain by it. */
function changedSpans(a: string, b: string): readonly [Span, Span] | undefined {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  // Half of a character is none.
  if (splitsCharacter(a, head)) head--;
  if (splitsCharacter(a, a.length - tail)) tail--;
  const common = a.slice(0, head).trim().length + a.slice(a.length - tail).trim().length;
  if (common * 3 < shorter) return undefined;
  return [
    [head, a.length - tail],
    [head, b.length - tail],
  ];
}
