// Policies as the compiler makes them, by chance.
import fc from 'fast-check';
import {
  type AgentSelector,
  BUDGET_SCOPES,
  type Decision,
  MCP_ACTS,
  MCP_SEES,
  type Opaque,
  type Policy,
  type Rule,
  type TimeWindow,
  TOKEN_KINDS,
  type ToolPattern,
} from '../../policy.ts';
import { PRESET_NAMES } from '../presets.ts';

const decision = fc.constantFrom<Decision>('allow', 'ask', 'deny', 'none');

const opaque = fc.constantFrom<Opaque>('ask', 'deny', 'none');

/** Words that YAML takes for something else are among them. */
const text = fc.oneof(
  fc.constantFrom(
    'Explore',
    'null',
    'true',
    '7',
    '~',
    '*',
    '*-explorer',
    '- x',
    'a: b',
    '# c',
    '{',
    '"',
    "it's",
    '&a',
    '!b',
    '2026-11-01',
    'ä→😀',
  ),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((one) => /\S/.test(one) && !/\p{C}/u.test(one)),
);
const texts = fc.uniqueArray(text, { minLength: 1, maxLength: 3 });
const sentence = text.map((one) => one.replace(/\s+/g, ' ').trim());

const kinds = fc.uniqueArray(fc.constantFrom('main', 'task', 'fork', 'teammate', 'workflow', 'internal'), {
  minLength: 1,
  maxLength: 3,
});
const depth = fc
  .tuple(fc.nat(20), fc.option(fc.nat(20)))
  .map(([min, more]) => ({ min, max: more === null ? null : min + more }));
const project = fc.uniqueArray(fc.constantFrom('/srv/app', '/home/dev/work/**', '**/client-*', '/a b/c'), {
  minLength: 1,
  maxLength: 2,
});

const selector: fc.Arbitrary<AgentSelector> = fc.letrec<{ one: AgentSelector }>((tie) => ({
  one: fc
    .record(
      { kind: kinds, type: texts, name: texts, depth, host: texts, project, under: tie('one') },
      { requiredKeys: [] },
    )
    .filter((one) => Object.keys(one).length > 0) as fc.Arbitrary<AgentSelector>,
})).one;

const tool: fc.Arbitrary<ToolPattern> = fc.oneof(
  fc
    .constantFrom('Bash', 'Edit', 'mcp__x', 'mcp__x__*', 'opencode:todo')
    .map((name) => ({ text: name, tool: name, argument: null })),
  fc.constantFrom('Bash', 'Read').map((name) => ({ text: `${name}(*)`, tool: name, argument: null })),
  fc
    .tuple(
      fc.constantFrom('Bash', 'Edit', 'Agent'),
      fc.oneof(fc.constantFrom('rm:*', 'git * main', '//**/.env*', 'a (b) c'), text),
    )
    .filter(([, argument]) => argument !== '*')
    .map(([name, argument]) => ({ text: `${name}(${argument})`, tool: name, argument })),
);

const moment = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
const window: fc.Arbitrary<TimeWindow> = fc
  .record({
    days: fc.option(fc.uniqueArray(fc.nat(6), { minLength: 1 }).map((days) => [...days].sort())),
    minutes: fc.option(fc.tuple(fc.nat(1_439), fc.nat(1_440)).filter(([start, end]) => start !== end)),
    from: fc.option(moment),
    until: fc.option(moment),
  })
  .filter(
    ({ days, minutes, from, until }) =>
      (days ?? minutes ?? from ?? until) !== null && (from === null || from !== until),
  )
  .map((one) =>
    one.from !== null && one.until !== null && one.from > one.until
      ? { ...one, from: one.until, until: one.from }
      : one,
  );

export const rule: fc.Arbitrary<Omit<Rule, 'id' | 'scope' | 'place'>> = fc
  .record({
    name: fc.option(sentence),
    agents: fc.option(selector),
    tools: fc.array(tool, { maxLength: 3 }),
    decision,
    reason: fc.option(sentence),
    when: fc.option(window),
    wait: fc.option(
      fc.record({
        ms: fc.integer({ min: 1, max: 3_600 }).map((s) => s * 1_000),
        otherwise: fc.constantFrom<'allow' | 'deny'>('allow', 'deny'),
      }),
    ),
    despiteAncestors: fc.boolean(),
    own: fc.boolean(),
    opaque: fc.option(opaque),
    injectsIdentity: fc.boolean(),
  })
  .map(({ own, opaque: said, ...one }) => ({
    ...one,
    wait: one.decision === 'ask' ? one.wait : null,
    despiteAncestors: one.decision === 'allow' && one.despiteAncestors,
    ...(own && one.decision === 'deny' ? { ownCallsOnly: true as const } : {}),
    ...(said !== null && (one.decision === 'deny' || one.decision === 'ask') ? { opaque: said } : {}),
    injectsIdentity: (one.decision === 'allow' || one.decision === 'ask') && one.injectsIdentity,
  }));

export const presets = fc.uniqueArray(fc.constantFrom(...PRESET_NAMES), { maxLength: 2 });

export const settings: fc.Arbitrary<Pick<Policy, 'defaults' | 'onError' | 'opaque'>> = fc.record({
  defaults: fc.record({ main: decision, subagent: decision, unknown: decision }),
  onError: fc.constantFrom<Decision>('ask', 'deny', 'none'),
  opaque,
});

const amount = fc.oneof(fc.constantFrom('300k', '1.5M', '0.5k'), fc.integer({ min: 1, max: 1e9 }));
const whole = fc.nat(1_000);

/** As a file has them. */
export const budgets = fc.uniqueArray(
  fc
    .record(
      {
        name: fc.stringMatching(/^[a-z]{1,8}$/),
        per: fc.constantFrom<(typeof BUDGET_SCOPES)[number]>(...BUDGET_SCOPES),
        ...{
          agents: fc.constant({ type: 'x' }),
          tokens: amount,
          usd: amount,
          turns: whole,
          minutes: amount,
          spawns: whole,
        },
        ...{ agents_at_once: whole, depth: whole, project: fc.constantFrom('~/work/**', '/srv/app') },
        ...{ warn: fc.constantFrom('80%', '5 %'), on_limit: fc.constantFrom('ask', 'deny'), grace: whole },
        count: fc.subarray([...TOKEN_KINDS], { minLength: 1 }),
      },
      { requiredKeys: ['name', 'per', 'turns'] },
    )
    .map(({ count, ...rest }) => ({ ...rest, ...(rest.tokens !== undefined && count ? { count } : {}) })),
  { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
);

export const mcp = fc.record({
  sees: fc.constantFrom(...MCP_SEES),
  may: fc.uniqueArray(fc.constantFrom(...MCP_ACTS), { minLength: 1 }),
});
