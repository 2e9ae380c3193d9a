// Calls and policies at random: commands put into each other, shells' alphabet soup, rules of every kind.

import fc from 'fast-check';
import type { AgentSelector, Decision, GuardedAgent, GuardedCall, Policy, Rule } from '../policy.ts';
import { main, makeCall, policy, rule, task } from './make-call.ts';

/** Each runs the command that it is given, in one way or another. */
const AROUND: readonly ((command: string) => string)[] = [
  (command) => `ls; ${command}`,
  (command) => `ls && ${command}`,
  (command) => `ls | ${command}`,
  (command) => `${command} | cat`,
  (command) => `( ${command}\n)`,
  (command) => `{ ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `for i in a b; do ${command}\ndone`,
  (command) => `while ${command}\ndo break; done`,
  (command) => `case a in a) ${command}\n;; esac`,
  (command) => `f() { ${command}\n}; f`,
  (command) => `echo "a $(${command}\n) b"`,
  (command) => `x=$(${command}\n)`,
  (command) => `cat <(${command}\n)`,
  (command) => `cat <<EOF\n$(${command}\n)\nEOF`,
  (command) => `[[ -n $(${command}\n) ]]`,
  (command) => `echo $((1 + $(${command}\n)))`,
  (command) => `sh -c ${quote(command)}`,
  (command) => `bash -euc ${quote(command)} name`,
  (command) => `eval ${quote(command)}`,
  (command) => `trap ${quote(command)} EXIT`,
  (command) => `find . -exec sh -c ${quote(command)} \\;`,
  (command) => `ls | xargs -n 1 sh -c ${quote(command)}`,
  (command) => `sudo -u me timeout 5 bash -c ${quote(command)}`,
  (command) => `ssh host ${quote(command)}`,
  (command) => `git -c alias.x=${quote(`!${command}`)} x`,
  (command) => `GIT_SSH_COMMAND=${quote(command)} git fetch`,
  (command) => `cd src && ${command}`,
  (command) => `! time ${command}`,
  (command) => `${command} > out 2>&1`,
];

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `inner` somewhere inside constructs inside constructs. */
export function hiding(inner: string): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...AROUND), { minLength: 1, maxLength: 5 })
    .map((layers) => layers.reduce((command, around) => around(command), inner));
}

const SOUP = [
  ...[
    'rm',
    'ls',
    'git',
    'push',
    'npm',
    'test',
    '-rf',
    'x',
    'sudo',
    'env',
    'sh',
    '-c',
    'find',
    '-exec',
    '{}',
    'eval',
    'cd',
  ],
  ...[
    '..',
    '~',
    '.env',
    '/',
    '*',
    '?',
    '[a]',
    '$x',
    '$',
    '@',
    '(',
    ')',
    '{',
    '}',
    '[[',
    ']]',
    '((',
    '))',
    '<',
    '>',
    '>>',
    '&',
  ],
  ...[
    '&&',
    '|',
    '||',
    ';',
    ';;',
    '\n',
    ' ',
    ' ',
    ' ',
    '"',
    "'",
    '`',
    '\\',
    '$(',
    '#',
    '!',
    '=',
    'A=1',
    'if',
    'then',
    'fi',
    'for',
  ],
  ...[
    'in',
    'do',
    'done',
    'case',
    'esac',
    'function',
    'f()',
    '<<EOF',
    'EOF',
    '<<<',
    "$'",
    '\\x72',
    ':-',
    ',',
    'é',
    '\u0000',
    '\r',
  ],
];

const soup = fc.array(fc.constantFrom(...SOUP), { maxLength: 24 }).map((tokens) => tokens.join(''));
const words = fc.array(fc.constantFrom('rm', 'ls', 'git push', 'npm test', 'cat .env', 'echo $x', 'x=1'), {
  minLength: 1,
  maxLength: 4,
});

