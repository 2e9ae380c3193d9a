import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../../lib/testing/seed.ts';
import { type Policy, rulesAbout } from '../policy.ts';
import { compilePolicy } from './compile.ts';
import { listPresets, PRESET_NAMES } from './presets.ts';
import { presets, rule, settings } from './testing/generate.ts';
import { printPolicy } from './testing/print-policy.ts';
import { options, source } from './testing/sources.ts';

const compile = (text: string) => compilePolicy(options(source('user', text)));

describe('compilePolicy', () => {
  it('reads all that can be said', () => {
    const { policy, problems } = compile(`version: 1
presets: no-network
defaults: { main: none, subagent: ask, unknown: deny }
on_error: deny
rules:
  - name: reviewers only read
    agents: { type: [reviewer, Explore], depth: ">=1", under: { type: planner }, host: claude-code, project: ~/work/** }
    tools: [Edit, Write, "Bash(rm:*)"]
    decision: deny
    reason: >
      Reviewers
      only read.
    when: { days: [mon-wed, "fri,sat"], hours: "22:00-06:00", from: 2026-11-01, until: 2026-12-31 }
  - tools: Bash(terraform apply:*)
    decision: ask
    wait: 5m
  - agents: { kind: subagent }
    decision: allow
    despite_ancestors: true
    inject_identity: true
`);
    expect(problems).toEqual([]);
    expect(policy.defaults).toEqual({ main: 'none', subagent: 'ask', unknown: 'deny' });
    expect(policy.onError).toBe('deny');
    expect(policy.rules.map(({ id }) => id)).toEqual(['preset:no-network:1', 'user:1', 'user:2', 'user:3']);
    expect(policy.rules[1]).toEqual({
      id: 'user:1',
      scope: 'user',
      name: 'reviewers only read',
      place: { file: '/home/dev/.config/troupe/policy.yaml', line: 6 },
      agents: {
        type: ['reviewer', 'Explore'],
        depth: { min: 1, max: null },
        under: { type: ['planner'] },
        host: ['claude-code'],
        project: ['/home/dev/work/**'],
      },
      tools: [
        { text: 'Edit', tool: 'Edit', argument: null },
        { text: 'Write', tool: 'Write', argument: null },
        { text: 'Bash(rm:*)', tool: 'Bash', argument: 'rm:*' },
      ],
      decision: 'deny',
      reason: 'Reviewers only read.',
      when: {
        days: [1, 2, 3, 5, 6],
        minutes: [1_320, 360],
        from: new Date(2026, 10, 1).getTime(),
        until: new Date(2027, 0, 1).getTime(),
      },
      wait: null,
      despiteAncestors: false,
      injectsIdentity: false,
    });
    expect(policy.rules[2]).toMatchObject({ decision: 'ask', wait: { ms: 300_000, otherwise: 'deny' } });
    expect(policy.rules[3]).toMatchObject({
      agents: { kind: ['task', 'fork', 'teammate', 'workflow', 'internal'] },
      despiteAncestors: true,
      injectsIdentity: true,
    });
  });

  it.each([
    ['2', 2, 2],
    ['"2"', 2, 2],
    ['">1"', 2, null],
    ['">= 1"', 1, null],
    ['"<3"', 0, 2],
    ['"<=3"', 0, 3],
    ['1 - 3', 1, 3],
  ])('reads the depth %s', (text, min, max) => {
    const { policy } = compile(`version: 1\nrules: [{ decision: ask, agents: { depth: ${text} } }]\n`);
    expect(policy.rules[0]?.agents?.depth).toEqual({ min, max });
  });

  describe('with an old name of a key', () => {
    it.each([
      ['wait: 5m, otherwise: allow', 'otherwise', 'on_timeout', { wait: { ms: 300_000, otherwise: 'allow' } }],
      ['tell_identity: true', 'tell_identity', 'inject_identity', { injectsIdentity: true }],
    ])('reads %s and warns', (text, old, name, expected) => {
      const line = `  - { decision: ask, ${text} }`;
      const { policy, problems } = compile(`version: 1\nrules:\n${line}\n`);
      expect(policy.rules).toMatchObject([expected]);
      expect(problems).toMatchObject([
        {
          severity: 'warning',
          code: 'deprecated',
          line: 3,
          column: line.indexOf(old) + 1,
          message: `\`${old}\` is now \`${name}\`; the old name works until 0.3.`,
        },
      ]);
    });

    it('checks its value like that of the new name', () => {
      const errorsOf = (text: string) =>
        compile(`version: 1\nrules: [{ ${text} }]\n`).problems.flatMap(({ severity, message }) =>
          severity === 'error' ? [message] : [],
        );
      expect(errorsOf('decision: ask, wait: 5m, otherwise: ask')).toEqual([
        '`on_timeout` is `ask`; it may be `allow` or `deny`.',
      ]);
      expect(errorsOf('decision: ask, otherwise: deny')).toEqual(['`on_timeout` needs `wait`.']);
      expect(errorsOf('decision: deny, tell_identity: true')).toHaveLength(1);
      expect(errorsOf('decision: ask, wait: 5m, otherwise: deny, otherwise: deny')).toHaveLength(1);
    });

    it('still reports an error that follows more than 100 warnings', () => {
      const old = '  - { decision: ask, wait: 5m, otherwise: allow }\n'.repeat(150);
      const { policy, problems } = compile(`version: 1\nrules:\n${old}  - { decision: denny }\n`);
      expect(problems.filter(({ severity }) => severity === 'warning')).toHaveLength(100);
      expect(problems.at(-1)).toMatchObject({ severity: 'error', line: 153 });
      expect(policy.rules[0]).toMatchObject({ id: 'user:error' });
    });
  });

  it('asks for unknown callers and on errors by default', () => {
    expect(compile('version: 1\n').policy).toMatchObject({
      defaults: { main: 'none', subagent: 'none', unknown: 'ask' },
      onError: 'ask',
      rules: [],
    });
    expect(compilePolicy(options()).policy).toMatchObject({ defaults: { unknown: 'none' }, onError: 'none' });
  });

  it('warns about unknown tools and about stars without effect', () => {
    const { policy, problems } = compile(
      'version: 1\nrules: [{ decision: deny, tools: [Bsh, "Bash(git:* push)", Bash(rm:*)] }]\n',
    );
    expect(problems).toMatchObject([
      { severity: 'warning', column: 35, remedy: 'Did you mean `Bash`?' },
      { severity: 'warning', column: 40 },
    ]);
    expect(policy.rules).toMatchObject([{ id: 'user:1', decision: 'deny' }]);
  });

  it('warns of a folder of the system that is meant to be one, and is not', () => {
    const { problems } = compile(
      'version: 1\nrules: [{ decision: deny, tools: ["Edit(/etc/**)", "Edit(//etc/**)", "Read(/src/**)", "Bash(ls /etc/x)"] }]\n',
    );
    expect(problems).toMatchObject([
      { severity: 'warning', column: 35, remedy: expect.stringContaining('`Edit(//etc/**)`') },
    ]);
  });

  it('keeps of a broken file what denies and asks, and what it says of errors', () => {
    const text =
      'version: 1\non_error: deny\ndefaults: { main: allow }\nrules: [{ decision: allow }, { decision: deny, tools: Edit }, { decison: ask }]\n';
    const { policy } = compile(text);
    expect(policy.rules.map(({ id, decision }) => `${id} ${decision}`)).toEqual(['user:error deny', 'user:2 deny']);
    expect(policy.defaults).toEqual({ main: 'deny', subagent: 'deny', unknown: 'deny' });
    // Half a rule is none.
    expect(compile('version: 1\non_error: deny\nrules: [{ decision: allow }\n').policy.rules).toMatchObject([
      { id: 'user:error', decision: 'deny' },
    ]);
  });

  it('reads back every policy that was printed', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), settings, presets, fc.boolean(), (rules, said, named, flow) => {
        const policy: Policy = {
          version: 1,
          ...said,
          rules: rules.map((one, index) => ({ id: `user:${index + 1}`, scope: 'user', place: null, ...one })),
        };
        const { policy: again, problems } = compile(printPolicy(policy, named, { flow }));
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
        const own = again.rules.filter(({ scope }) => scope === 'user').map((one) => ({ ...one, place: null }));
        expect({ ...again, rules: own }).toEqual(policy);
        expect(again.rules.length - own.length).toBe(named.length);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it('never throws, and never allows without a question, whatever it is given', () => {
    const piece = fc.constantFrom(
      'version: 1\n',
      'rules:\n',
      '  - decision: allow\n',
      '    tools: [',
      'Edit',
      ']',
      ': ',
      '- ',
      '\t',
      '"',
      '*a',
      '&a ',
      '{',
      '}',
      '\n',
      '|',
      '>',
      '#',
      '!x ',
      'on_error: none\n',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 20 }),
        (pieces) => {
          const { policy, problems } = compile(pieces.join(''));
          const isBroken = problems.some(({ severity }) => severity === 'error');
          expect(policy.rules[0]?.id === 'user:error').toBe(isBroken);
          if (isBroken) expect(Object.values(policy.defaults)).toEqual(['ask', 'ask', 'ask']);
        },
      ),
      { numRuns: runsOf(2_000) },
    );
  });
});

