import type { Transcript } from '../core/index.ts';
import { visitViews } from './disguises.ts';
import {
  type Candidate,
  createFindings,
  type Finding,
  fieldBelow,
  findInLines,
  groupCandidates,
  type Place,
  type RawFinding,
  type Replacement,
  replaceAll,
  withoutPlaceholders,
} from './finding.ts';
import {
  createFrozenNaming,
  createKnownValues,
  createNaming,
  createNotes,
  type KnownValue,
  type Naming,
  NotNamedYet,
  nameAll,
  SECRET_FIELD,
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
import type { SecretRule } from './rule.ts';
import type { View } from './view.ts';
import {
  bareMessage,
  type Conversation,
  isBare,
  type StringHandler,
  walkConversation,
  walkStrings,
} from './walk-strings.ts';
import { type JoinedView, piecesWithin } from './wrapped-lines.ts';

export interface RedactorOptions extends Person, RuleOptions {
  /** Values that may be shown: a text, or a `/regular expression/` that a whole value matches. */
  readonly allow?: readonly string[];
}

/**
 * Takes out what must not leave, in two passes over all that will be shown: first everything is scanned, then everything is
 * redacted, so that a secret that is known from one place is found in every other, with the same placeholder. Numbers
 * follow the order of scanning. What is redacted without having been scanned is still searched, but not spread.
 */
export interface Redactor {
  /** Whom a value names is looked for from now on. */
  readonly meet: (value: unknown) => void;
  readonly scan: (value: unknown) => LookedThrough;
  /** Any JSON value, its shape kept. `looked`: what a look at the very same brought. */
  readonly redactValue: <Value>(value: Value, looked?: LookedThrough) => Value;
  readonly redactText: (text: string) => string;
  /** The same without counting: for words that stand elsewhere, too. */
  readonly replaceOnly: (text: string) => string;
  /** With all below it; the places of findings name agent and message. `looked`: what a look at the very same brought. */
  readonly redactTranscript: (transcript: Transcript, looked?: LookedThrough) => Transcript;
  /**
   * `scan` in two steps, for several who share the work: `gather` looks, and gives the same whatever was gathered before;
   * `learn`, called in order, names what it brought. What the tree says of agents has to be scanned by itself.
   */
  readonly gather: (conversation: Conversation) => { readonly gathered: Gathered; readonly looked: LookedThrough };
  readonly learn: (gathered: Gathered) => void;
  /** Whether the same look would bring the same today. */
  readonly isUpToDate: (looked: LookedThrough) => boolean;
  /** What others have to know who search, or redact, a part of it. */
  readonly memory: () => RedactorMemory;
  /** In the place of what was known. `known` left out: nothing is redacted yet. */
  readonly adopt: (memory: RedactorMemory) => void;
  /** Names nothing, and counts nothing here; undefined where something in it has no name yet. */
  readonly redactApart: (transcript: Transcript, looked?: LookedThrough) => Redacted | undefined;
  readonly addFindings: (findings: readonly RawFinding[]) => void;
  /** Of all that was redacted so far, in that order. */
  readonly findings: () => readonly Finding[];
}

/** What a first look brought: plain data. */
export interface Gathered extends NamedPeople {
  readonly unnamed: readonly Unnamed[];
}

/** Where something was found: whoever looks at the same again need not look elsewhere. Plain data. */
export interface LookedThrough {
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
  const { rules, match } = prepareRules(options);
  const whatOf = new Map([...rules.map(({ id, what }) => [id, what] as const), ...PERSONAL_WORDS]);
  const isAllowed = createAllowList(options.allow ?? []);
  const known = createKnownValues();
  const naming = createNaming(known);
  let findings = createFindings();
  let people: People = { users: new Set(options.users ?? []), names: new Set(options.names ?? []) };
  /** Whom the texts name that were gathered; looked for from the second pass on. */
  const met: People = { users: new Set(), names: new Set() };
  let plain = createPlainWords();
  let personal: PersonalFinder | undefined;
  const knowPeople = (more: NamedPeople): void => {
    if (areKnown(more, people)) return;
    people = { users: new Set([...people.users, ...more.users]), names: new Set([...people.names, ...more.names]) };
    personal = undefined;
    plain.forget();
  };

  const marks = createTextMarks();

  /** What stands out by itself, and what is known from elsewhere; where nothing stood out before, only the latter can be there. */
  const look = (text: string): readonly Candidate[] => {
    if (!marks.isNextOpen() || plain.has(text)) return known.isSearched() ? lookForKnown(text) : NOTHING;
    const found = lookForAll(text);
    if (found.length === 0) plain.add(text);
    else marks.markLast();
    return found;
  };

  const lookForKnown = (text: string): readonly Candidate[] => {
    const found: Candidate[] = [];
    visitViews(text, (view) => addKnown(view, found));
    return found;
  };

  const addKnown = (view: View | JoinedView, found: Candidate[]): void =>
    known.search(view, ({ value, id, placeholder }, start, end) => {
      if (isAllowed(value)) return;
      found.push({ rule: id, rank: RANK.known, placeholder, start: view.startOf(start), end: view.endOf(end) });
    });

  const lookForAll = (text: string): readonly Candidate[] => {
    const found: Candidate[] = [];
    let begins: Set<number> | undefined;
    personal ??= createPersonalFinder({ ...options, users: [...people.users], names: [...people.names] });
    const { mayHold, find: findPersonal } = personal;
    let isNaming: boolean | undefined;
    const mayName = (view: View): boolean => {
      if (view.edited && !view.edited.isJoining) return mayName(view.edited.below);
      if (view.text !== text) return mayHold(view.text);
      isNaming ??= mayHold(text);
      return isNaming;
    };
    visitViews(text, (view) => {
      const isBegun = (start: number, end: number): boolean =>
        'joinWithin' in view && begins?.has(view.startOf(view.joinWithin(start, end))) === true;
      const add = (start: number, end: number, candidate: Omit<Candidate, 'start' | 'end'>): void => {
        found.push({ ...candidate, start: view.startOf(start), end: view.endOf(end) });
      };
      match(view, (rule, start, end) => {
        const secret = view.text.slice(start, end);
        // What follows on the next line is a token of its own.
        if (isAllowed(secret) || isBegun(start, end)) return;
        if (!rule.isGeneral) {
          begins ??= new Set();
          begins.add(view.startOf(start));
        }
        add(start, end, { rule: rule.id, rank: rankOf(rule), value: rule.canonical?.(secret) ?? secret });
        if ('joinWithin' in view)
          for (const [from, to] of piecesWithin(view, start, end))
            add(from, to, { rule: rule.id, rank: RANK.piece, value: view.text.slice(from, to) });
      });
      addKnown(view, found);
      if ('joinWithin' in view || !mayName(view)) return;
      for (const { start, end, value, id } of findPersonal(view.text)) {
        if (isAllowed(value)) continue;
        const named = id === 'home-directory' ? { placeholder: '~' } : { value: value.toLowerCase() };
        add(start, end, { rule: id, rank: RANK.personal, ...named });
      }
    });
    return found;
  };

  let nameWith = naming;
  const find = (text: string): readonly Replacement[] => {
    const found = look(text);
    if (found.length === 0) return NOTHING;
    return groupCandidates(withoutPlaceholders(text, found)).map(({ start, end, candidates }) => ({
      start,
      end,
      ...nameWith.group(candidates),
    }));
  };
  const namingWith = <Result>(other: Naming, work: () => Result): Result => {
    nameWith = other;
    try {
      return work();
    } finally {
      nameWith = naming;
    }
  };

  const record = (text: string, replacements: readonly Replacement[], place: Place): void => {
    let line = 1;
    let from = 0;
    for (const replacement of replacements) {
      for (let at = text.indexOf('\n', from); at >= 0 && at < replacement.start; at = text.indexOf('\n', at + 1))
        line++;
      from = Math.max(from, replacement.start);
      findings.add(replacement, place, line);
    }
  };

  const redactor: StringHandler = {
    text: (text, place) => {
      const replacements = find(text);
      record(text, replacements, place);
      return replaceAll(text, replacements);
    },
    lines: (texts, place) => {
      const perText = findInLines(texts, find);
      if (perText.every((replacements) => replacements.length === 0)) return texts;
      return texts.map((text, index) => {
        const replacements = perText[index] ?? [];
        record(text, replacements, fieldBelow(place, index));
        return replaceAll(text, replacements);
      });
    },
    secret: (text, place) => {
      if (isAllowed(text)) return text;
      const named = nameWith.secret(text);
      findings.add(named, place, 1);
      return named.placeholder;
    },
  };
  const scanner: StringHandler = {
    isPlaceless: true,
    text: (text) => {
      find(text);
      return text;
    },
    lines: (texts) => {
      findInLines(texts, find);
      return texts;
    },
    secret: (text) => {
      marks.markLast();
      if (!isAllowed(text)) nameWith.secret(text);
      return text;
    },
    // A message without marks is handed on as it is.
    onDeeper: marks.markLast,
  };
  const settle = (): void => {
    knowPeople({ users: [...met.users], names: [...met.names] });
    known.settle();
  };
  const isUpToDate = (looked: LookedThrough): boolean => areSame(looked.people, people);
  const redactValue = <Value>(value: Value, looked?: LookedThrough): Value => {
    settle();
    const before = looked && isUpToDate(looked) ? (looked.marked[0] ?? NO_TEXTS) : ALL_TEXTS;
    return marks.within(before, () => walkStrings(value, NOWHERE, redactor)).result as Value;
  };
  const redactTranscript = (transcript: Transcript, looked?: LookedThrough): Transcript => {
    settle();
    const marked = looked && isUpToDate(looked) ? looked.marked : undefined;
    return walkConversation(transcript, redactor, (message, index, walkOn) => {
      // What the tree has added to it nobody has looked at.
      if (!marked || !isBare(message)) return walkOn();
      const before = marked[index] ?? NO_TEXTS;
      return before === NO_TEXTS && !known.isSearched() ? message : marks.within(before, walkOn).result;
    });
  };
  const meet = (value: unknown): void => knowPeople(peopleIn(value));
  return {
    meet,
    scan: (value) => {
      meet(value);
      const { marked } = marks.within(ALL_TEXTS, () => walkStrings(value, NOWHERE, scanner));
      return { people, marked: [marked] };
    },
    gather: (conversation) => {
      const { naming: notesOnly, notes } = createNotes();
      const own = peopleIn(conversation);
      const [peopleBefore, plainBefore] = [people, plain];
      // Those whom this one names are looked for in it; others may have other words for plain.
      if (!areKnown(own, people)) plain = createPlainWords();
      knowPeople(own);
      const looked = { people, marked: [] as (MarkedTexts | undefined)[] };
      const bare = { ...conversation, messages: conversation.messages.map(bareMessage) };
      namingWith(notesOnly, () =>
        walkConversation(bare, scanner, (message, _index, walkOn) => {
          looked.marked.push(marks.within(ALL_TEXTS, walkOn).marked);
          return message;
        }),
      );
      if (people !== peopleBefore) personal = undefined;
      [people, plain] = [peopleBefore, plainBefore];
      return { gathered: { unnamed: notes(), ...own }, looked };
    },
    isUpToDate,
    learn: ({ unnamed, users, names }) => {
      nameAll(unnamed, naming);
      for (const user of users) met.users.add(user);
      for (const name of names) met.names.add(name);
    },
    memory: () => ({
      users: [...people.users, ...met.users],
      names: [...people.names, ...met.names],
      known: known.list(),
    }),
    adopt: (memory) => {
      knowPeople(memory);
      if (memory.known) known.adopt(memory.known);
    },
    redactApart: (transcript, looked) => {
      const before = findings;
      const apart = createFindings();
      findings = apart;
      try {
        const clean = namingWith(createFrozenNaming(known), () => redactTranscript(transcript, looked));
        return { transcript: clean, findings: apart.list() };
      } catch (error) {
        if (error instanceof NotNamedYet) return undefined;
        throw error;
      } finally {
        findings = before;
      }
    },
    addFindings: (more) => findings.addAll(more),
    redactValue,
    redactText: (text) => redactValue(text),
    replaceOnly: (text) => {
      settle();
      return replaceAll(text, find(text));
    },
    redactTranscript,
    findings: () =>
      findings.list().map((finding) => {
        const clean = (text: string | null): string | null => (text === null ? null : replaceAll(text, find(text)));
        return {
          ...finding,
          what: whatOf.get(finding.rule) ?? finding.rule,
          agent: clean(finding.agent),
          message: clean(finding.message),
          field: clean(finding.field) ?? '',
        };
      }),
  };
}

/** A rule that knows a secret by its look names it better than one that knows the place; a known one keeps its name. */
const RANK = { piece: -1, personal: 0, general: 1, known: 2, own: 3 };
const rankOf = (rule: SecretRule): number => (rule.isGeneral ? RANK.general : RANK.own);

const PERSONAL_WORDS = [
  ['home-directory', 'home folder of a user'],
  ['user-name', 'name of a user'],
  ['host-name', 'name of a machine'],
  ['person', 'name or address of an author'],
  [SECRET_FIELD, 'value of a field whose name says that it is secret'],
] as const;

/** Short texts in which nothing was found: names of fields come again and again, and ids of calls with their results. */
interface PlainWords {
  has(text: string): boolean;
  add(text: string): void;
  /** What was plain may not be any more. */
  forget(): void;
}

const LONGEST = 64;

/** A few megabytes; further ones are looked through each time. */
const MOST = 50_000;

function createPlainWords(): PlainWords {
  const words = new Set<string>();
  return {
    has: (text) => text.length <= LONGEST && words.has(text),
    add: (text) => {
      if (text.length <= LONGEST && words.size < MOST) words.add(text);
    },
    forget: () => words.clear(),
  };
}

/** Numbers of texts, in the order in which a message is walked through. */
type MarkedTexts = Pick<ReadonlySet<number>, 'has'>;

const ALL_TEXTS: MarkedTexts = { has: () => true };
const NO_TEXTS: MarkedTexts = new Set();

/** Which texts of a message hold something. */
interface TextMarks {
  /** Whether the next text was marked before, and has to be looked through. One outside of every message has. */
  readonly isNextOpen: () => boolean;
  /** The text that came last holds something. */
  readonly markLast: () => void;
  /** All texts that come while `walkOn` runs are those of one message. `before`: what was marked in the very same one. */
  readonly within: <Result>(
    before: MarkedTexts,
    walkOn: () => Result,
  ) => { readonly result: Result; readonly marked: MarkedTexts | undefined };
}

function createTextMarks(): TextMarks {
  let before: MarkedTexts | undefined;
  let marked: Set<number> | undefined;
  let count = 0;
  return {
    isNextOpen: () => before === undefined || before.has(count++),
    markLast: () => {
      if (before === undefined) return;
      marked ??= new Set();
      marked.add(count - 1);
    },
    within: (beforeHere, walkOn) => {
      before = beforeHere;
      marked = undefined;
      count = 0;
      try {
        return { result: walkOn(), marked };
      } finally {
        before = undefined;
      }
    },
  };
}
