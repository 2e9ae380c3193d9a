// Secrets that are known by their value: their placeholders, and where else they stand.

import { groupBy } from '../lib/group.ts';
import { createWordSearch, isLetterOrDigit, type WordSearch } from '../lib/word-search.ts';
import { decodeBase64, encodeWholeGroups, isBase64Digit } from './disguises.ts';
import type { Candidate, CandidateGroup, NamedSecret } from './finding.ts';
import { isStandIn } from './value-looks.ts';
import type { JoinedView, View } from './view.ts';

/** A secret that was found somewhere, and what stands in its place everywhere. */
export interface KnownValue {
  readonly value: string;
  readonly id: string;
  readonly placeholder: string;
}

type OnKnown = (known: KnownValue, start: number, end: number) => void;

/** Secrets by their value: the same one has the same placeholder, and is found again where nothing around it tells. */
export class KnownValues {
  readonly #known = new Map<string, KnownValue>();
  readonly #counts = new Map<string, number>();
  readonly #isSpread: (value: string) => boolean;
  #index: KnownIndex | undefined;

  /** `isSpread`: values to look for everywhere, even if they are ordinary words. */
  constructor(isSpread: (value: string) => boolean = () => false) {
    this.#isSpread = isSpread;
  }

  get(value: string): KnownValue | undefined {
    return this.#known.get(value);
  }

  /** Numbers count by the order in which values are first named, for each id. */
  name(value: string, id: string): KnownValue {
    const existing = this.#known.get(value);
    if (existing) return existing;
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    const named = { value, id, placeholder: `[redacted:${id}#${count}]` };
    this.#known.set(value, named);
    return named;
  }

