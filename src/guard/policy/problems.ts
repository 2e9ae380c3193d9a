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

/** `placeOf`: where in the text an offset is, if what was read is the text without some parts. */
export function collectProblems(file: string, text: string, placeOf = (offset: number): number => offset): Problems {
  let lineStarts: readonly number[] | undefined;
  const lines = (): readonly number[] => (lineStarts ??= lineStartsIn(text));
  const lineOf = (offset: number): number => {
    const starts = lines();
    const at = placeOf(offset);
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= at) low = middle;
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
      const column = placeOf(offset) - start + 1;
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