describe('mcp', () => {
  const mcp = (user: string, project?: string) =>
    compilePolicy(
      options(
        source('user', `version: 1\n${user}`),
        ...(project === undefined ? [] : [source('project', `version: 1\n${project}`)]),
      ),
    );

  it('is left out where nobody says anything about it', () => {
    expect(mcp('rules: [{ tools: Bash, decision: ask }]\n').policy.mcp).toBeUndefined();
  });

  it("reads what the person's own file says", () => {
    const { policy, problems } = mcp('mcp: { sees: everything, may: [stop, send] }\n');
    expect(problems).toEqual([]);
    expect(policy.mcp).toEqual({ sees: 'everything', may: ['stop', 'send'] });
    expect(mcp('mcp: { may: send }\n').policy.mcp).toEqual({ sees: 'project', may: ['send'] });
  });

  it('lets a project narrow what is seen, and widen nothing', () => {
    const narrowed = mcp('mcp: { sees: everything, may: stop }\n', 'mcp: { sees: nothing }\n');
    expect(narrowed.policy.mcp).toEqual({ sees: 'nothing', may: ['stop'] });
    expect(narrowed.problems).toEqual([]);
    for (const said of ['sees: everything', 'may: stop', 'sees: project, may: [send]']) {
      const { policy, problems } = mcp('rules: [{ tools: Bash, decision: ask }]\n', `mcp: { ${said} }\n`);
      expect(policy.mcp).toEqual({ sees: 'project', may: [] });
      expect(problems.map(({ code, line }) => [code, line])).toEqual([['loosens', 2]]);
    }
  });

  it('widens nothing if any file has a mistake', () => {
    expect(mcp('mcp: { sees: everything, may: stop }\nrules: 7\n').policy.mcp).toEqual({ sees: 'project', may: [] });
    const { policy } = mcp('mcp: { sees: everything, may: stop }\n', 'rules: 7\n');
    expect(policy.mcp).toEqual({ sees: 'project', may: [] });
    expect(mcp('mcp: { sees: nothing }\nrules: 7\n').policy.mcp?.sees).toBe('nothing');
  });

  it.each(['mcp: {}', 'mcp: all', 'mcp: { sees: all }', 'mcp: { may: [] }', 'mcp: { may: approve }'])(
    'finds the mistake in %s',
    (text) => {
      const { policy, problems } = mcp(`${text}\n`);
      expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
      expect(policy.mcp?.may ?? []).toEqual([]);
    },
  );
});