export const commands: fc.Arbitrary<string> = fc.oneof(
  soup,
  words.map((list) => list.join('; ')),
  words.chain((list) => hiding(list.join('\n'))),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const PATTERNS = [
  ...[
    'Bash',
    'Bash(*)',
    'Bash(rm:*)',
    'Bash(ls *)',
    'Bash(git push:*)',
    'Bash(npm test)',
    'Bash(* x)',
    'Bash(sh:*)',
    'Bash(find:*)',
  ],
  ...[
    'Edit',
    'Edit(src/**)',
    'Edit(//**)',
    'Write(x)',
    'Read',
    'Read(.env)',
    'Read(~/**)',
    'Read(/**)',
    'WebFetch',
    'Grep',
  ],
  ...[
    'WebFetch(domain:example.com)',
    'Agent(Explore)',
    'Task',
    'mcp__x',
    'mcp__x__*',
    'opencode:todo',
    '*',
    'Bash()',
    'Edit([)',
    'Bash("a b)',
  ],
];

const selectors: fc.Arbitrary<AgentSelector> = fc.record(
  {
    kind: fc.subarray(['main', 'task', 'subagent'], { minLength: 1 }),
    type: fc.subarray(['Explore', 'coder', '*'], { minLength: 1 }),
    depth: fc.record({ min: fc.integer({ min: 0, max: 3 }), max: fc.constant(null) }),
    under: fc.record({ type: fc.constant(['Explore']) }),
    host: fc.constantFrom(['claude-code'], ['opencode']),
    project: fc.constantFrom(['/p/**'], ['/q']),
  },
  { requiredKeys: [] },
);

const decisions = fc.constantFrom<Decision>('allow', 'ask', 'deny', 'none');

export const rules: fc.Arbitrary<Rule> = fc
  .record({
    decision: decisions,
    tools: fc.subarray(PATTERNS, { maxLength: 3 }),
    agents: fc.option(selectors),
    scope: fc.constantFrom('preset', 'user', 'project', 'local'),
    despiteAncestors: fc.boolean(),
    when: fc.option(
      fc.record({
        days: fc.option(fc.subarray([0, 1, 6])),
        minutes: fc.constantFrom(null, [0, 720], [1200, 300]),
        from: fc.constant(null),
        until: fc.constant(null),
      }),
      { freq: 5 },
    ),
  })
  .map(({ decision, tools, ...changes }) => rule(decision, tools, changes as Partial<Rule>));

export const policies: fc.Arbitrary<Policy> = fc
  .tuple(fc.array(rules, { maxLength: 6 }), fc.record({ main: decisions, subagent: decisions, unknown: decisions }))
  .map(([list, defaults]) => policy(list, defaults));

const agents: fc.Arbitrary<Pick<GuardedCall, 'agent' | 'ancestors'>> = fc.constantFrom<{
  agent: GuardedAgent | null;
  ancestors: GuardedAgent[];
}>(
  { agent: main, ancestors: [] },
  { agent: null, ancestors: [] },
  { agent: task('Explore'), ancestors: [main] },
  { agent: task('coder', 2), ancestors: [main, task('Explore')] },
  { agent: task('coder', 3), ancestors: [] },
  { agent: { kind: 'task', type: null, name: null, depth: null }, ancestors: [] },
);

const inputs: fc.Arbitrary<readonly [string, unknown]> = fc.oneof(
  { weight: 6, arbitrary: commands.map((command) => ['Bash', { command }] as const) },
  fc
    .tuple(
      fc.constantFrom('Read', 'Edit', 'Write', 'LS', 'NotebookEdit'),
      fc.constantFrom('src/a', '/etc/x', '~/a', '../x', '', '.env'),
    )
    .map(([tool, path]) => [tool, { file_path: path, path, notebook_path: path }] as const),
  fc.constantFrom(
    ['Grep', { pattern: 'x', glob: '*' }] as const,
    ['Glob', { pattern: '/**' }] as const,
    ['Agent', { subagent_type: 'Explore' }] as const,
  ),
  fc.tuple(
    fc.constantFrom('Bash', 'Read', 'Edit', 'WebFetch', 'Grep', 'Agent', 'mcp__x__y', 'opencode:todo', ''),
    fc.anything(),
  ),
);

export const calls: fc.Arbitrary<GuardedCall> = fc
  .tuple(inputs, agents, fc.constantFrom(0, Number.NaN, 1_794_744_000_000))
  .map(([[tool, input], who, at]) => makeCall(tool, input, { ...who, at }));
