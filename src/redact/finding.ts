// Candidates for redaction, replacements, and the findings that are reported.

/** Where a text stands. */
export interface Place {
  readonly agent: string | null;
  readonly message: string | null;
  /** From there on; undefined: right there. */
  readonly field: FieldPath | undefined;
}

/** Spelled out only where something is found: nearly everywhere nothing is. */
interface FieldPath {
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

/** Of the innermost field; null in a list without a name. */
export function nameOfField(path: FieldPath | undefined): string | null {
  for (let step = path; step; step = step.above) if (typeof step.name === 'string') return step.name;
  return null;
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
  /** Why it was redacted, in a sentence. */
  readonly why: string;
  /** The name in front of it, where it was found first; null if there is none. */
  readonly key: string | null;
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
export type RawFinding = Omit<Finding, 'what' | 'why'>;

export class Findings {
  readonly #findings = new Map<string, RawFinding & { count: number }>();

  add({ rule, placeholder }: NamedSecret, { agent, message, field }: Place, line: number, key: string | null): void {
    this.#put({ rule, placeholder, key, agent, message, field: fieldText(field), line, count: 1 });
  }

  /** What was found elsewhere. */
  addAll(findings: readonly RawFinding[]): void {
    for (const finding of findings) this.#put(finding);
  }

  /** In the order in which they were found. */
  list(): readonly RawFinding[] {
    return [...this.#findings.values()].map((finding) => ({ ...finding }));
  }

  #put(finding: RawFinding): void {
    const { rule, placeholder, agent, message, field, count } = finding;
    const key = JSON.stringify([placeholder, rule, agent, message, field]);
    const known = this.#findings.get(key);
    if (known) known.count += count;
    else this.#findings.set(key, { ...finding });
  }
}

/** A place of a text that some rule would take out. */
export interface Candidate {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  /** Of several for one place, the one with the highest rank gives the name. */
  readonly rank: number;
  /** The secret without its disguise; one that needs no number has its placeholder instead. */
  readonly value?: string;
  readonly placeholder?: string;
}

/** What overlaps, as one. */
export interface CandidateGroup {
  readonly start: number;
  readonly end: number;
  /** The best first. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
}

/** The rule and the placeholder that a secret is reported with. */
export interface NamedSecret {
  readonly rule: string;
  readonly placeholder: string;
}

/** A place of a text and what is written there instead. */
export interface Replacement extends NamedSecret {
  readonly start: number;
  readonly end: number;
}

export function groupCandidates(candidates: readonly Candidate[]): readonly CandidateGroup[] {
  const groups: { start: number; end: number; candidates: Candidate[] }[] = [];
  for (const candidate of candidates.toSorted((a, b) => a.start - b.start)) {
    const last = groups.at(-1);
    if (last && candidate.start < last.end) {
      last.end = Math.max(last.end, candidate.end);
      last.candidates.push(candidate);
    } else groups.push({ start: candidate.start, end: candidate.end, candidates: [candidate] });
  }
  return groups.map(({ start, end, candidates: all }) => {
    // Of equals, the one that was found last: what has the most disguises taken off is alike wherever it stands.
    all.reverse().sort((a, b) => b.rank - a.rank || b.end - b.start - (a.end - a.start));
    return { start, end, candidates: all as [Candidate, ...Candidate[]] };
  });
}

export function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let from = 0;
  for (const { start, end, placeholder } of replacements) {
    result += text.slice(from, start) + placeholder;
    from = end;
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Pieces of one text that stands in several, in order; where they overlap, the first stays and covers both. */
function mergeReplacements(replacements: readonly Replacement[]): readonly Replacement[] {
  const merged: Replacement[] = [];
  for (const next of replacements.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && next.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, next.end) };
    else merged.push(next);
  }
  return merged;
}

/** What was redacted before has names of rules in it, and those look like settings; it stays. */
export function withoutPlaceholders(text: string, candidates: readonly Candidate[]): readonly Candidate[] {
  if (!text.includes('[redacted:')) return candidates;
  const placeholders = [...text.matchAll(/\[redacted:[a-z0-9-]{1,42}#\d{1,9}\]/g)];
  let next = 0;
  return candidates
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start }) => {
      const isBefore = (placeholder: RegExpExecArray | undefined): boolean =>
        placeholder !== undefined && placeholder.index + placeholder[0].length <= start;
      while (isBefore(placeholders[next])) next++;
      // Nothing begins within one.
      return start < (placeholders[next]?.index ?? text.length + 1);
    });
}

/** Each text on its own, and all of them as the lines of one: what stands across several is taken out of each. */
export function findInLines(
  texts: readonly string[],
  find: (text: string) => readonly Replacement[],
): readonly (readonly Replacement[])[] {
  const perText = texts.map(find);
  const inAll = find(texts.join('\n'));
  let begin = 0;
  return texts.map((text, index) => {
    const here = inAll
      .map((one) => ({ ...one, start: Math.max(0, one.start - begin), end: Math.min(text.length, one.end - begin) }))
      .filter(({ start, end }) => start < end);
    begin += text.length + 1;
    return mergeReplacements([...(perText[index] ?? []), ...here]);
  });
}