  /** Another way to write a known one, or a part of it. */
  addForm(value: string, of: KnownValue): void {
    if (!this.#known.has(value)) this.#known.set(value, { ...of, value });
  }

  /** Everything named so far, for the searches that follow; values named later are not looked for. */
  settle(): void {
    this.#index ??= buildIndex([...this.#known.values()], this.#isSpread);
  }

  search(view: View | JoinedView, onKnown: OnKnown): void {
    if (this.#index && this.#index.forms.length > 0) searchView(this.#index, view, onKnown);
  }

  /** Whether a search can find anything. */
  isSearched(): boolean {
    return this.#index !== undefined && this.#index.forms.length > 0;
  }

  /** All of them, in the order of their naming. */
  list(): readonly KnownValue[] {
    return [...this.#known.values()];
  }

  /** Those that another one has named; nothing is named here then. */
  adopt(values: readonly KnownValue[]): void {
    this.#known.clear();
    for (const one of values) this.#known.set(one.value, one);
    this.#index = buildIndex(values, this.#isSpread);
  }
}

/** A way in which a known value may be written. */
interface Form {
  readonly text: string;
  readonly known: KnownValue;
  /** Short ones count only as whole words. */
  readonly isWord: boolean;
  /** The last group of its base64 depends on what follows: so many characters may belong to it. */
  readonly tail: number;
}

interface KnownIndex {
  readonly heads: WordSearch;
  /** Forms that begin with each head, longest first. */
  readonly forms: readonly (readonly Form[])[];
}

/** So much of a value is searched for; the rest is compared. */
const HEAD = 16;
/** A beginning of a value at a place where a text was cut is as good as the value. */
const SHORTEST_CUT = 8;

function buildIndex(values: readonly KnownValue[], isSpread: (value: string) => boolean): KnownIndex {
  const forms = values.flatMap((known) => formsOf(known, isSpread(known.value)));
  const byHead = groupBy(forms, ({ text }) => text.slice(0, HEAD));
  for (const forms of byHead.values()) forms.sort((a, b) => b.text.length - a.text.length);
  return { heads: createWordSearch([...byHead.keys()], false), forms: [...byHead.values()] };
}

function formsOf(known: KnownValue, isSpread: boolean): readonly Form[] {
  const { value } = known;
  const parts = value.includes('\n') || value.includes('\\n') ? linesOf(value) : [value];
  return parts.filter(isSpread ? (part) => part.length > 1 : isTelling).flatMap((part) => {
    const bytes = utf8(part);
    const isWord = part.length < 16 || /^[A-Za-z]+(?:[-_. ][A-Za-z0-9]+)*$/.test(part);
    const plain = new Set([part, bytes]);
    const forms: Form[] = [...plain].map((text) => ({ text, known, isWord, tail: 0 }));
    if (part.length > 200) return forms;
    const add = (text: string, tail: number): void => void forms.push({ text, known, isWord: false, tail });
    const base64 = encodeWholeGroups(bytes);
    if (base64.length >= 8) {
      add(base64, 4);
      if (/[+/]/.test(base64)) add(base64.replaceAll('+', '-').replaceAll('/', '_'), 4);
    }
    const hex = [...bytes].map((unit) => unit.charCodeAt(0).toString(16).padStart(2, '0')).join('');
    add(hex, 0);
    add(hex.toUpperCase(), 0);
    return forms;
  });
}

/** Of a key of several lines, each line that is long enough to be of no other. */
function linesOf(value: string): readonly string[] {
  return value.split(/(?:\\+n|\\+r|\s)+/).filter((line) => line.length >= 32);
}

/** Bytes of UTF-8, one character each. */
function utf8(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/%([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Whether a value says by itself that it is the secret: «staging» was somebody's password, and is a word elsewhere. */
function isTelling(value: string): boolean {
  if (value.length < 6) return false;
  if (new Set(value).size < 5) return false;
  if (value.length >= 16) return !/^[a-z]+$/.test(value);
  return /\d/.test(value) && /[A-Za-z]/.test(value) ? true : /[^A-Za-z0-9_.\s/-]/.test(value) && /[A-Za-z]/.test(value);
}

function searchView({ heads, forms }: KnownIndex, view: View | JoinedView, onKnown: OnKnown): void {
  const { text } = view;
  const found = (known: KnownValue, start: number, end: number): void => {
    if (!('joinWithin' in view) || view.joinWithin(start, end) >= 0) onKnown(known, start, end);
  };
  const { hits, state } = heads.search(text);
  let done = 0;
  for (let hit = 0; hit < hits.length; hit += 2) {
    const start = hits[hit + 1] as number;
    if (start < done) continue;
    for (const form of forms[hits[hit] as number] ?? []) {
      const end = endOfForm(form, text, start);
      if (end < 0) continue;
      found(form.known, start, end);
      done = end;
      break;
    }
  }
  const takeBeginning = (at: number, end: number): void => {
    const { length, word } = heads.beginningAt(at);
    const form = forms[word]?.[0];
    if (!form || length < SHORTEST_CUT || length >= form.text.length) return;
    // The word `password` at the end of a text is not the secret `passwordless-Entry42` cut off.
    if (isTellingPiece(text.slice(end - length, end))) found(form.known, end - length, end);
  };
  takeBeginning(state, text.length);
  for (const { index } of text.matchAll(/…|\.\.\./g))
    takeBeginning(heads.search(text.slice(Math.max(0, index - HEAD), index)).state, index);
}

/** Whether the beginning of a secret is no name: `acme_prod` begins keys of acme, and is its name everywhere else. */
function isTellingPiece(piece: string): boolean {
  return !isStandIn(piece) && !/^[A-Za-z]{2,}(?:[-_. /:][A-Za-z]{2,}){0,8}[-_./:]?[A-Za-z0-9]?$/.test(piece);
}

/** Where the form that may begin here ends, or what is left of it where the text was cut; -1 where it is another. */
function endOfForm({ text: form, isWord, tail }: Form, text: string, start: number): number {
  if (isWord && goesOn(text, start, -1, form)) return -1;
  const whole = start + form.length;
  if (text.startsWith(form, start)) {
    if (isWord && goesOn(text, whole - 1, 1, form)) return -1;
    let end = whole;
    while (end < whole + tail && /[\w+/=-]/.test(text[end] ?? '')) end++;
    // Of base64, another and longer text may begin alike.
    return tail > 0 && isBase64Digit(text.charCodeAt(end)) ? -1 : end;
  }
  const end = cutWithin(text, start, whole);
  const piece = text.slice(start, end);
  return piece.length >= SHORTEST_CUT && form.startsWith(piece) && isTellingPiece(piece) ? end : -1;
}

/**
 * Whether the word or identifier goes on before (`step` -1) or behind what ends at `at`: `acme-billing` is a password, and
 * `acme-billing-v2` a folder. A dash or underscore joins two words only between them: a diff begins with one, emphasis has two.
 */
function goesOn(text: string, at: number, step: -1 | 1, form: string): boolean {
  if (!isLetterOrDigit(text.charCodeAt(at))) return isLetterOrDigit(text.charCodeAt(at + step));
  const next = text[at + step] ?? '';
  if (isLetterOrDigit(next.charCodeAt(0))) return true;
  const isJoint = next === '-' || next === '_' || (next === '.' && step === 1 && /^[A-Za-z._-]+$/.test(form));
  return isJoint && isLetterOrDigit(text.charCodeAt(at + 2 * step));
}

/** Where the text, or an ellipsis in it, ends what begins here; -1 if neither does. */
function cutWithin(text: string, start: number, end: number): number {
  const piece = text.slice(start, end);
  const at = piece.search(/…|\.\.\./);
  if (at >= 0) return start + at;
  return end > text.length ? text.length : -1;
}

type Candidates = CandidateGroup['candidates'];

/** Gives what was found its placeholder. */
export interface Naming {
  readonly group: (candidates: Candidates) => NamedSecret;
  /** All of a text, because its field says that it is secret. */
  readonly secret: (text: string) => NamedSecret;
}

export const SECRET_FIELD = 'secret-field';

/** Thrown where something has no name yet, and none may be given. */
export class NotNamedYet extends Error {}

/** Numbers follow the order of what is named. `isFrozen`: gives only names that are known. */
export function createNaming(known: KnownValues, { isFrozen = false } = {}): Naming {
  const assertKnown = (value: string | undefined): void => {
    if (isFrozen && value !== undefined && !known.get(value)) throw new NotNamedYet();
  };
  return {
    group: (candidates) => {
      if (candidates[0].value !== undefined) for (const { value } of candidates) assertKnown(value);
      return nameGroup(candidates, known);
    },
    secret: (text) => {
      assertKnown(text);
      return { rule: SECRET_FIELD, placeholder: known.name(text, SECRET_FIELD).placeholder };
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

const NO_NAME: NamedSecret = { rule: '', placeholder: '' };

function keyOf(candidates: Candidates): string {
  const from = candidates[0].start;
  return JSON.stringify(
    candidates.map(({ rule, rank, value, start, end }) => [rule, rank, value, start - from, end - from]),
  );
}

/** The name of the best one; the others are forms of the same, or parts of it. */
function nameGroup(candidates: Candidates, known: KnownValues): NamedSecret {
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
