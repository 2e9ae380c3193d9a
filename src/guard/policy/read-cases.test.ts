import { describe, expect, it } from 'vitest';
import { readCases } from './read-cases.ts';

const read = (text: string) => readCases('table.yaml', new TextEncoder().encode(text));

describe('a table of calls', () => {
  it('has all that can be said of a call', () => {
    const { cases, problems } = read(`
- name: a pushed deploy
  agent: { kind: fork, type: coder, name: anna, depth: 3, under: [planner, lead] }
  tool: Edit
  input: { file_path: a.ts, lines: [1, 2] }
  cwd: app/src
  project: app
  host: opencode
  at: "2026-11-30T18:00Z"
  expect: ask
  rule: user:3
- { command: "ls\\npwd", expect: none }
- { agent: unknown, tool: mcp__x__y, expect: deny }
- { agent: main, tool: "opencode:todo", expect: deny }
`);
    expect(problems).toEqual([]);
    expect(cases).toEqual([
      {
        line: 2,
        name: 'a pushed deploy',
        call: {
          agent: { kind: 'fork', type: 'coder', name: 'anna', depth: 3, under: ['planner', 'lead'] },
          tool: 'Edit',
          input: { file_path: 'a.ts', lines: [1, 2] },
          cwd: 'app/src',
          project: 'app',
          host: 'opencode',
          at: Date.UTC(2026, 10, 30, 18),
        },
        expected: 'ask',
        expectedRule: 'user:3',
      },
      {
        line: 12,
        name: null,
        call: { agent: {}, tool: 'Bash', input: { command: 'ls\npwd' } },
        expected: 'none',
        expectedRule: null,
      },
      expect.objectContaining({ line: 13, call: { agent: null, tool: 'mcp__x__y', input: {} } }),
      expect.objectContaining({ line: 14, call: { agent: {}, tool: 'opencode:todo', input: {} } }),
    ]);
  });

  /** ▶ marks the place that must be named. */
  it.each([
    ['▶', 'A table is a list of calls, not nothing.'],
    ['▶[]', 'A table is a list of calls, not an empty list.'],
    ['▶version: 1', 'A table is a list of calls, not `key: value` lines.'],
    ['- ▶ls', 'A call must be `key: value` lines, not a text.'],
    ['- ▶{ command: ls }', 'What is expected is not said.'],
    ['- ▶{ expect: deny }', 'Which call is meant is not said.'],
    ['- { command: ls, expect: ▶denny }', '`expect` is `denny`; did you mean `deny`?'],
    ['- { command: ls, expect: ▶observed }', '`expect` is `observed`; it may be'],
    ['- { ▶comand: ls, tool: Bash, expect: deny }', 'A call has no `comand`; did you mean `command`?'],
    ['- { command: ls, ▶tool: Bash, expect: deny }', '`command` is a call of Bash: it has no `tool`.'],
    ['- { command: ls, ▶input: {}, expect: deny }', '`command` is a call of Bash: it has no `input`.'],
    ['- { tool: ▶"Bash(ls)", expect: deny }', '`tool` is `Bash(ls)`, which is no tool.'],
    ['- { tool: Edit, input: ▶x, expect: deny }', '`input` must be `key: value` lines, not a text.'],
    ['- { command: ls, agent: ▶reviewer, expect: deny }', '`agent` is `reviewer`; it may be `main` or `unknown`.'],
    ['- { command: ls, agent: { kind: ▶subagent }, expect: deny }', '`kind` is `subagent`'],
    ['- { command: ls, agent: { type: x, depth: ▶">=2" }, expect: deny }', '`depth` must be a whole number.'],
    ['- { command: ls, agent: ▶{ type: x, depth: 0 }, expect: deny }', 'There is no such agent. Only the main'],
    ['- { command: ls, agent: ▶{ under: [a, b], depth: 2 }, expect: deny }', 'There is no such agent. Below main'],
    ['- { command: ls, at: ▶"2026-11-30", expect: deny }', '`at` is no moment.'],
    ['- { command: ls, expect: deny }\n- { command: ls, expect: ▶all }', '`expect` is `all`'],
    ['- { command: ls, expect: deny, ▶expect: allow }', '`expect` is there twice.'],
    ['- ▶"ls', 'This is no YAML'],
  ])('says what is wrong, and where: %s', (marked, message) => {
    const offset = marked.indexOf('▶');
    const { cases, problems } = read(marked.replace('▶', ''));
    expect(cases).toEqual([]);
    expect(problems.map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
    if (message === 'This is no YAML') return;
    const before = marked.slice(0, offset).split('\n');
    expect(problems).toContainEqual(
      expect.objectContaining({ line: before.length, column: (before.at(-1) ?? '').length + 1 }),
    );
  });
});
