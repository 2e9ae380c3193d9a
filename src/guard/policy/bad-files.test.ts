import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile.ts';
import { options, source } from './testing/sources.ts';

const HEAD = 'version: 1\n';
const RULE = `${HEAD}rules:\n`;
const BUDGET = `${HEAD}budgets:\n  - `;

/** What the file says, with ▶ where the error is; the beginning of the message; and of the remedy. */
const BAD: readonly (readonly [string, string, string?])[] = [
  ['▶', 'The file is empty.', 'Begin it with `version: 1`'],
  ['▶# nothing but words\n', 'The file is empty.'],
  ['▶rules: [{ decision: deny }]\n', 'The version is missing.', 'Begin the file with `version: 1`.'],
  ['version: ▶2\n', 'This troupe knows `version: 1` only.'],
  ['version: ▶"1"\n', 'This troupe knows `version: 1` only.'],
  ['▶- version: 1\n', 'A policy must be `key: value` lines, not a list.'],
  ['▶deny\n', 'A policy must be `key: value` lines, not a text.'],
  [`${HEAD}▶ruels: []\n`, 'A policy has no `ruels`; did you mean `rules`?'],
  [`${HEAD}▶onError: ask\n`, 'A policy has no `onError`; did you mean `on_error`?'],
  [`${HEAD}▶frobnicate: 1\n`, 'A policy has no `frobnicate`.', 'It may have `version`, `presets`'],
  [`${HEAD}▶__proto__: 1\n`, 'A policy has no `__proto__`.'],
  [`${HEAD}▶constructor: 1\n`, 'A policy has no `constructor`.'],
  [`${HEAD}▶version: 1\n`, '`version` is there twice.', 'Remove one.'],
  [`${HEAD}rules: ▶[]\n`, '`rules` is an empty list.'],
  [`${HEAD}▶rules:\n`, '`rules` has no value.'],
  [`${HEAD}rules: ▶deny\n`, '`rules` must be a list, not a text.', 'Begin each rule with `- `.'],
  [`${HEAD}rules:\n  ▶decision: deny\n`, '`rules` must be a list, not `key: value` lines.'],
  [`${HEAD}presets: ▶no-secrets-files\n`, '`presets` is `no-secrets-files`; did you mean `no-secret-files`?'],
  [`${HEAD}presets: [no-network, ▶no-network]\n`, '`no-network` is there twice.'],
  [`${HEAD}presets: ▶[]\n`, '`presets` is an empty list.'],
  [`${HEAD}presets: [▶7]\n`, 'An entry of `presets` must be a text, not a number.'],
  [`${HEAD}defaults: ▶deny\n`, '`defaults` must be `key: value` lines, not a text.'],
  [`${HEAD}defaults: ▶{}\n`, '`defaults` is empty.'],
  [`${HEAD}defaults: { ▶sub_agent: deny }\n`, '`defaults` has no `sub_agent`; did you mean `subagent`?'],
  [`${HEAD}defaults: { main: ▶nope }\n`, '`main` is `nope`; did you mean `none`?'],
  [`${HEAD}defaults: { main: ▶perhaps }\n`, '`main` is `perhaps`; it may be `allow`, `ask`, `deny` or `none`.'],
  [`${HEAD}on_error: ▶allow\n`, '`on_error` is `allow`; it may be `ask`, `deny` or `none`.'],
  [`${RULE}  - ▶tools: Bash\n`, 'This rule decides nothing.', 'Add `decision: deny`'],
  [`${RULE}  - ▶deny\n`, 'A rule must be `key: value` lines, not a text.'],
  [`${RULE}  - decision: deny\n    ▶agnets: { kind: main }\n`, 'A rule has no `agnets`; did you mean `agents`?'],
  [`${RULE}  - decision: deny\n    ▶decision: ask\n`, '`decision` is there twice.'],
  [`${RULE}  - decision: ▶[deny]\n`, '`decision` must be a text, not a list.'],
  [`${RULE}  - { decision: deny, name: ▶true }\n`, '`name` must be a text, not `true`.', 'Put quotes around it.'],
  [`${RULE}  - { decision: deny, reason: ▶" " }\n`, '`reason` is empty.'],
  [`${RULE}  - { decision: deny, name: ▶"\\e[31m" }\n`, '`name` must be at most 1000 characters'],
  [`${RULE}  - { decision: deny, agents: ▶{} }\n`, '`agents` names nobody.'],
  [`${RULE}  - { decision: deny, agents: ▶reviewer }\n`, '`agents` must be `key: value` lines, not a text.'],
  [`${RULE}  - { decision: deny, agents: { kind: ▶subagents } }\n`, '`kind` is `subagents`; did you mean `subagent`?'],
  [`${RULE}  - { decision: deny, agents: { type: ▶[] } }\n`, '`type` is an empty list.'],
  [`${RULE}  - { decision: deny, agents: { type: [▶{ a: 1 }] } }\n`, 'An entry of `type` must be a text'],
  [`${RULE}  - { decision: deny, agents: { under: { ▶typ: x } } }\n`, '`under` has no `typ`; did you mean `type`?'],
  [`${RULE}  - { decision: deny, agents: { depth: ▶"=>1" } }\n`, '`depth` cannot be `=>1`.', 'Main is at 0'],
  [`${RULE}  - { decision: deny, agents: { depth: ▶1.5 } }\n`, '`depth` cannot be `1.5`.'],
  [`${RULE}  - { decision: deny, agents: { depth: ▶-1 } }\n`, '`depth` cannot be `-1`.'],
  [`${RULE}  - { decision: deny, agents: { depth: ▶3-1 } }\n`, 'No agent is at the depth `3-1`.'],
  [`${RULE}  - { decision: deny, agents: { depth: ▶<0 } }\n`, 'No agent is at the depth `<0`.'],
  [`${HEAD}budgets: ▶[]\n`, '`budgets` is an empty list.'],
  [`${BUDGET}▶{ per: agent, turns: 1 }\n`, 'This budget has no name.', 'Add `name: research`'],
  [`${BUDGET}▶{ name: x, turns: 1 }\n`, 'This budget does not say what it is per.', 'Add `per: agent`'],
  [`${BUDGET}▶{ name: x, per: agent }\n`, 'This budget limits nothing.', 'Add one of `tokens`'],
  [`${BUDGET}{ name: x, per: ▶agents, turns: 1 }\n`, '`per` is `agents`; did you mean `agent`?'],
  [`${BUDGET}{ name: x, per: agent, tokens: ▶300K }\n`, '`tokens` must be a number above 0.', 'Write 5, 0.5, 300k'],
  [`${BUDGET}{ name: x, per: agent, usd: ▶0 }\n`, '`usd` must be a number above 0.'],
  [`${BUDGET}{ name: x, per: agent, turns: ▶1.5 }\n`, '`turns` must be a whole number.'],
  [`${BUDGET}{ name: x, per: agent, turns: 1, warn: ▶80 }\n`, '`warn` must be a text, not a number.'],
  [`${BUDGET}{ name: x, per: agent, turns: 1, warn: ▶100% }\n`, '`warn` must be a share of the limit.', 'Write 80%.'],
  [
    `${BUDGET}{ name: x, per: agent, turns: 1, ▶count: input }\n`,
    '`count` says which tokens count, and there is no limit',
  ],
  [`${BUDGET}{ name: x, per: agent, tokens: 1, count: ▶cached }\n`, '`count` is `cached`'],
  [`${BUDGET}{ name: x, per: day, ▶tool_calls: 1 }\n`, 'Tool calls are not counted by the day.'],
  [
    `${BUDGET}{ name: x, per: agent, turns: 1, on_limit: ▶allow }\n`,
    '`on_limit` is `allow`; it may be `ask` or `deny`.',
  ],
  [`${BUDGET}{ name: x, per: agent, turns: 1, ▶token: 1 }\n`, 'A budget has no `token`; did you mean `tokens`?'],
  [
    `${BUDGET}{ name: x, per: agent, turns: 1 }\n  - ▶{ name: x, per: day, usd: 1 }\n`,
    'Two budgets are called `x`.',
    'Give one of them another name.',
  ],
  [
    `${RULE}  - decision: deny\n    agents:\n      depth: ▶>=1\n`,
    'A text cannot begin with `>`.',
    'Put quotes around it.',
  ],
  [
    `${RULE}  - { decision: deny, agents: { project: ▶work/app } }\n`,
    '`project` `work/app` could be anywhere.',
    'Begin it with',
  ],
  [`${RULE}  - { decision: deny, tools: ▶[] }\n`, '`tools` is an empty list.'],
  [`${RULE}  - { decision: deny, tools: ▶"*" }\n`, '`tools` cannot be `*`.', 'Remove `tools`'],
  [`${RULE}  - decision: deny\n    tools: ▶*\n`, 'A text cannot begin with `*`.', 'Put quotes around it.'],
  [`${RULE}  - decision: deny\n    tools: ▶*Bash\n`, 'There is no anchor `&Bash` above.', 'Put quotes around'],
  [
    `${RULE}  - { decision: deny, tools: ▶bash(rm) }\n`,
    '`tools` is `bash(rm)`, which is no tool.',
    'Did you mean `Bash`?',
  ],
  [`${RULE}  - { decision: deny, tools: ▶Bash() }\n`, '`tools` is `Bash()`', 'Write something between'],
  [`${RULE}  - { decision: deny, tools: ▶Bash(rm }\n`, '`tools` is `Bash(rm`', 'The bracket has no end'],
  [
    `${RULE}  - { decision: deny, tools: ▶"Bash(rm:*), Edit" }\n`,
    '`tools` is `Bash(rm:*), Edit`',
    'Write several as a list',
  ],
  [`${RULE}  - { decision: deny, tools: ▶"Edit, Write" }\n`, '`tools` is `Edit, Write`', 'Write several as a list'],
  [`${RULE}  - { decision: deny, tools: [Edit, ▶"mcp__x(y)"] }\n`, 'An entry of `tools` is `mcp__x(y)`'],
  [`${RULE}  - { decision: deny, tools: ▶"Bash(rm\\n)" }\n`, '`tools` is `Bash(rm\n)`'],
  [`${RULE}  - { decision: deny, ▶wait: 5m }\n`, '`wait` goes with `decision: ask` only.'],
  [`${RULE}  - { decision: ask, ▶on_timeout: deny }\n`, '`on_timeout` needs `wait`.', 'Add `wait: 5m`'],
  [`${RULE}  - { decision: ask, wait: ▶5 }\n`, '`wait` must be a text, not a number.'],
  [`${RULE}  - { decision: ask, wait: ▶5 min }\n`, '`wait` cannot be `5 min`.', 'Write 30s, 5m or 1h'],
  [`${RULE}  - { decision: ask, wait: ▶61m }\n`, '`wait` is too long.'],
  [`${RULE}  - { decision: ask, wait: 5m, on_timeout: ▶ask }\n`, '`on_timeout` is `ask`; it may be `allow` or `deny`.'],
  [
    `${RULE}  - { decision: deny, ▶despite_ancestors: true }\n`,
    '`despite_ancestors` goes with `decision: allow` only.',
  ],
  [
    `${RULE}  - { decision: allow, despite_ancestors: ▶yes }\n`,
    '`despite_ancestors` must be `true` or `false`, not a text.',
  ],
  [`${RULE}  - { decision: ask, ▶own_calls_only: true }\n`, '`own_calls_only` goes with `decision: deny` only.'],
  [
    `${RULE}  - { decision: deny, ▶inject_identity: true }\n`,
    '`inject_identity` goes with `decision: allow` or `ask` or `none` only.',
  ],
  [
    `${RULE}  - { decision: ask, wait: 5m, on_timeout: deny, ▶otherwise: deny }\n`,
    '`otherwise` is the old name of `on_timeout`; only one of them can be used.',
    'Remove `otherwise`.',
  ],
  [
    `${RULE}  - { decision: ask, ▶tell_identity: true, inject_identity: true }\n`,
    '`tell_identity` is the old name of `inject_identity`; only one of them can be used.',
    'Remove `tell_identity`.',
  ],
  [`${RULE}  - { decision: deny, when: ▶{} }\n`, '`when` names no time.'],
  [`${RULE}  - { decision: deny, when: { days: ▶monday } }\n`, '`days` cannot be `monday`.', 'Write mon-fri'],
  [`${RULE}  - { decision: deny, when: { hours: ▶9-18 } }\n`, '`hours` cannot be `9-18`.', 'Write it as'],
  [`${RULE}  - { decision: deny, when: { hours: ▶09:00-09:00 } }\n`, '`hours` ends when it begins.'],
  [`${RULE}  - { decision: deny, when: { from: ▶tomorrow } }\n`, '`from` cannot be `tomorrow`.'],
  [`${RULE}  - { decision: deny, when: { from: ▶2026-02-30 } }\n`, '`from` cannot be `2026-02-30`.'],
  [`${RULE}  - { decision: deny, when: ▶{ from: 2026-12-01, until: 2026-11-01 } }\n`, '`from` is not before `until`.'],
  [`${HEAD}rules:\n▶\t- decision: deny\n`, 'A tab cannot indent.', 'Indent with spaces.'],
  [`${HEAD}▶---\nversion: 1\n`, 'A second document begins here.'],
  [`▶%YAML 1.1\n---\n${HEAD}`, 'Directives have no meaning here.'],
  [`${HEAD}on_error: ▶!deny x\n`, 'Tags have no meaning here.'],
  [`${HEAD}on_error: ▶@ask\n`, 'A text cannot begin with `@`.'],
  [`${RULE}  - reason: ▶do not: ever\n    decision: deny\n`, 'A `key: value` cannot stand in the line of another.'],
  [`${HEAD}presets: [no-network\n▶rules: 1\n`, 'This is no YAML: '],
  [`${HEAD}? ▶[a]\n: b\n`, 'This cannot be a key.'],
  [`▶\uFEFF${HEAD}`, 'The file begins with a byte order mark.', 'Save it as UTF-8 without BOM.'],
  [`${HEAD}# a▶\u202Eb\n`, 'Here is a character that cannot be seen (U+202E).'],
  [`${HEAD}# a▶\u0000b\n`, 'Here is a character that cannot be seen (U+0000).'],
  [`${HEAD}▶${'- '.repeat(300_000)}`, 'This is nested too deeply.'],
  [`${HEAD}rules: ${'['.repeat(500)}▶${'['.repeat(100_000)}`, 'This is nested too deeply.'],
  [`${HEAD}rules: ${'[]'.repeat(25_000)}▶${'[]'.repeat(100_000)}`, 'This is nested too deeply.'],
];

