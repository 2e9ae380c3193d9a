// What was redacted, with values and context, for the person who decides about it. Kept in memory only.

import { fieldText, type NamedSecret, nameOfField, type Place } from './finding.ts';
import { kindOfSecretName } from './secret-names.ts';

/** `everywhere`: also where the value is an ordinary word that nothing around it marks as secret. */
export type ValueDecision = 'show' | 'everywhere';

export interface ReviewedValue {
  readonly rule: string;
  readonly what: string;
  readonly why: string;
  readonly placeholder: string;
  /** Without its disguise. */
  readonly value: string;
  /** All texts by which it was known: a decision has to hold for each of them. */
  readonly forms: readonly string[];
  /** The name that the value has in its line, if it has one. */
  readonly key: string | null;
  /** One line that holds it: what is before it, how it is written there, and what follows. */
  readonly before: string;
  readonly match: string;
  readonly after: string;
  readonly count: number;
  readonly places: readonly ReviewPlace[];
}

interface ReviewPlace {
  readonly agent: string | null;
  readonly message: string | null;
  readonly field: string;
}

interface Sample extends Omit<ReviewedValue, 'value' | 'what' | 'why' | 'forms'> {
  readonly seen: readonly string[];
}

const MAX_CONTEXT = 160;
const MAX_PLACES = 5;
/** Ways in which one value is written: a home folder has a few, a key cut by many widths has more. */
const MAX_SEEN = 50;

export class ReviewSamples {
  readonly #samples = new Map<string, { -readonly [K in keyof Sample]: Sample[K] }>();

  add({ rule, placeholder }: NamedSecret, text: string, start: number, end: number, at: Place): void {
    const match = text.slice(start, end);
    const known = this.#samples.get(placeholder);
    const place = { agent: at.agent, message: at.message, field: fieldText(at.field) };
    if (!known) {
      this.#samples.set(placeholder, {
        ...{ rule, placeholder, match, count: 1, places: [place], seen: [match] },
        ...contextAt(text, start, end, at),
      });
      return;
    }
    known.count++;
    if (known.seen.length < MAX_SEEN && !known.seen.includes(match)) known.seen = [...known.seen, match];
    if (known.places.length < MAX_PLACES) known.places = [...known.places, place];
    // The first place may be a bare value; one that has a name says more.
    if (known.key === null) {
      const context = contextAt(text, start, end, at);
      if (context.key !== null) Object.assign(known, context, { match });
    }
  }

  list(): readonly Sample[] {
    return [...this.#samples.values()];
  }
}

function contextAt(text: string, start: number, end: number, at: Place): Pick<Sample, 'before' | 'after' | 'key'> {
  const rest = text.slice(end, end + MAX_CONTEXT);
  return {
    before: lineBefore(text, start),
    after: rest.slice(0, /\n|$/.exec(rest)?.index),
    key: keyOf(text, start, end, at),
  };
}

/** Looks at a bounded part of the text: a line may have megabytes, and a secret in every word. */
function lineBefore(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - MAX_CONTEXT), start);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** The name in front of a value; of a text that is a value as a whole, the name of its field, if it is one of secrets. */
export function keyOf(text: string, start: number, end: number, at: Place): string | null {
  if (start > 0 || end < text.length) return keyBefore(lineBefore(text, start));
  const name = nameOfField(at.field);
  return name !== null && kindOfSecretName(name) !== 'none' ? name : null;
}

function keyBefore(before: string): string | null {
  return (
    /(?<![\w.-]|:\/\/)([A-Za-z][\w.-]{0,60})\\{0,3}["'`\]*]{0,3}\s{0,3}(?:=>|:=|[:=])\s{0,3}\\{0,3}["'`*]{0,3}$/.exec(
      before,
    )?.[1] ?? null
  );
}
