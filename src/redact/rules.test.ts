import { describe, expect, it } from 'vitest';
import { createMatcher } from './match-rules.ts';
import { LONGEST, type SecretRule } from './rule.ts';
import { AUDIT_RULES, CREDENTIAL_RULES, PERSONAL_RULES } from './rules/all-rules.ts';
import { fillSample } from './testing/fill-sample.ts';
import { entropyOf } from './value-looks.ts';
import { plainView } from './view.ts';

const RULES = [...new Set([...CREDENTIAL_RULES, ...AUDIT_RULES, ...PERSONAL_RULES])];

/** The text without what the rule takes out. */
function without(rule: SecretRule, text: string): string {
  const spans: [number, number][] = [];
  createMatcher([rule])(plainView(text), (_rule, start, end) => spans.push([start, end]));
  return spans
    .sort(([a], [b]) => b - a)
    .reduce((left, [start, end]) => `${left.slice(0, start)}·${left.slice(end)}`, text);
}

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (_id, rule) => {
  it('finds its samples, and nothing of them is left', () => {
    expect(rule.samples.length).toBeGreaterThan(0);
    for (const sample of rule.samples)
      for (const seed of [1, 2, 3]) {
        const { text, secrets } = fillSample(sample, seed);
        for (const around of [text, `before ${text}`, `x\n${text}\ny`]) {
          const left = without(rule, around);
          for (const secret of secrets) expect([around, left.includes(secret)]).toEqual([around, false]);
        }
      }
  });

  it('leaves what only looks like it', () => {
    expect(rule.misses.length).toBeGreaterThan(0);
    for (const miss of rule.misses) {
      const { text } = fillSample(miss);
      expect(without(rule, text)).toBe(text);
    }
  });

  it('looks at a bounded number of characters', () => {
    const source = rule.pattern.source.replace(/\\./g, '_').replace(/\[[^\]]*\]/g, '_');
    expect(source).not.toMatch(/[*+]|\{\d+,\}/);
    const bounds = [...source.matchAll(/\{(?:\d+,)?(\d+)\}/g)].map(([, most]) => Number(most));
    expect(Math.max(0, ...bounds)).toBeLessThan(LONGEST);
    expect(rule.pattern.sticky).toBe(rule.before === 0 && !rule.isLong);
    expect(rule.keywords.every((keyword) => keyword !== '' && keyword === keyword.toLowerCase())).toBe(true);
  });
});

describe('the entropy that a rule asks for', () => {
  const asking = RULES.filter(({ minEntropy }) => minEntropy !== undefined);
  it.each(asking.map((rule) => [rule.id, rule] as const))('turns away no %s that was drawn at random', (_id, rule) => {
    const { minEntropy = 0, ...without } = rule;
    const match = createMatcher([without]);
    for (const sample of rule.samples) {
      const drawn: number[] = [];
      for (let seed = 1; seed <= 200; seed++) {
        const { text } = fillSample(sample, seed);
        let best = 0;
        match(plainView(text), (_rule, start, end) => {
          best = Math.max(best, entropyOf(text.slice(start, end)));
        });
        if (best > 0) drawn.push(best);
      }
      const mean = drawn.reduce((sum, one) => sum + one, 0) / drawn.length;
      const spread = Math.sqrt(drawn.reduce((sum, one) => sum + (one - mean) ** 2, 0) / drawn.length);
      // One key in a thousand had less than what 3.2 bits ask of 32 hexadecimal digits. Six times the spread is one in millions.
      expect([sample, mean - 6 * spread > minEntropy]).toEqual([sample, true]);
    }
  });
});

describe('all rules', () => {
  it('have names of their own and say what they find', () => {
    for (const rules of [CREDENTIAL_RULES, AUDIT_RULES]) {
      const ids = rules.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
    for (const { id, what } of RULES) {
      expect(id).toMatch(/^[a-z0-9-]+$/);
      expect(what.length).toBeGreaterThan(8);
    }
    expect(CREDENTIAL_RULES.length).toBeGreaterThan(120);
  });

  it('have no false finding in each other’s near misses', () => {
    const misses = RULES.filter((rule) => CREDENTIAL_RULES.includes(rule)).flatMap((rule) => rule.misses);
    const match = createMatcher(CREDENTIAL_RULES);
    const found: string[] = [];
    for (const miss of misses) {
      const { text } = fillSample(miss);
      match(plainView(text), (rule) => found.push(`${rule.id}: ${text}`));
    }
    expect(found).toEqual([]);
  });
});
