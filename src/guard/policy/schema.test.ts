// schemas/policy.schema.json is what editors know: it has to say what the compiler says.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { misfits } from '../../server/http/testing/validate.ts';
import { BUDGET_SCOPES, TOKEN_KINDS } from '../policy.ts';
import { compilePolicy } from './compile.ts';
import { listPresets, PRESET_NAMES } from './presets.ts';
import { AMOUNT, DATE, DAYS_TEXT, DEPTH, DURATION, HOURS, KINDS, LINE, ON_LIMIT, PERCENT, TOOL } from './read-rule.ts';
import { budgets, mcp, rule, settings } from './testing/generate.ts';
import { ruleToFile } from './testing/print-policy.ts';
import { options, source } from './testing/sources.ts';

const schema = JSON.parse(readFileSync(new URL('../../../schemas/policy.schema.json', import.meta.url), 'utf8'));

/** JSON is YAML. With a root: a schema does not know whether the file is one of a project, with folders relative to it. */
const errorsOf = (file: unknown): readonly string[] =>
  compilePolicy(options({ ...source('user', JSON.stringify(file)), root: '/home/dev/work/app' }))
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('the schema', () => {
  it('has the words and forms of the compiler', () => {
    const { $defs } = schema;
    const { properties } = $defs.rule;
    expect($defs.preset.enum).toEqual(PRESET_NAMES);
    expect($defs.kind.enum).toEqual(KINDS);
    expect(
      [$defs.line, $defs.tool, $defs.days, $defs.date, properties.wait, properties.when.properties.hours].map(
        ({ pattern }) => pattern,
      ),
    ).toEqual([LINE, TOOL, DAYS_TEXT, DATE, DURATION, HOURS].map(({ source: pattern }) => pattern));
    expect($defs.amount.anyOf[1].pattern).toBe(AMOUNT.source);
    expect($defs.tokenKind.enum.toSorted()).toEqual(TOKEN_KINDS.toSorted());
    const { properties: budget } = $defs.budget;
    expect([budget.per.enum, budget.on_limit.enum]).toEqual([BUDGET_SCOPES, ON_LIMIT]);
    expect(budget.warn.pattern).toBe(PERCENT.source);
    expect($defs.agents.properties.depth.anyOf[1].pattern).toBe(DEPTH.source);
  });

  it('accepts and rejects the same policies as the compiler', () => {
    const policy = fc
      .record({ rules: fc.array(rule, { minLength: 1, maxLength: 3 }), said: settings, budgets, mcp })
      .map(({ rules, said, budgets, mcp }) => ({
        version: 1,
        defaults: said.defaults,
        on_error: said.onError,
        opaque: said.opaque,
        rules: rules.map(ruleToFile),
        budgets,
        mcp,
      }));
    // What needs reckoning (a `from` after its `until`) is not among them: a schema cannot say it.
    const odd = fc.constantFrom<unknown>(
      null,
      true,
      0,
      1,
      1.5,
      -1,
      '',
      ' ',
      'deny',
      '300k',
      '80%',
      'allow',
      'none',
      'x',
      [],
      ['x'],
      {},
      { type: 'x' },
      [null],
      ['deny', 'deny'],
      '1-2',
      '5m',
      'mon',
      'Bash',
      'Bash(',
      ['Bash'],
      'bash',
      '\u0007',
      'a\nb',
      '~/x',
      '/x',
    );
    const counts = { yes: 0, no: 0 };
    fc.assert(
      fc.property(
        policy,
        fc.array(fc.tuple(fc.nat(), odd, fc.constantFrom('replace', 'remove', 'add')), { maxLength: 2 }),
        fc.constantFrom(
          ...['wait', 'on_timeout', 'otherwise', 'when', 'under', 'presets', 'x'],
          ...['own_calls_only', 'inject_identity', 'tell_identity', 'count', 'tool_calls'],
        ),
        (file, changes, key) => {
          const changed = structuredClone(file) as Record<string, unknown>;
          for (const [at, value, how] of changes) change(changed, at, value, how, key);
          const misfit = misfits('policy', changed);
          const errors = errorsOf(changed);
          counts[misfit === '' ? 'yes' : 'no']++;
          expect(errors.length === 0, `${JSON.stringify(changed)}\n${misfit}\n${errors.join('\n')}`).toBe(
            misfit === '',
          );
        },
      ),
      { numRuns: 1_500 },
    );
    expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(150);
  });

  it('knows the presets', () => {
    for (const { name } of listPresets()) expect(misfits('policy', { version: 1, presets: name })).toBe('');
  });
});

/** Somewhere in the file: the `at`th place, counted around. */
function change(file: Record<string, unknown>, at: number, value: unknown, how: string, key: string): void {
  const places: [object, string][] = [];
  const walk = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    for (const name of Object.keys(one)) {
      places.push([one, name]);
      walk(Reflect.get(one, name));
    }
  };
  walk(file);
  const [holder, name] = places[at % places.length] ?? [file, 'version'];
  if (how === 'replace') Reflect.set(holder, name, value);
  else if (how === 'add' && !Array.isArray(holder)) Reflect.set(holder, key, value);
  else if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else Reflect.deleteProperty(holder, name);
}
