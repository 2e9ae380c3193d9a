/** Where a text stands. */
export interface Place {
  readonly agent: string | null;
  readonly message: string | null;
  /** From there on; undefined: right there. */
  readonly field: FieldPath | undefined;
}

/** Spelled out only where something is found: nearly everywhere nothing is. */
export interface FieldPath {
  readonly above: FieldPath | undefined;
  /** Of a field, or its number in a list. */
  readonly name: string | number;
}

/** `content[1].input.command` */
export function fieldText(path: FieldPath | undefined): string {
  let text = '';
  for (let step = path; step; step = step.above) {
    const isFirst = step.above === undefined;
    text = `${typeof step.name === 'number' ? `[${step.name}]` : isFirst ? step.name : `.${step.name}`}${text}`;
  }
  return text;
}

export function fieldBelow(place: Place, name: string | number): Place {
  return { agent: place.agent, message: place.message, field: { above: place.field, name } };
}

/** One secret or name in one text, and how often. Says nothing of the secret, not even how long it is. */
export interface Finding {
  /** The rule that knows it: `github-token`. */
  readonly rule: string;
  /** What it is, in words. */
  readonly what: string;
  /** What stands in its place, the same everywhere. */
  readonly placeholder: string;
  readonly agent: string | null;
  readonly message: string | null;
  readonly field: string;
  /** Of the text, counted from 1: where it stands for the first time. */
  readonly line: number;
  readonly count: number;
}

/** As it was found: its place may hold a secret itself. */
export type RawFinding = Omit<Finding, 'what'>;

export interface Findings {
  readonly add: (found: { readonly rule: string; readonly placeholder: string }, place: Place, line: number) => void;
  /** What was found elsewhere. */
  readonly addAll: (findings: readonly RawFinding[]) => void;
  /** In the order in which they were found. */
  readonly list: () => readonly RawFinding[];
}

export function createFindings(): Findings {
  const findings = new Map<string, RawFinding & { count: number }>();
  const put = (finding: RawFinding): void => {
    const { rule, placeholder, agent, message, field, count } = finding;
    const key = JSON.stringify([placeholder, rule, agent, message, field]);
    const known = findings.get(key);
    if (known) known.count += count;
    else findings.set(key, { ...finding });
  };
  return {
    add: ({ rule, placeholder }, { agent, message, field: path }, line) =>
      put({ rule, placeholder, agent, message, field: fieldText(path), line, count: 1 }),
    addAll: (all) => all.forEach(put),
    list: () => [...findings.values()].map((finding) => ({ ...finding })),
  };
}
