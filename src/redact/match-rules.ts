// Holds the rules against a text.

import { groupBy } from '../lib/group.ts';
import { UserError } from '../lib/user-error.ts';
import { type CustomPattern, readAllowed, readCustomPattern } from './custom-patterns.ts';
import { surveyOf } from './disguises.ts';
import { beginningOf, createKeywordSearch } from './keyword-search.ts';
import type { SecretRule } from './rule.ts';
import { CREDENTIAL_RULES, PERSONAL_RULES } from './rules/all-rules.ts';
import { entropyOf } from './value-looks.ts';
import type { JoinedView, View } from './view.ts';

type OnMatch = (rule: SecretRule, start: number, end: number) => void;

/** What the rules describe, in one view of a text. Linear in its length; matches of several rules may overlap. */
export function createMatcher(rules: readonly SecretRule[]): (view: View | JoinedView, onMatch: OnMatch) => void {
  const search = createRuleSearch(rules);
  const searchJoined = createRuleSearch(rules.filter(({ isWrapped }) => isWrapped));
  return (view, onMatch) => {
    if (!('joinWithin' in view)) return search(view, onMatch);
    searchJoined(view, (rule, start, end) => {
      if (isAcrossLines(rule, view, start, end)) onMatch(rule, start, end);
    });
  };
}

/** Where a token ends at the end of a line, the word that begins the next one is no part of it, unless it looks like one. */
function isAcrossLines(rule: SecretRule, { text, joinWithin }: JoinedView, start: number, end: number): boolean {
  const join = joinWithin(start, end);
  if (join < 0 || !rule.isWrapped) return false;
  // The name of the next setting.
  if (/^[\w-]{0,60}[=:]/.test(text.slice(end, end + 64))) return false;
  const rest = text.slice(join, end);
  if (/\d|[a-z][A-Z]/.test(rest) || rest.length >= 20 || !rule.pattern.sticky) return true;
  rule.pattern.lastIndex = 0;
  return !rule.pattern.test(text.slice(start, join));
}

/** One pass finds the keywords; each rule then looks only near its own. */
function createRuleSearch(rules: readonly SecretRule[]): (view: View, onMatch: OnMatch) => void {
  const all = rules.flatMap((rule, index) => {
    const { barred, first } = beginningOf(rule);
    return rule.keywords.map((keyword) => ({ keyword, rule, index, barred, first }));
  });
  const byKeyword = groupBy(all, ({ keyword }) => keyword);
  const attempts = [...byKeyword.values()];
  const longWords = rules.filter(({ isLong }) => isLong);
  const everywhere = rules.filter(({ keywords, isLong }) => keywords.length === 0 && !isLong);
  const firsts = attempts.map((each) => each.map(({ first }) => first));
  const searchKeywords = createKeywordSearch(
    [...byKeyword.keys()],
    (number, unit) => firsts[number]?.every((first) => first?.[unit] === 0) ?? false,
  );
  /** Up to where each rule has looked; a match is not looked into again. Made once: most texts are short. */
  const done = new Int32Array(rules.length);
  return (view, onMatch) => {
    const { text } = view;
    const hits = searchKeywords(view);
    if (hits.length > 0) done.fill(-1);
    let windows: Windows | undefined;
    for (let hit = 0; hit < hits.length; hit += 2) {
      const start = hits[hit + 1] as number;
      const unitBefore = start > 0 ? text.charCodeAt(start - 1) : 0;
      for (const { index, rule, barred } of attempts[hits[hit] as number] ?? []) {
        if (start < (done[index] as number) || (barred?.[unitBefore] === 1 && start > 0)) continue;
        if (rule.near?.test(text.slice(Math.max(0, start - 60), start)) === false) continue;
        if (rule.read) done[index] = rule.read(text, start, (from, to) => onMatch(rule, from, to));
        else if (rule.before === 0) {
          rule.pattern.lastIndex = start;
          const match = rule.pattern.exec(text);
          if (match) done[index] = take(rule, match, onMatch);
        } else {
          windows ??= new Map();
          widen(windows, rule, text, start, onMatch);
        }
      }
    }
    if (longWords.length > 0) matchLongWords(longWords, view, onMatch);
    for (const rule of everywhere) matchWithin(rule, text, 0, text.length, onMatch);
    for (const [rule, { from, to }] of windows ?? []) matchWithin(rule, text, from, to, onMatch);
  };
}

