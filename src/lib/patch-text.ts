/**
 * Patches as OpenAI's models write them, in more than one host: `*** Begin Patch`, then a part for each file. A minus
 * stands before lines that go, a plus before lines that come, a blank before those that stay.
 */
export interface FilePatch {
  readonly kind: 'add' | 'update' | 'delete';
  readonly path: string;
  /** Each place in the file that changes, with a few lines around it. */
  readonly hunks: readonly Hunk[];
  readonly added: number;
  /** Null where the whole file goes: what it held, a patch does not say. */
  readonly removed: number | null;
}

export interface Hunk {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface Draft {
  readonly kind: FilePatch['kind'];
  readonly path: string;
  readonly hunks: { readonly before: string[]; readonly after: string[] }[];
  added: number;
  removed: number | null;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const KINDS: Readonly<Record<string, FilePatch['kind']>> = { Add: 'add', Update: 'update', Delete: 'delete' };

/** Empty where the text holds no patch. */
export function parsePatch(text: string): readonly FilePatch[] {
  const files: Draft[] = [];
  const begin = text.indexOf(BEGIN);
  const lines = begin === -1 ? [] : text.slice(begin).split(/\r?\n/);
  for (const line of lines) {
    if (line.startsWith(END)) break;
    const [, word = '', path] = FILE.exec(line.trimEnd()) ?? [];
    const kind = KINDS[word];
    if (kind && path !== undefined)
      files.push({ kind, path, hunks: [], added: 0, removed: kind === 'delete' ? null : 0 });
    else addLine(line, files.at(-1));
  }
  return files;
}

function addLine(line: string, file: Draft | undefined): void {
  if (!file || line.startsWith('*** ')) return;
  const isHeader = line.startsWith('@@');
  if (isHeader || file.hunks.length === 0) file.hunks.push({ before: [], after: [] });
  const hunk = file.hunks.at(-1);
  if (isHeader || !hunk) return;
  const [sign, rest] = [line[0], line.slice(1)];
  if (sign !== '+') hunk.before.push(rest);
  if (sign !== '-') hunk.after.push(rest);
  if (sign === '+') file.added++;
  if (sign === '-' && file.removed !== null) file.removed++;
}

const MOVED = /^\*\*\* Move to: (.+)$/gm;

/** Every file that a patch writes, those that it moves others to as well. */
export function filesInPatch(text: string): readonly string[] {
  const moved = [...text.matchAll(MOVED)].map(([, file = '']) => file.trimEnd());
  return [...new Set([...parsePatch(text).map(({ path }) => path), ...moved])];
}

/** A line as it stands in the old text, in the new one, or in both. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Steps of search after which two texts count as having nothing in common: a page must not stand still for a diff. */
const MAX_EDITS = 1500;
const MAX_TRACE = 4_000_000;

/** The shortest way from one text to the other, line by line (Myers, 1986). */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...a.slice(0, head).map(same),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

function diffMiddle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const moves = a.length === 0 || b.length === 0 ? undefined : findMoves(a, b);
  if (moves) return removedFirst(moves);
  return [
    ...a.map((text): DiffLine => ({ kind: 'removed', text })),
    ...b.map((text): DiffLine => ({ kind: 'added', text })),
  ];
}

/** Undefined where it would take too long. */
function findMoves(a: readonly string[], b: readonly string[]): readonly DiffLine[] | undefined {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  /** By diagonal (shifted by `most`): how far along `a` so many edits lead. */
  let reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  let traced = 0;
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach);
    traced += reach.length;
    if (traced > MAX_TRACE) return undefined;
    reach = reach.slice();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = diagonal + most + 1;
      const isDown = diagonal === -edits || (diagonal !== edits && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0));
      let x = isDown ? (reach[at + 1] ?? 0) : (reach[at - 1] ?? 0) + 1;
      let y = x - diagonal;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach[at] = x;
      if (x >= a.length && y >= b.length) return walkBack(a, b, trace, most);
    }
  }
  return undefined;
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Int32Array[],
  most: number,
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] ?? new Int32Array();
    const diagonal = x - y;
    const at = diagonal + most + 1;
    const isDown = diagonal === -edits || (diagonal !== edits && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0));
    const fromDiagonal = isDown ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : (reach[fromDiagonal + most + 1] ?? 0);
    const fromY = edits === 0 ? 0 : fromX - fromDiagonal;
    while (x > fromX && y > fromY && a[x - 1] === b[y - 1]) {
      lines.push({ kind: 'same', text: a[x - 1] ?? '' });
      x--;
      y--;
    }
    if (edits === 0) break;
    if (isDown) lines.push({ kind: 'added', text: b[--y] ?? '' });
    else lines.push({ kind: 'removed', text: a[--x] ?? '' });
  }
  return lines.reverse();
}

/** Between two lines that stay, what goes stands before what comes. */
function removedFirst(lines: readonly DiffLine[]): readonly DiffLine[] {
  const sorted: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const line of lines) {
    if (line.kind === 'added') added.push(line);
    else {
      if (line.kind === 'same') {
        sorted.push(...added);
        added = [];
      }
      sorted.push(line);
    }
  }
  return [...sorted, ...added];
}
