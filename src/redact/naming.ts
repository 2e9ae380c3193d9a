import { decodeBase64 } from './base64.ts';
import type { Candidate, CandidateGroup, Replacement } from './candidates.ts';
import type { KnownValues } from './known-values.ts';

type Candidates = CandidateGroup['candidates'];
type Name = Pick<Replacement, 'rule' | 'placeholder'>;

/** Gives what was found its placeholder. */
export interface Naming {
  readonly group: (candidates: Candidates) => Name;
  /** All of a text, because its field says that it is secret. */
  readonly secret: (text: string) => Name;
}

export const SECRET_FIELD = 'secret-field';

/** Numbers follow the order of what is named. */
export function createNaming(known: KnownValues): Naming {
  return {
    group: (candidates) => nameGroup(candidates, known),
    secret: (text) => {
      const { placeholder } = known.name(text, SECRET_FIELD);
      return { rule: SECRET_FIELD, placeholder };
    },
  };
}

/** What has to be named, in order; for one who names it later, and elsewhere. */
export type Unnamed =
  | { readonly kind: 'group'; readonly candidates: Candidates }
  | { readonly kind: 'secret'; readonly text: string };

/** Only takes notes. The names that it gives are none. */
export function createNotes(): { readonly naming: Naming; readonly notes: () => readonly Unnamed[] } {
  const notes = new Map<string, Unnamed>();
  return {
    naming: {
      group: (candidates) => {
        // A home is named `~`. The same one named again changes nothing.
        if (candidates[0].value !== undefined) notes.set(keyOf(candidates), { kind: 'group', candidates });
        return NO_NAME;
      },
      secret: (text) => {
        notes.set(JSON.stringify(text), { kind: 'secret', text });
        return NO_NAME;
      },
    },
    notes: () => [...notes.values()],
  };
}

const NO_NAME: Name = { rule: '', placeholder: '' };

function keyOf(candidates: Candidates): string {
  const from = candidates[0].start;
  return JSON.stringify(
    candidates.map(({ rule, rank, value, start, end }) => [rule, rank, value, start - from, end - from]),
  );
}

export function nameAll(unnamed: readonly Unnamed[], naming: Naming): void {
  for (const one of unnamed) {
    if (one.kind === 'group') naming.group(one.candidates);
    else naming.secret(one.text);
  }
}

/** Thrown where something has no name yet, and none may be given. */
export class NotNamedYet extends Error {}

/** Gives those names only that are known. */
export function createFrozenNaming(known: KnownValues): Naming {
  const { group, secret } = createNaming(known);
  const demand = (value: string | undefined): void => {
    if (value !== undefined && !known.get(value)) throw new NotNamedYet();
  };
  return {
    group: (candidates) => {
      if (candidates[0].value !== undefined) for (const { value } of candidates) demand(value);
      return group(candidates);
    },
    secret: (text) => {
      demand(text);
      return secret(text);
    },
  };
}

/** The name of the best one; the others are forms of the same, or parts of it. */
function nameGroup(candidates: Candidates, known: KnownValues): Name {
  const [best] = candidates;
  if (best.value === undefined) return { rule: best.rule, placeholder: best.placeholder ?? '' };
  const isSame = ({ start, end, value }: Candidate): boolean =>
    start === best.start && end === best.end && value !== undefined && known.get(value) !== undefined;
  const same = candidates.find(isSame);
  const named = known.get(best.value) ?? known.get(same?.value ?? '') ?? known.name(best.value, best.rule);
  for (const { value } of candidates)
    if (value !== undefined) for (const form of [value, ...passwordIn(value)]) known.addForm(form, named);
  return { rule: named.id, placeholder: named.placeholder };
}

/** What a login or a Kubernetes secret says without its base64: the password behind `user:`, or all of it. */
function passwordIn(value: string): readonly string[] {
  if (!/^[A-Za-z0-9+/]{8,400}={0,2}$/.test(value) || value.length % 4 !== 0) return [];
  const text = String.fromCharCode(...decodeBase64(value.replace(/=+$/, ''))).trim();
  return /^[\x20-\x7e]{4,300}$/.test(text) ? [text.slice(text.indexOf(':') + 1)] : [];
}
