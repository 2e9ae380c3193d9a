// Compares our kinds with those of other scanners, by recorded facts: the names of their kinds, beginnings that vendors publish, and
// a sample of our own for each. No rule or text of another scanner is in here.

import { createRedactor } from '../create-redactor.ts';
import { fillSample } from './fill-sample.ts';

/** `other-scanners.json`: what each scanner knew on a date. */
export type OtherScanners = Readonly<
  Record<string, { readonly version: string; readonly date: string; readonly kinds: readonly OtherKind[] }>
>;

interface OtherKind {
  readonly kind: string;
  readonly prefix?: string;
  /** In the notation of samples; left out if the kind is not to be found. */
  readonly sample?: string;
  /** Why it is not to be found. */
  readonly left?: string;
}

export interface ComparedKind extends OtherKind {
  readonly scanner: string;
  /** Our rules that find the sample. */
  readonly rules: readonly string[];
  /** Null: found, or left with a reason. */
  readonly problem: string | null;
}

const SEEDS = [1, 2, 3];
/** Shorter pieces of a sample are in other words, too. */
const SHORTEST_PIECE = 6;

export function compareKinds(scanners: OtherScanners): readonly ComparedKind[] {
  return Object.entries(scanners).flatMap(([scanner, { kinds }]) =>
    kinds.map((kind): ComparedKind => ({ scanner, ...kind, ...findSample(kind) })),
  );
}

function findSample({ kind, sample, left }: OtherKind): Pick<ComparedKind, 'rules' | 'problem'> {
  if (sample === undefined)
    return { rules: [], problem: left === undefined ? `${kind} has neither a sample nor a reason` : null };
  const rules = new Set<string>();
  let problem: string | null = null;
  for (const seed of SEEDS) {
    const { text, secrets } = fillSample(sample, seed);
    const redactor = createRedactor();
    const shown = redactor.redactText(`before ${text} after`);
    for (const { rule } of redactor.findings()) rules.add(rule);
    const kept = secrets.filter((secret) => secret.length >= SHORTEST_PIECE && shown.includes(secret));
    if (rules.size === 0 || kept.length > 0) problem = `${kind} is not found: ${shown}`;
  }
  return { rules: [...rules], problem };
}

/** What a newer list of a scanner has that the recorded one has not, and the other way round. */
export function compareLists(recorded: readonly OtherKind[], current: readonly string[]) {
  const names = new Set(recorded.map(({ kind }) => kind));
  return {
    added: current.filter((kind) => !names.has(kind)),
    removed: [...names].filter((kind) => !current.includes(kind)),
  };
}
