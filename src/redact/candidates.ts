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

/** A place of a text and what is written there instead. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly placeholder: string;
}

export function groupCandidates(candidates: readonly Candidate[]): readonly CandidateGroup[] {
  const groups: { start: number; end: number; candidates: Candidate[] }[] = [];
  for (const candidate of sortedBy(candidates, (a, b) => a.start - b.start)) {
    const last = groups.at(-1);
    if (last && candidate.start < last.end) {
      last.end = Math.max(last.end, candidate.end);
      last.candidates.push(candidate);
    } else groups.push({ start: candidate.start, end: candidate.end, candidates: [candidate] });
  }
  return groups.map(({ start, end, candidates: [...all] }) => {
    // Of equals, the one that was found last: what has the most disguises taken off is alike wherever it stands.
    const [best, ...others] = sortedBy(all.reverse(), (a, b) => b.rank - a.rank || b.end - b.start - (a.end - a.start));
    return { start, end, candidates: [best as Candidate, ...others] };
  });
}

const sortedBy = (candidates: readonly Candidate[], compare: (a: Candidate, b: Candidate) => number): Candidate[] =>
  [...candidates].sort(compare);

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
export function mergeReplacements(replacements: readonly Replacement[]): readonly Replacement[] {
  const merged: Replacement[] = [];
  for (const next of [...replacements].sort((a, b) => a.start - b.start || b.end - a.end)) {
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
  return [...candidates]
    .sort((a, b) => a.start - b.start)
    .filter(({ start }) => {
      const isBefore = (placeholder: RegExpExecArray | undefined): boolean =>
        placeholder !== undefined && placeholder.index + placeholder[0].length <= start;
      while (isBefore(placeholders[next])) next++;
      // Nothing begins within one.
      return start < (placeholders[next]?.index ?? text.length + 1);
    });
}
