/** Where a text stands. */
export interface Place {
  readonly agent: string | null;
  readonly message: string | null;
  /** From there on: `content[1].input.command`. */
  readonly field: string;
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

export interface Findings {
  readonly add: (found: { readonly rule: string; readonly placeholder: string }, place: Place, line: number) => void;
  /** In the order in which they were found. */
  readonly list: () => readonly Omit<Finding, 'what'>[];
}

export function createFindings(): Findings {
  const findings = new Map<string, Omit<Finding, 'what'> & { count: number }>();
  return {
    add: ({ rule, placeholder }, { agent, message, field }, line) => {
      const key = JSON.stringify([placeholder, rule, agent, message, field]);
      const known = findings.get(key);
      if (known) known.count++;
      else findings.set(key, { rule, placeholder, agent, message, field, line, count: 1 });
    },
    list: () => [...findings.values()].map((finding) => ({ ...finding })),
  };
}