describe('budgets', () => {
  it('reads all that can be said', () => {
    const { policy, problems } = compile(`version: 1
budgets:
  - { name: research, agents: { type: researcher }, per: agent, tokens: 300k, turns: 60, minutes: 20, warn: 90% }
  - { name: a session, per: session, usd: 5, on_limit: ask, grace: 2 }
  - { name: today, per: day, project: ~/code/shop, usd: 40, tokens: 1.5M, count: [input, cache_read] }
  - { name: fan-out, per: session, agents_at_once: 6, depth: 3, spawns: 40, tool_calls: 0 }
`);
    expect(problems).toEqual([]);
    const file = '/home/dev/.config/troupe/policy.yaml';
    const plain = { scope: 'user', agents: null, project: null, warn: 0.8, onLimit: 'deny', grace: 0 };
    const counted = ['input', 'output', 'cache_write'];
    expect(policy.budgets).toEqual([
      {
        ...{ ...plain, id: 'user:budget:1', place: { file, line: 3 }, name: 'research', per: 'agent', warn: 0.9 },
        ...{ agents: { type: ['researcher'] }, limits: { tokens: 300_000, turns: 60, minutes: 20 }, count: counted },
      },
      {
        ...{ ...plain, id: 'user:budget:2', place: { file, line: 4 }, name: 'a session', per: 'session' },
        ...{ limits: { usd: 5 }, count: counted, onLimit: 'ask', grace: 2 },
      },
      {
        ...{ ...plain, id: 'user:budget:3', place: { file, line: 5 }, name: 'today', per: 'day' },
        ...{ project: ['/home/dev/code/shop', '/home/dev/code/shop'], limits: { usd: 40, tokens: 1_500_000 } },
        count: ['input', 'cache_read'],
      },
      {
        ...{ ...plain, id: 'user:budget:4', place: { file, line: 6 }, name: 'fan-out', per: 'session', count: counted },
        limits: { agents_at_once: 6, depth: 3, spawns: 40, tool_calls: 0 },
      },
    ]);
  });

  it("holds those of a project beside the person's own, for sessions of that project", () => {
    const file = (usd: number) => `version: 1\nbudgets: [{ name: x, per: day, usd: ${usd} }]\n`;
    const { policy, problems } = compilePolicy(options(source('user', file(5)), source('project', file(50))));
    expect(problems).toEqual([]);
    expect(policy.budgets?.map(({ id, limits, project }) => [id, limits.usd, project])).toEqual([
      ['user:budget:1', 5, null],
      ['project:budget:1', 50, ['/home/dev/work/app', '/home/dev/work/app/**']],
    ]);
  });

  it('keeps the good ones when another has a mistake, and asks about everything else', () => {
    const text = 'version: 1\nbudgets:\n  - { name: x, per: day, usd: 5 }\n  - { name: y, per: day, usd: 5 USD }\n';
    const { policy } = compile(text);
    expect(policy.budgets?.map(({ name }) => name)).toEqual(['x']);
    expect(policy.rules[0]?.id).toBe('user:error');
  });
});

