import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { misfits } from '../../server/http/testing/validate.ts';
import { type DescribedCall, imagineCall } from '../described-call.ts';
import { compilePolicy } from './compile.ts';
import { listPresets } from './presets.ts';
import { mismatchOf, readCases } from './read-cases.ts';
import { options, source } from './testing/sources.ts';

const page = readFileSync(new URL('../../../docs/POLICY.md', import.meta.url), 'utf8');
const blocksOf = (text: string): readonly string[] =>
  [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const compile = (text: string) => compilePolicy(options(source('user', text)));

describe('docs/POLICY.md', () => {
  const whole = blocksOf(page).filter((block) => block.includes('version: 1'));

  it.each(whole)('has examples without a mistake: %s', (text) => {
    expect(compile(text).problems).toEqual([]);
    expect(misfits('policy', parse(text))).toBe('');
  });

  it('has a table of calls that holds for its first policy', () => {
    const [table = ''] = blocksOf(page).filter((block) => block.includes('expect:'));
    const { cases, problems } = readCases('table.yaml', new TextEncoder().encode(table));
    expect([problems, cases.length]).toEqual([[], 6]);
    const { policy } = compile(whole[0] ?? '');
    const at = Date.UTC(2026, 10, 15);
    const toCall = (call: DescribedCall) => imagineCall({ at, ...call }, '/home/dev', '/home/dev/app');
    expect(cases.flatMap((one) => mismatchOf(one, policy, toCall(one.call)) ?? [])).toEqual([]);
  });

  it('has some', () => expect(whole.length).toBeGreaterThan(1));

  it.each(listPresets())('has the preset $name as it is', ({ name, brief, text }) => {
    const [, section = ''] = page.split(`\n### ${name}\n`);
    expect(section.trimStart().startsWith(brief)).toBe(true);
    const [shown = ''] = blocksOf(section);
    const rulesOf = (rules: string) =>
      compile(`version: 1\n${rules}`).policy.rules.map(({ place: _, ...rule }) => rule);
    expect(rulesOf(shown)).toEqual(rulesOf(text));
  });
});

describe('docs/guides/budgets.md', () => {
  const guide = readFileSync(new URL('../../../docs/guides/budgets.md', import.meta.url), 'utf8');

  it('has a policy without a mistake, and a table of calls that holds for it', () => {
    const [text = '', table = ''] = blocksOf(guide);
    const { policy, problems } = compile(text);
    expect(problems).toEqual([]);
    expect(misfits('policy', parse(text))).toBe('');
    const { cases, problems: mistakes } = readCases('table.yaml', new TextEncoder().encode(table));
    expect([mistakes, cases.length]).toEqual([[], 3]);
    const toCall = (call: DescribedCall) => imagineCall(call, '/home/dev', '/home/dev/app');
    expect(cases.flatMap((one) => mismatchOf(one, policy, toCall(one.call)) ?? [])).toEqual([]);
    const [first] = cases;
    const over = first && { ...first, used: { tokens: 300_000 } };
    expect(over && mismatchOf(over, policy, toCall(over.call))?.explanation.reason).toContain('Budget "research"');
  });
});
