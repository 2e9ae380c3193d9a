import type { PolicyProblem, PolicyProblemCode } from '../../core/index.ts';

export interface Finding {
  readonly code: PolicyProblemCode;
  /** Where it begins, in UTF-16 units from the beginning of the text. */
  readonly offset: number;
  readonly message: string;
  readonly remedy?: string;
  readonly severity?: PolicyProblem['severity'];
}

/** Gathers what is wrong with one file. */
export interface Problems {
  add(finding: Finding): void;
  /** Without those that have no effect but that something is left out (`loosens`). */
  errors(): number;
  list(): readonly PolicyProblem[];
  lineOf(offset: number): number;
}

/** Limit for errors, and again for everything else: many warnings must not hide an error. A hostile file may have a million of each. */
const MAX_PROBLEMS = 100;

export function collectProblems(file: string, text: string): Problems {
  let lineStarts: readonly number[] | undefined;
  const lines = (): readonly number[] => (lineStarts ??= lineStartsIn(text));
  const lineOf = (offset: number): number => {
    const starts = lines();
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const broken = new Map<string, PolicyProblem>();
  const harmless = new Map<string, PolicyProblem>();
  let errors = 0;
  return {
    add({ code, offset, message, remedy, severity = 'error' }) {
      const isError = severity === 'error' && code !== 'loosens';
      const problems = isError ? broken : harmless;
      if (isError) errors++;
      if (problems.size >= MAX_PROBLEMS) return;
      const line = lineOf(offset);
      const [start = 0, end] = lines().slice(line - 1, line + 1);
      const column = offset - start + 1;
      // One place may be read twice: through an alias.
      problems.set(`${offset} ${message}`, {
        severity,
        code,
        file,
        line,
        column,
        message,
        remedy: remedy ?? null,
        source: text.slice(start, end).slice(0, MAX_SOURCE).replace(/\s+$/, ''),
      });
    },
    errors: () => errors,
    list: () => [...broken.values(), ...harmless.values()].sort((a, b) => a.line - b.line || a.column - b.column),
    lineOf,
  };
}

const MAX_SOURCE = 500;

function lineStartsIn(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The known word that was probably meant; undefined where none is near. */
export function suggestWord(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3));
  const plain = simplify(word);
  const near = known
    .map((name) => ({ name, distance: editDistance(plain, simplify(name), far + 1) }))
    .filter(({ distance }) => distance <= far);
  return near.sort((a, b) => a.distance - b.distance)[0]?.name;
}

/** `onError`, `on-error` and `On_Error` are slips of another kind than `no_error`. */
function simplify(word: string): string {
  return word
    .slice(0, 40)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` where it is no less. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[b.length] ?? limit, limit);
}
