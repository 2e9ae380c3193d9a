// The redactor: finds secrets and names in transcripts and replaces them, the same ones by the same placeholder.

import type { Transcript } from '../core/index.ts';
import { groupBy } from '../lib/group.ts';
import { visitViews } from './disguises.ts';
import {
  type Candidate,
  type Finding,
  Findings,
  fieldBelow,
  findInLines,
  groupCandidates,
  nameOfField,
  type Place,
  type RawFinding,
  type Replacement,
  replaceAll,
  withoutPlaceholders,
} from './finding.ts';
import {
  createNaming,
  createNotes,
  type KnownValue,
  KnownValues,
  type Naming,
  NotNamedYet,
  type Unnamed,
} from './known-values.ts';
import { createAllowList, prepareRules, type RuleOptions } from './match-rules.ts';
import {
  areKnown,
  areSame,
  createPersonalFinder,
  type NamedPeople,
  type People,
  type Person,
  type PersonalFinder,
  peopleIn,
} from './personal-names.ts';
import { secretsAcross } from './read-across.ts';
import { createExplainer } from './reasons.ts';
import { keyOf, type ReviewedValue, ReviewSamples, type ValueDecision } from './review.ts';
import { type JoinedView, piecesWithin, type View } from './view.ts';
import {
  bareMessage,
  type Conversation,
  isBare,
  type StringHandler,
  walkConversation,
  walkStrings,
} from './walk-strings.ts';

export interface RedactorOptions extends Person, RuleOptions {
  /** Values that may be shown: a text, or a `/regular expression/` that a whole value matches. */
  readonly allow?: readonly string[];
  /** What the person has decided about a value; undefined: nothing. */
  readonly decide?: (value: string) => ValueDecision | undefined;
  /** Collects what was redacted, for `reviewed()`. */
  readonly isReviewed?: boolean;
}

/** What a first look brought: plain data. */
export interface Gathered extends NamedPeople {
  readonly unnamed: readonly Unnamed[];
}

/** Where something was found: a second look at the same need not look elsewhere. Plain data. */
export interface ScanResult {
  /** Who was looked for. */
  readonly people: People;
  /** Of each message, or of the whole value, the numbers of those of its texts that hold something; undefined: none does. */
  readonly marked: readonly (MarkedTexts | undefined)[];
}

export interface RedactorMemory extends NamedPeople {
  readonly known?: readonly KnownValue[];
}

export interface Redacted {
  readonly transcript: Transcript;
  readonly findings: readonly RawFinding[];
}

const NOTHING: readonly never[] = [];

const NOWHERE: Place = { agent: null, message: null, field: undefined };

export function createRedactor(options: RedactorOptions = {}): Redactor {
  return new Redactor(options);
}

/**
 * Removes what must not leave, in two passes over all that will be shown: first everything is scanned, then everything is
 * redacted, so that a secret that is known from one place is found in every other, with the same placeholder. Numbers
 * follow the order of scanning. What is redacted without having been scanned is still searched, but not spread.
 */
export class Redactor {
  readonly #options: RedactorOptions;
  readonly #match: ReturnType<typeof prepareRules>['match'];
  readonly #explain: ReturnType<typeof createExplainer>;
  readonly #isAllowed: (value: string) => boolean;
  readonly #known: KnownValues;
  readonly #ownNaming: Naming;
  #naming: Naming;
  #findings = new Findings();
  #people: People;
  /** People named in gathered texts; looked for from the second pass on. */
  readonly #met: People = { users: new Set(), names: new Set() };
  #plain = new PlainWords();
  #personal: PersonalFinder | undefined;
  readonly #marks = new TextMarks();
  readonly #samples: ReviewSamples | undefined;

  constructor(options: RedactorOptions) {
    const { rules, match } = prepareRules(options);
    this.#options = options;
    this.#match = match;
    this.#explain = createExplainer(rules);
    const { decide } = options;
    const isListed = createAllowList(options.allow ?? []);
    this.#isAllowed = decide ? (value) => isListed(value) || decide(value) === 'show' : isListed;
    this.#known = new KnownValues(decide && ((value) => decide(value) === 'everywhere'));
    this.#ownNaming = createNaming(this.#known);
    this.#naming = this.#ownNaming;
    this.#samples = options.isReviewed ? new ReviewSamples() : undefined;
    this.#people = { users: new Set(options.users ?? []), names: new Set(options.names ?? []) };
  }

  /** People named in the value are looked for from now on. */
  meet(value: unknown): void {
    this.#knowPeople(peopleIn(value));
  }