describe('a file with a mistake', () => {
  it.each(BAD.map(([text, ...rest]) => [shown(text), text, ...rest] as const))(
    '%s',
    (_, marked, message, remedy = '') => {
      const offset = marked.indexOf('▶');
      const text = marked.slice(0, offset) + marked.slice(offset + 1);
      const { policy, problems } = compilePolicy(options(source('user', text)));
      const before = text.slice(0, offset);
      const line = before.split('\n').length;
      const column = offset - before.lastIndexOf('\n');
      expect(problems[0]).toMatchObject({ severity: 'error', line, column, message: expect.stringContaining(message) });
      expect(problems[0]?.message.startsWith(message)).toBe(true);
      expect(problems[0]?.remedy ?? '').toContain(remedy);
      // However it is broken, nothing is allowed without a question.
      expect(policy.rules[0]).toMatchObject({ id: 'user:error', agents: null, tools: [], place: { line } });
      expect(policy.rules[0]?.reason).toContain(`policy.yaml has an error at line ${line}: ${problems[0]?.message}`);
      for (const decision of [policy.rules[0]?.decision, ...Object.values(policy.defaults), policy.onError])
        expect(['ask', 'deny']).toContain(decision);
    },
  );

  it('names the position of bytes that are not UTF-8', () => {
    const content = new Uint8Array([...new TextEncoder().encode('version: 1\n# äb'), 0xff, 0x0a]);
    const { problems } = compilePolicy(options(source('user', content)));
    expect(problems).toMatchObject([{ code: 'unreadable', line: 2, column: 5, message: 'This is not UTF-8.' }]);
  });

  it('is not read beyond a megabyte', () => {
    const { problems } = compilePolicy(options(source('user', HEAD + '#\n'.repeat(600_000))));
    expect(problems).toMatchObject([{ code: 'unreadable', line: 1, message: expect.stringContaining('1048576') }]);
  });

  it('lists all mistakes at once, by position, up to a hundred', () => {
    const { problems } = compilePolicy(options(source('user', 'version: 2\nrule: 1\ndefaults: { main: no }\n')));
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [1, 10],
      [2, 1],
      [3, 19],
    ]);
    const many = compilePolicy(options(source('user', Array.from({ length: 9_000 }, (_, i) => `k${i}: 1\n`).join(''))));
    expect(many.problems).toHaveLength(100);
  });

  it('counts lines that end as on Windows', () => {
    const { problems } = compilePolicy(options(source('user', 'version: 1\r\non_error: allow\r\n')));
    expect(problems).toMatchObject([{ line: 2, column: 11, source: 'on_error: allow' }]);
  });
});

describe('aliases', () => {
  it('are replaced by the values they name', () => {
    const text = `${RULE}  - { decision: deny, tools: &edits [Edit, Write] }\n  - { decision: ask, tools: *edits }\n`;
    const { policy, problems } = compilePolicy(options(source('user', text)));
    expect(problems).toEqual([]);
    expect(policy.rules[1]?.tools).toEqual(policy.rules[0]?.tools);
  });

  it.each([
    ['that name themselves', `${RULE}  - { decision: deny, agents: &a { type: x, under: *a } }\n`],
    ['without end', `${RULE}  - &r { decision: deny }\n${'  - *r\n'.repeat(100_000)}`],
  ])('%s come to an end', (_, text) => {
    const { policy, problems } = compilePolicy(options(source('user', text)));
    expect(problems.some(({ message }) => message.startsWith('There are more than 100 aliases'))).toBe(true);
    expect(policy.rules.length).toBeLessThan(110);
  });
});

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
