import { cleanLine, type Paint, type SettingsChange } from '../../core/index.ts';
import { type DiffRow, diffRows, isNearChange, newRows } from '../../core/transcript/index.ts';

const CONTEXT = 3;
const MARKS = { same: ' ', removed: '-', added: '+' } as const;

/** As `diff -u` writes it, for people: nothing that a file holds moves the cursor. */
export function fileDiffLines({ file, before, after }: Omit<SettingsChange, 'scope'>, paint: Paint): readonly string[] {
  const rows = rowsOf(before, after);
  const isShown = isNearChange(rows, CONTEXT);
  const lines = [
    paint.bold(`--- ${before === null ? '/dev/null' : cleanLine(file)}`),
    paint.bold(`+++ ${after === null ? '/dev/null' : cleanLine(file)}`),
  ];
  const place = { old: 1, new: 1 };
  for (const [index, row] of rows.entries()) {
    if (isShown(index)) {
      if (index === 0 || !isShown(index - 1)) lines.push(paint.dim(hunkHead(rows, index, isShown, place)));
      lines.push(colourOf(row, paint)(`${MARKS[row.kind]}${/^[ \t]*/.exec(row.text)?.[0]}${cleanLine(row.text)}`));
    }
    if (row.kind !== 'added') place.old++;
    if (row.kind !== 'removed') place.new++;
  }
  return lines;
}

function rowsOf(before: string | null, after: string | null): readonly DiffRow[] {
  if (before === null) return newRows(after ?? '');
  if (after === null) return newRows(before).map(({ text }) => ({ kind: 'removed', text }));
  return diffRows(before, after);
}

function hunkHead(
  rows: readonly DiffRow[],
  from: number,
  isShown: (index: number) => boolean,
  place: { readonly old: number; readonly new: number },
): string {
  let to = from;
  while (to < rows.length && isShown(to)) to++;
  const hunk = rows.slice(from, to);
  const [old, now] = [
    hunk.filter(({ kind }) => kind !== 'added').length,
    hunk.filter(({ kind }) => kind !== 'removed').length,
  ];
  return `@@ -${old === 0 ? place.old - 1 : place.old},${old} +${now === 0 ? place.new - 1 : place.new},${now} @@`;
}

function colourOf({ kind }: DiffRow, paint: Paint): (text: string) => string {
  return kind === 'added' ? paint.green : kind === 'removed' ? paint.red : (text) => text;
}
