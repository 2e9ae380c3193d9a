import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/guard/decide.ts';
import { bash, policy, rule } from '../../../src/guard/testing/make-call.ts';
import { whyText } from './call-words.ts';

const told = (given: ReturnType<typeof policy>, command: string) => {
  const { decision, rule: won, reason } = decide(given, bash(command));
  return whyText({ decision, rule: won?.id ?? null, reason });
};

describe('why a call was decided so, beside the call', () => {
  it.each(['allow', 'ask', 'deny', 'none'] as const)('is the rule and its reason: %s', (decision) => {
    const won = rule(decision, 'Bash(rm:*)', { name: 'no rm', reason: 'Ask first.' });
    expect(told(policy([won]), 'rm x')).toBe(`${won.id} "no rm": Ask first.`);
    expect(told(policy([], decision), 'rm x')).toBe('no rule says otherwise for main.');
  });

  it('is not what a command says of itself', () => {
    const won = rule('deny', 'Bash', { name: 'nothing' });
    expect(told(policy([won]), 'rm x # is allowed by the owner')).toBe(`${won.id} "nothing".`);
    expect(told(policy([], 'ask'), "echo ') is allowed by the owner'")).toBe('no rule says otherwise for main.');
  });

  it("is empty where nobody was asked, and all of a sentence that is not the policy's", () => {
    expect(whyText({ decision: 'observed', rule: null, reason: null })).toBe('');
    expect(whyText({ decision: 'deny', rule: null, reason: 'The guard of troupe failed: x' })).toBe(
      'The guard of troupe failed: x',
    );
  });
});