describe('presets', () => {
  it.each(PRESET_NAMES)('%s has no mistake, and only denies', (name) => {
    const preset = listPresets().find((one) => one.name === name);
    const { problems } = compile(`version: 1\n${preset?.text}`);
    expect(problems).toEqual([]);
    const { policy } = compile(`version: 1\npresets: ${name}\n`);
    expect(policy.rules.length).toBeGreaterThan(0);
    for (const { decision, reason } of policy.rules) expect([decision, reason === null]).toEqual(['deny', false]);
  });

  it('are included once, however often they are named', () => {
    const text = 'version: 1\npresets: no-network\n';
    const { policy } = compilePolicy(options(source('user', text), source('project', text)));
    expect(policy.rules.map(({ id }) => id)).toEqual(['preset:no-network:1']);
  });
});

describe('compilePolicy for one call', () => {
  const brief = (text: string, scope: 'user' | 'project') => {
    const { policy, ...others } = compilePolicy({ ...options(source(scope, text)), isBrief: true });
    const { repeats = [], ...rest } = policy;
    return { read: repeats.length, compiled: { ...others, policy: { ...rest, rules: rulesAbout(policy, null) } } };
  };
  const whole = (text: string, scope: 'user' | 'project') => compilePolicy(options(source(scope, text)));

  const command = fc.constantFrom(
    ...[
      'git push:*',
      'Make all',
      'x',
      './run *',
      'npm run a:b',
      'rm -rf /:*',
      'a=b c',
      'x:* y',
      '*',
      ' ',
      'a, b',
      "it's",
      'é:*',
      'a # b',
    ],
    ...['a: b', 'x)', '"x"', 'x'.repeat(70)],
  );
  const rule = fc.oneof(
    ...[
      (tool: string) => `{ tools: "Bash(${tool})", decision: deny }`,
      (tool: string) => `{ agents: { type: coder }, tools: Bash(${tool}), decision: ask, inject_identity: true }`,
      (tool: string) => `tools: ['Bash(${tool})']\n    decision: ask # one\n`,
      (tool: string) => `decision: deny\n    tools:\n    - Bash(${tool})\n    - Edit(src/**)`,
      (tool: string) => `decision: allow\n    tools: Bash(${tool})\n  # Bash(x:*)`,
      (tool: string) => `{ tools: Edit, decision: deny } # Bash(${tool})`,
      (tool: string) => `decision: ask\n    wait: 5m\n    reason: not Bash(${tool})`,
      (tool: string) => `decision: deny\n  - tools: Bash(${tool})\n    decision: deny`,
      (tool: string) => `decision: deny\n  -\n    tools: Bash(${tool})\n    decision: deny`,
    ].map((print) => command.map(print)),
  );
  const good = fc.constantFrom('{ tools: "Bash(x:*)", decision: deny }', 'tools: Bash(y z)\n    decision: ask');
  const end = fc.constantFrom(
    '',
    'opaque: deny\n',
    'tools:\n  - { tools: "Bash(x:*)", decision: deny }\n',
    '  x\n',
    'on_error: none',
  );

  it('gives the rules, problems and settings that a whole compilation gives', () => {
    let read = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: rule }), {
          minLength: 20,
          maxLength: 90,
        }),
        fc.array(command, { minLength: 1, maxLength: 3 }),
        end,
        fc.constantFrom('user', 'project'),
        (rules, [tool = 'x'], last, scope) => {
          const list = rules.map((one, at) => `  - ${one.replace('(x', `(${at % 3 === 0 ? 'x' : `Tool-${at}`}`)}\n`);
          const text = `version: 1\ndefaults: { main: allow }\nrules:\n${list.join('').replace('y z', tool)}${last}`;
          const found = brief(text, scope);
          if (found.read > 0) read++;
          expect(found.compiled, text).toEqual(whole(text, scope));
        },
      ),
      { numRuns: runsOf(300) },
    );
    expect(read).toBeGreaterThan(20);
  });

  it('reads again only what names a command of the call', () => {
    const list = Array.from({ length: 60 }, (_, at) => `  - { tools: "Bash(Tool-${at} x:*)", decision: deny }\n`).join(
      '',
    );
    const { policy } = compilePolicy({ ...options(source('user', `version: 1\nrules:\n${list}`)), isBrief: true });
    expect(policy.rules.map(({ id }) => id)).toEqual(['user:1', 'user:60']);
    const ids = rulesAbout(policy, new Set(['tool-7', 'tool-50', 'git'])).map(({ id }) => id);
    expect(ids).toEqual(['user:1', 'user:8', 'user:51', 'user:60']);
  });
});
