// What was redacted, with values and context, for the person who decides about it. Kept in memory only.

import { fieldText, type NamedSecret, type Place } from './finding.ts';

/** `everywhere`: also where the value is an ordinary word that nothing around it marks as secret. */
export type ValueDecision = 'show' | 'everywhere';

export interface ReviewedValue {
  readonly rule: string;
  readonly what: string;
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

interface Sample extends Omit<ReviewedValue, 'value' | 'what' | 'forms'> {
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
        ...contextOf(text, start, end),
      });
      return;
    }
    known.count++;
    if (known.seen.length < MAX_SEEN && !known.seen.includes(match)) known.seen = [...known.seen, match];
    if (known.places.length < MAX_PLACES) known.places = [...known.places, place];
    // The first place may be a bare value; one that has a name says more.
    if (known.key === null) {
      const context = contextOf(text, start, end);
      if (context.key !== null) Object.assign(known, context, { match });
    }
  }

  list(): readonly Sample[] {
    return [...this.#samples.values()];
  }
}

function contextOf(text: string, start: number, end: number): Pick<Sample, 'before' | 'after' | 'key'> {
  const from = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - MAX_CONTEXT);
  const stop = text.indexOf('\n', end);
  const to = Math.min(stop === -1 ? text.length : stop, end + MAX_CONTEXT);
  const before = start === 0 ? '' : text.slice(from, start);
  return { before, after: text.slice(end, to), key: keyBefore(before) };
}

function keyBefore(before: string): string | null {
  return (
    /([A-Za-z][\w.-]{0,60})\\{0,3}["'`\]*]{0,3}\s{0,3}(?:=>|:=|[:=])\s{0,3}\\{0,3}["'`*]{0,3}$/.exec(before)?.[1] ??
    null
  );
}
