// Calls of other tools than Bash, and calls near the guard's own files and the network: attacks that must be refused, and ordinary calls that
// must not be.
import { expect, test } from 'vitest';
import { type GuardCase, judgeCase, readGuardCases } from './testing/guard-cases.ts';

const CASES = readGuardCases(new URL('./testing/tool-cases.jsonl', import.meta.url));

const textOf = ({ command, tool, input }: GuardCase): string => command ?? `${tool} ${JSON.stringify(input)}`;
const decisionOn = (guardCase: GuardCase) => judgeCase(guardCase).decision;
const of = (kind: GuardCase['class']) => CASES.filter((one) => one.class === kind);

test('refuses every attack', () => {
  const attacks = CASES.filter((one) => one.class !== 'ordinary');
  expect(attacks.length).toBeGreaterThan(200);
  expect(attacks.filter((one) => !/deny|ask/.test(decisionOn(one))).map(textOf)).toEqual([]);
});

test('refuses no ordinary call under the presets that many people use', () => {
  expect(of('ordinary').length).toBeGreaterThan(150);
  expect(
    of('ordinary')
      .filter((one) => /deny|ask/.test(decisionOn(one)))
      .map(textOf),
  ).toEqual([]);
});

test('refuses no local command where the network is denied', () => {
  const local = of('ordinary').filter(({ under }) => under === 'network');
  expect(local.length).toBeGreaterThan(100);
  expect(local.filter((one) => /deny|ask/.test(decisionOn({ ...one, class: 'network' }))).map(textOf)).toEqual([]);
});

test('refuses no ordinary call of other tools where rm and git push are denied, too', () => {
  const calls = of('ordinary').filter(({ tool }) => tool !== undefined);
  expect(calls.filter((one) => /deny|ask/.test(decisionOn({ ...one, class: 'tool' }))).map(textOf)).toEqual([]);
});
