import { UserError } from '../lib/user-error.ts';
import { type CustomPattern, readAllowed, readCustomPattern } from './custom-patterns.ts';
import { createMatcher } from './match-rules.ts';
import type { SecretRule } from './rule.ts';
import { CREDENTIAL_RULES } from './rules/all-rules.ts';
import { PERSONAL_RULES } from './rules/personal.ts';

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
