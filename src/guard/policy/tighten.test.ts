import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../../lib/testing/seed.ts';
import { type Decision, isLooser, type Policy, type Rule, stricterOf } from '../policy.ts';
import { compilePolicy } from './compile.ts';
import { presets, rule, settings } from './testing/generate.ts';
import { printPolicy } from './testing/print-policy.ts';
import { options, source } from './testing/sources.ts';

const project = (text: string, user = 'version: 1\n') =>
  compilePolicy(options(source('user', user), source('project', text)));

/** Some of them cut off somewhere. */
const file = fc
  .record({ rules: fc.array(rule, { maxLength: 4 }), said: settings, presets, cut: fc.option(fc.nat(400)) })
  .map(({ rules, said, presets: named, cut }) => {
    const numbered = rules.map((one, index): Rule => ({ id: `user:${index + 1}`, scope: 'user', place: null, ...one }));
    const text = printPolicy({ version: 1, ...said, rules: numbered }, named, { flow: true });
    return cut === null ? text : text.slice(0, Math.max(0, text.length - cut));
  });

describe('the policy of a project', () => {
  it('may not loosen by an old name of a key', () => {
    const { policy, problems } = project('version: 1\nrules: [{ decision: ask, wait: 1m, otherwise: allow }]\n');
    expect(policy.rules).toEqual([]);
    expect(problems.map(({ code }) => code).toSorted()).toEqual(['deprecated', 'loosens']);
  });

  it.each([
    ['rules: [{ ▶decision: allow }]', '`decision: allow` has no effect here'],
    ['rules: [{ tools: Read, ▶decision: none }]', '`decision: none` has no effect here'],
    ['rules: [{ decision: ask, wait: 1m, ▶on_timeout: allow }]', '`on_timeout: allow` has no effect here'],
    ['rules: [{ ▶decision: allow, despite_ancestors: true }]', '`decision: allow` has no effect here'],
    ['defaults: { main: ▶none }', '`main: none` is looser than `ask`'],
    ['defaults: { unknown: ▶ask }', '`unknown: ask` is looser than `deny`'],
    ['opaque: ▶none', '`opaque: none` is looser than `ask`'],
    ['on_error: ▶ask', '`on_error: ask` is looser than `deny`'],
  ])('may not loosen: %s', (marked, message) => {
    const user = 'version: 1\ndefaults: { main: ask, unknown: deny }\non_error: deny\n';
    const text = `version: 1\n${marked.replace('▶', '')}\n`;
    const { policy, problems } = project(text, user);
    expect(problems).toMatchObject([
      {
        severity: 'error',
        code: 'loosens',
        line: 2,
        column: marked.indexOf('▶') + 1,
        message: expect.stringContaining(message),
      },
    ]);
    // The rest of the file is good: nobody has to be asked about everything.
    expect(policy).toMatchObject(compilePolicy(options(source('user', user))).policy);
  });

  it('may tighten', () => {
    const { policy, problems } = project(
      'version: 1\ndefaults: { main: ask }\non_error: deny\nrules: [{ decision: deny, tools: Edit }]\n',
    );
    expect(problems).toEqual([]);
    expect(policy).toMatchObject({ defaults: { main: 'ask', subagent: 'none', unknown: 'ask' }, onError: 'deny' });
    expect(policy.rules).toMatchObject([{ id: 'project:1', scope: 'project' }]);
  });

  it('says nothing for what it leaves out', () => {
    const { policy } = project('version: 1\n', 'version: 1\ndefaults: { unknown: none }\non_error: none\n');
    expect(policy).toMatchObject({ defaults: { unknown: 'none' }, onError: 'none' });
  });

  it('leaves what its owner denies denied when it is broken', () => {
    const { policy } = project(
      'version: 1\nrules: nope\n',
      'version: 1\nrules: [{ decision: deny, tools: Edit }, { decision: allow }]\n',
    );
    expect(policy.rules.map(({ id, decision }) => `${id} ${decision}`)).toEqual([
      'project:error ask',
      'user:1 deny',
      'user:2 allow',
    ]);
  });

  it('has folders that are relative to it', () => {
    const { policy } = project('version: 1\nrules: [{ decision: ask, agents: { project: [packages/*, ~/x] } }]\n');
    expect(policy.rules[0]?.agents?.project).toEqual(['/home/dev/work/app/packages/*', '/home/dev/x']);
  });

  it('never loosens, whatever it and that of the person say', () => {
    fc.assert(
      fc.property(file, file, file, fc.boolean(), (user, ofProject, local, hasUser) => {
        const own = hasUser ? [source('user', user)] : [];
        const inProject = [...own, source('project', ofProject)];
        const chain = [own, inProject, [...inProject, source('local', local)]].map(
          (sources) => compilePolicy(options(...sources)).policy,
        );
        for (const [index, tighter] of chain.slice(1).entries()) {
          const looser = chain[index];
          if (looser) expectTighter(tighter, looser);
        }
      }),
      { numRuns: runsOf(300) },
    );
  });
});

describe('a mistake', () => {
  it.each(['frobnicate: 1', 'rules: [{ decision: allow, tool: Edit }]', ']'])('never loosens: %s', (mistake) => {
    fc.assert(
      fc.property(file, (text) => {
        const good = compilePolicy(options(source('user', text)));
        const bad = compilePolicy(options(source('user', `${text.trimEnd().replace(/\}$/, '')}, ${mistake}}`)));
        fc.pre(good.problems.every(({ severity }) => severity === 'warning'));
        expect(bad.policy.rules[0]?.id).toBe('user:error');
        // A text that is no YAML has no rules and no defaults that could be trusted.
        if (bad.problems.some(({ code }) => code === 'syntax')) return;
        expectTighter(bad.policy, good.policy);
      }),
      { numRuns: runsOf(100) },
    );
  });
});

/** A model of what is decided, in which a rule is about a call or not by its words alone. */
function expectTighter(tighter: Policy, looser: Policy): void {
  const shapes = [...tighter.rules, ...looser.rules].map(shapeOf);
  for (const shape of new Set([...shapes, 'nothing that a rule is about'])) {
    for (const who of ['main', 'subagent', 'unknown'] as const) {
      const [before, after] = [judge(looser, shape, who), judge(tighter, shape, who)];
      expect(isLooser(after, before), `${who} ${shape}: ${before}, then ${after}`).toBe(false);
    }
  }
  expect(isLooser(tighter.onError, looser.onError)).toBe(false);
  for (const { scope, decision, wait, despiteAncestors } of tighter.rules) {
    if (scope !== 'project' && scope !== 'local') continue;
    expect(['ask', 'deny']).toContain(decision);
    expect(wait?.otherwise).not.toBe('allow');
    expect(despiteAncestors).toBe(false);
  }
}

function judge(policy: Policy, shape: string, who: keyof Policy['defaults']): Decision {
  const about = policy.rules.filter(
    (one) => shapeOf(one) === shape || (!one.agents && one.tools.length === 0 && !one.when),
  );
  const isOwn = ({ scope }: Rule): boolean => scope === 'user' || scope === 'preset';
  const first = (rules: readonly Rule[]): Decision | undefined =>
    (['deny', 'ask', 'allow', 'none'] as const).find((decision) => rules.some((one) => one.decision === decision));
  const own = first(about.filter(isOwn)) ?? policy.defaults[who];
  return about.filter((one) => !isOwn(one)).reduce((now, { decision }) => stricterOf(now, decision), own);
}

function shapeOf({ agents, tools, when }: Rule): string {
  return JSON.stringify([agents, tools, when]);
}