  scan(value: unknown): ScanResult {
    this.meet(value);
    const { marked } = this.#marks.within(ALL_TEXTS, () => walkStrings(value, NOWHERE, this.#scanner));
    return { people: this.#people, marked: [marked] };
  }

  /** Any JSON value, its shape kept. `looked`: what a look at the very same value brought. */
  redactValue<Value>(value: Value, looked?: ScanResult): Value {
    this.#settle();
    const before = looked && this.isUpToDate(looked) ? (looked.marked[0] ?? NO_TEXTS) : ALL_TEXTS;
    return this.#marks.within(before, () => walkStrings(value, NOWHERE, this.#redactor)).result as Value;
  }

  redactText(text: string): string {
    return this.redactValue(text);
  }

  /** The same without counting: for words that stand elsewhere, too. A property, because callers hand it on. */
  readonly replaceOnly = (text: string): string => {
    this.#settle();
    return replaceAll(text, this.#find(text));
  };

  /** With all sub-agents; the places of findings name agent and message. `looked`: what a look at the very same brought. */
  redactTranscript(transcript: Transcript, looked?: ScanResult): Transcript {
    this.#settle();
    const marked = looked && this.isUpToDate(looked) ? looked.marked : undefined;
    return walkConversation(transcript, this.#redactor, (message, index, walkOn) => {
      // What the tree has added to it was not scanned.
      if (!marked || !isBare(message)) return walkOn();
      const before = marked[index] ?? NO_TEXTS;
      return before === NO_TEXTS && !this.#known.isSearched() ? message : this.#marks.within(before, walkOn).result;
    });
  }

  /**
   * `scan` in two steps, for several workers: `gather` looks, and gives the same whatever was gathered before;
   * `learn`, called in order, names what it brought. What the tree says of agents has to be scanned by itself.
   */
  gather(conversation: Conversation): { readonly gathered: Gathered; readonly looked: ScanResult } {
    const { naming, notes } = createNotes();
    const own = peopleIn(conversation);
    const [peopleBefore, plainBefore] = [this.#people, this.#plain];
    // People named here are looked for here; other conversations may have other plain words.
    if (!areKnown(own, this.#people)) this.#plain = new PlainWords();
    this.#knowPeople(own);
    const looked = { people: this.#people, marked: [] as (MarkedTexts | undefined)[] };
    const bare = { ...conversation, messages: conversation.messages.map(bareMessage) };
    this.#namingWith(naming, () =>
      walkConversation(bare, this.#scanner, (message, _index, walkOn) => {
        looked.marked.push(this.#marks.within(ALL_TEXTS, walkOn).marked);
        return message;
      }),
    );
    for (const secret of secretsAcross(conversation.messages, this.#match))
      if (!this.#isAllowed(secret)) naming.secret(secret);
    if (this.#people !== peopleBefore) this.#personal = undefined;
    [this.#people, this.#plain] = [peopleBefore, plainBefore];
    return { gathered: { unnamed: notes(), ...own }, looked };
  }

  learn({ unnamed, users, names }: Gathered): void {
    for (const one of unnamed)
      if (one.kind === 'group') this.#ownNaming.group(one.candidates);
      else this.#ownNaming.secret(one.text);
    for (const user of users) this.#met.users.add(user);
    for (const name of names) this.#met.names.add(name);
  }

  /** Whether the same look would bring the same today. */
  isUpToDate(looked: ScanResult): boolean {
    return areSame(looked.people, this.#people);
  }

  /** What other workers have to know that search, or redact, a part of it. */
  memory(): RedactorMemory {
    return {
      users: [...this.#people.users, ...this.#met.users],
      names: [...this.#people.names, ...this.#met.names],
      known: this.#known.list(),
    };
  }

  /** Replaces what was known. `known` left out: nothing is redacted yet. */
  adopt(memory: RedactorMemory): void {
    this.#knowPeople(memory);
    if (memory.known) this.#known.adopt(memory.known);
  }

  /** Names nothing, and counts nothing here; undefined if something in it has no name yet. */
  redactApart(transcript: Transcript, looked?: ScanResult): Redacted | undefined {
    const before = this.#findings;
    const apart = new Findings();
    this.#findings = apart;
    try {
      const frozen = createNaming(this.#known, { isFrozen: true });
      const clean = this.#namingWith(frozen, () => this.redactTranscript(transcript, looked));
      return { transcript: clean, findings: apart.list() };
    } catch (error) {
      if (error instanceof NotNamedYet) return undefined;
      throw error;
    } finally {
      this.#findings = before;
    }
  }

  addFindings(findings: readonly RawFinding[]): void {
    this.#findings.addAll(findings);
  }

  /** The same, and forgets them: of thousands of sessions, nobody wants to hold every place. */
  takeFindings(): readonly Finding[] {
    const findings = this.findings();
    this.#findings = new Findings();
    return findings;
  }

  /** Of all that was redacted so far, in that order. */
  findings(): readonly Finding[] {
    const clean = (text: string | null): string | null => (text === null ? null : replaceAll(text, this.#find(text)));
    return this.#findings.list().map((finding) => ({
      ...finding,
      ...this.#explain(finding.rule, clean(finding.key)),
      key: clean(finding.key),
      agent: clean(finding.agent),
      message: clean(finding.message),
      field: clean(finding.field) ?? '',
    }));
  }

  /** What was redacted so far, with its values, for the one who decides about them: never to be stored. */
  reviewed(): readonly ReviewedValue[] {
    const forms = groupBy(this.#known.list(), ({ placeholder }) => placeholder);
    return (this.#samples?.list() ?? []).map((sample) => {
      const known = (forms.get(sample.placeholder) ?? []).map(({ value }) => value);
      return {
        ...sample,
        value: known[0] ?? sample.match,
        forms: [...new Set([...known, ...sample.seen])],
        ...this.#explain(sample.rule, sample.key),
      };
    });
  }

  readonly #redactor: StringHandler = {
    text: (text, place) => this.#replaceIn(text, this.#find(text), place),
    lines: (texts, place) => {
      const perText = findInLines(texts, (text) => this.#find(text));
      if (perText.every((replacements) => replacements.length === 0)) return texts;
      return texts.map((text, index) => this.#replaceIn(text, perText[index] ?? [], fieldBelow(place, index)));
    },
    secret: (text, place) => {
      if (this.#isAllowed(text)) return text;
      const named = this.#naming.secret(text);
      this.#findings.add(named, place, 1, nameOfField(place.field));
      this.#samples?.add(named, text, 0, text.length, place);
      return named.placeholder;
    },
  };

  readonly #scanner: StringHandler = {
    isPlaceless: true,
    text: (text) => {
      this.#find(text);
      return text;
    },
    lines: (texts) => {
      findInLines(texts, (text) => this.#find(text));
      return texts;
    },
    secret: (text) => {
      this.#marks.markLast();
      if (!this.#isAllowed(text)) this.#naming.secret(text);
      return text;
    },
    // A message without marks is handed on as it is.
    onDeeper: () => this.#marks.markLast(),
  };

  #replaceIn(text: string, replacements: readonly Replacement[], place: Place): string {
    if (replacements.length === 0) return text;
    let line = 1;
    let from = 0;
    for (const replacement of replacements) {
      for (let at = text.indexOf('\n', from); at >= 0 && at < replacement.start; at = text.indexOf('\n', at + 1))
        line++;
      from = Math.max(from, replacement.start);
      this.#findings.add(replacement, place, line, keyOf(text, replacement.start, replacement.end, place));
      this.#samples?.add(replacement, text, replacement.start, replacement.end, place);
    }
    return replaceAll(text, replacements);
  }

  #knowPeople(more: NamedPeople): void {
    if (areKnown(more, this.#people)) return;
    const { users, names } = this.#people;
    this.#people = { users: new Set([...users, ...more.users]), names: new Set([...names, ...more.names]) };
    this.#personal = undefined;
    this.#plain.forget();
  }

  #settle(): void {
    this.#knowPeople({ users: [...this.#met.users], names: [...this.#met.names] });
    this.#known.settle();
  }

  #namingWith<Result>(naming: Naming, work: () => Result): Result {
    this.#naming = naming;
    try {
      return work();
    } finally {
      this.#naming = this.#ownNaming;
    }
  }

  #find(text: string): readonly Replacement[] {
    const found = this.#look(text);
    if (found.length === 0) return NOTHING;
    return groupCandidates(withoutPlaceholders(text, found)).map(({ start, end, candidates }) => ({
      start,
      end,
      ...this.#naming.group(candidates),
    }));
  }

  /** What stands out by itself, and what is known from elsewhere; where nothing stood out before, only the latter can be there. */
  #look(text: string): readonly Candidate[] {
    if (!this.#marks.isNextOpen() || this.#plain.has(text)) return this.#lookForKnown(text);
    const found = this.#lookForAll(text);
    if (found.length === 0) this.#plain.add(text);
    else this.#marks.markLast();
    return found;
  }

  #lookForKnown(text: string): readonly Candidate[] {
    if (!this.#known.isSearched()) return NOTHING;
    const found: Candidate[] = [];
    visitViews(text, (view) => this.#addKnown(view, found));
    return found;
  }

  #addKnown(view: View | JoinedView, found: Candidate[]): void {
    this.#known.search(view, ({ value, id, placeholder }, start, end) => {
      if (this.#isAllowed(value)) return;
      found.push({ rule: id, rank: RANK.known, placeholder, start: view.startOf(start), end: view.endOf(end) });
    });
  }

  #lookForAll(text: string): readonly Candidate[] {
    const found: Candidate[] = [];
    const begins = new Set<number>();
    const { users, names } = this.#people;
    this.#personal ??= createPersonalFinder({ ...this.#options, users: [...users], names: [...names] });
    const { mayHold, find: findPersonal } = this.#personal;
    let isNaming: boolean | undefined;
    const mayName = (view: View): boolean => {
      if (view.edited && !view.edited.isJoining) return mayName(view.edited.below);
      if (view.text !== text) return mayHold(view.text);
      isNaming ??= mayHold(text);
      return isNaming;
    };
    visitViews(text, (view) => {
      const isBegun = (start: number, end: number): boolean =>
        'joinWithin' in view && begins.has(view.startOf(view.joinWithin(start, end)));
      const add = (start: number, end: number, candidate: Omit<Candidate, 'start' | 'end'>): void => {
        found.push({ ...candidate, start: view.startOf(start), end: view.endOf(end) });
      };
      this.#match(view, (rule, start, end) => {
        const secret = view.text.slice(start, end);
        // What follows on the next line is a token of its own.
        if (this.#isAllowed(secret) || isBegun(start, end)) return;
        if (!rule.isGeneral) begins.add(view.startOf(start));
        const rank = rule.isGeneral ? RANK.general : RANK.own;
        add(start, end, { rule: rule.id, rank, value: rule.canonical?.(secret) ?? secret });
        if ('joinWithin' in view)
          for (const [from, to] of piecesWithin(view, start, end))
            add(from, to, { rule: rule.id, rank: RANK.piece, value: view.text.slice(from, to) });
      });
      this.#addKnown(view, found);
      if ('joinWithin' in view || !mayName(view)) return;
      for (const { start, end, value, id } of findPersonal(view.text)) {
        if (this.#isAllowed(value)) continue;
        const named = id === 'home-directory' ? { placeholder: '~' } : { value: value.toLowerCase() };
        add(start, end, { rule: id, rank: RANK.personal, ...named });
      }
    });
    return found;
  }
}

/** A rule that knows a secret by its look names it better than one that knows the place; a known one keeps its name. */
const RANK = { piece: -1, personal: 0, general: 1, known: 2, own: 3 };

const LONGEST_WORD = 64;
/** A few megabytes; further ones are scanned each time. */
const MOST_WORDS = 50_000;

/** Short texts in which nothing was found: names of fields come again and again, and ids of calls with their results. */
class PlainWords {
  readonly #words = new Set<string>();

  has(text: string): boolean {
    return text.length <= LONGEST_WORD && this.#words.has(text);
  }

  add(text: string): void {
    if (text.length <= LONGEST_WORD && this.#words.size < MOST_WORDS) this.#words.add(text);
  }

  forget(): void {
    this.#words.clear();
  }
}

/** Numbers of texts, in the order in which a message is walked through. */
type MarkedTexts = Pick<ReadonlySet<number>, 'has'>;

const ALL_TEXTS: MarkedTexts = { has: () => true };
const NO_TEXTS: MarkedTexts = new Set();

/** Which texts of a message hold something. */
class TextMarks {
  #before: MarkedTexts | undefined;
  #marked: Set<number> | undefined;
  #count = 0;

  /** Whether the next text was marked before, and has to be scanned. One outside of every message has. */
  isNextOpen(): boolean {
    return this.#before === undefined || this.#before.has(this.#count++);
  }

  /** The last text holds something. */
  markLast(): void {
    if (this.#before === undefined) return;
    this.#marked ??= new Set();
    this.#marked.add(this.#count - 1);
  }

  /** All texts that come while `walkOn` runs are those of one message. `before`: what was marked in the very same one. */
  within<Result>(
    before: MarkedTexts,
    walkOn: () => Result,
  ): { readonly result: Result; readonly marked: MarkedTexts | undefined } {
    this.#before = before;
    this.#marked = undefined;
    this.#count = 0;
    try {
      return { result: walkOn(), marked: this.#marked };
    } finally {
      this.#before = undefined;
    }
  }
}