function matchLongWords(rules: readonly SecretRule[], view: View, onMatch: OnMatch): void {
  const { runs } = surveyOf(view);
  for (let at = 0; at < runs.length; at += 2) {
    const [start, end] = [runs[at] as number, runs[at + 1] as number];
    if (hasDigit(view.text, start, end))
      for (const rule of rules) matchWithin(rule, view.text, start, end + LONG_REACH, onMatch);
  }
}

/** The parts behind a dot, such as the last one of an Airtable token. */
const LONG_REACH = 80;

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 48 && unit <= 57) return true;
  }
  return false;
}

/** The range that each rule still has to search. */
type Windows = Map<SecretRule, { from: number; to: number }>;

/** Places near each other are looked at once. */
function widen(windows: Windows, rule: SecretRule, text: string, start: number, onMatch: OnMatch): void {
  const from = Math.max(0, start - rule.before);
  const to = start + rule.reach;
  const open = windows.get(rule);
  if (open && from <= open.to) {
    open.to = to;
    return;
  }
  if (open) matchWithin(rule, text, open.from, open.to, onMatch);
  windows.set(rule, { from: Math.max(from, open?.to ?? 0), to });
}

function matchWithin(rule: SecretRule, text: string, from: number, to: number, onMatch: OnMatch): void {
  // What stands before is left in place: patterns look behind themselves.
  const upTo = to >= text.length ? text : text.slice(0, to);
  rule.pattern.lastIndex = from;
  for (let match = rule.pattern.exec(upTo); match !== null; match = rule.pattern.exec(upTo)) {
    const end = take(rule, match, onMatch);
    rule.pattern.lastIndex = Math.max(end, match.index + 1);
  }
}

/** Returns the position up to which the rule is done. */
function take(rule: SecretRule, match: RegExpExecArray, onMatch: OnMatch): number {
  const groups = match.indices?.slice(1).filter((group) => group !== undefined) ?? [];
  // Of an opening quote and what it holds, the second.
  const [start, end] = groups.at(-1) ?? match.indices?.[0] ?? [0, 0];
  const secret = match.input.slice(start, end);
  if (isSecret(rule, secret, match)) onMatch(rule, start, end);
  // A rejected value may contain another name: `credentials: "user: ann, password: …"`. Long words are skipped, because
  // rescanning them makes a text that repeats `api-key:` six times slower.
  else if (secret.length < 100 || /\s/.test(secret)) return start;
  return match.index + match[0].length;
}

function isSecret({ minEntropy = 0, accepts }: SecretRule, secret: string, match: RegExpExecArray): boolean {
  if (secret === '' || secret.length > 20_000) return false;
  if (minEntropy > 0 && entropyOf(secret) < minEntropy) return false;
  return accepts?.(secret, match) !== false;
}

export interface RuleOptions {
  /** E-mail, phone, card, IP as well. */
  readonly pii?: boolean;
  readonly patterns?: readonly CustomPattern[];
}

type Matcher = ReturnType<typeof createMatcher>;

/** The index of all keywords takes as long as redacting a page: those that everybody has are built once. */
const prepared = new Map<boolean, { readonly rules: readonly SecretRule[]; readonly match: Matcher }>();

export function prepareRules(options: RuleOptions): { readonly rules: readonly SecretRule[]; readonly match: Matcher } {
  const pii = options.pii ?? false;
  const existing = options.patterns?.length ? undefined : prepared.get(pii);
  if (existing) return existing;
  const rules = rulesOf(options);
  let match: Matcher | undefined;
  const made = {
    rules,
    // Built by the first text: until then others may begin who wait for nothing else.
    match: (view: Parameters<Matcher>[0], onMatch: Parameters<Matcher>[1]) => {
      match ??= createMatcher(rules);
      match(view, onMatch);
    },
  };
  if (!options.patterns?.length) prepared.set(pii, made);
  return made;
}

function rulesOf({ pii = false, patterns = [] }: RuleOptions): readonly SecretRule[] {
  const own = patterns.map((pattern) => {
    const rule = readCustomPattern(pattern);
    if (typeof rule === 'string')
      throw new UserError(
        'redact-pattern',
        `The pattern «${pattern.name}» cannot be used: ${rule}.`,
        'Correct it in config.json.',
      );
    return rule;
  });
  return [...own, ...CREDENTIAL_RULES, ...(pii ? PERSONAL_RULES : [])];
}

export function createAllowList(allow: readonly string[]): (value: string) => boolean {
  const tests = allow.map((entry) => {
    const test = readAllowed(entry);
    if (typeof test === 'string')
      throw new UserError('redact-allow', `«${entry}» cannot be allowed: ${test}.`, 'Correct it in config.json.');
    return test;
  });
  return (value) => tests.some((test) => test(value));
}
