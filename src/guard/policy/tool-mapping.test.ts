import { describe, expect, it, test } from 'vitest';
import { misfits } from '../../server/http/testing/validate.ts';
import { decide } from '../decide.ts';
import { preCheck, trialsFor } from '../pre-check.ts';
import { context, makeCall } from '../testing/make-call.ts';
import { usesOf } from '../uses-of.ts';
import { compilePolicy } from './compile.ts';
import { options, source } from './testing/sources.ts';

const RULES = 'rules: [{ tools: "Bash(rm:*)", decision: deny }, { tools: "Edit(/secret/**)", decision: deny }]\n';
const USER = (tools: string) => source('user', `version: 1\ntools: ${tools}\n${RULES}`);

function decisionOn(policy: ReturnType<typeof compilePolicy>['policy'], tool: string, input: object): string {
  const usesWith = (mappings = {}) => usesOf(tool, input, context(), mappings);
  return decide(policy, makeCall(tool, input, { usesWith })).decision;
}

describe('a mapping of tools', () => {
  const { policy, problems } = compilePolicy(
    options(
      USER(
        '{ mcp__ci__start: { command: [job.steps, extra], write: out }, mcp__notes__add: {}, "opencode:go": { url: to } }',
      ),
    ),
  );

  it('has no problems', () => expect(problems).toEqual([]));

  it.each([
    ['mcp__ci__start', { job: { steps: ['ls', 'rm -r x'] } }, 'deny'],
    ['mcp__ci__start', { job: { steps: ['rm', '-r', 'x'] } }, 'deny'],
    ['mcp__ci__start', { job: '{"steps":"rm x"}' }, 'deny'],
    ['mcp__ci__start', { extra: 'rm x' }, 'deny'],
    ['mcp__ci__start', { out: 'secret/a' }, 'deny'],
    ['mcp__ci__start', { job: { steps: ['ls'] }, out: 'dist' }, 'none'],
    // Inputs that the mapping does not name are plain data.
    ['mcp__ci__start', { command: 'rm x', path: 'secret/a' }, 'none'],
    ['mcp__notes__add', { command: 'rm x' }, 'none'],
    ['mcp__notes__other', { command: 'rm x' }, 'deny'],
  ])('judges %s %j', (tool, input, decision) => expect(decisionOn(policy, tool, input)).toBe(decision));

  it('makes a tool one that a rule may be about, though it was known to do nothing', () => {
    const sources = options(source('user', `version: 1\ntools: { "copilot:sql": { command: query } }\n${RULES}`));
    const mapped = compilePolicy(sources).policy;
    const event = {
      host: 'copilot',
      name: 'x',
      session: 'copilot:1',
      caller: { named: 'nobody' },
      call: { tool: 'copilot:sql', input: {}, spawns: false },
    } as unknown as Parameters<typeof preCheck>[0];
    const asked = (policyFor: typeof mapped) =>
      preCheck(
        event,
        trialsFor(event, {
          host: { formatAnswer: () => '' },
          caller: { agent: { id: 'a', kind: 'main', type: null, name: null, depth: 0 }, ancestors: [] },
          policyFor: () => policyFor,
          home: '/home/dev',
          at: 0,
        }),
      );
    expect(asked(mapped)).toBeUndefined();
    expect(decisionOn(mapped, 'copilot:sql', { query: 'rm x' })).toBe('deny');
  });

  test('of a project only adds', () => {
    const project = (text: string) => source('project', `version: 1\ntools: ${text}\n`);
    const own = source('user', `version: 1\n${RULES}`);
    const alone = compilePolicy(options(own, project('{ mcp__notes__add: { command: note } }'))).policy;
    expect(decisionOn(alone, 'mcp__notes__add', { note: 'rm x' })).toBe('deny');
    expect(decisionOn(alone, 'mcp__notes__add', { command: 'rm x' })).toBe('deny');
    const both = compilePolicy(
      options(USER('{ mcp__notes__add: {} }'), project('{ mcp__notes__add: { command: note } }')),
    ).policy;
    expect(decisionOn(both, 'mcp__notes__add', { note: 'rm x' })).toBe('deny');
    expect(decisionOn(both, 'mcp__notes__add', { command: 'rm x' })).toBe('none');
  });

  test('in a file with a mistake only adds', () => {
    const text = `version: 1\ntools: { mcp__notes__add: {} }\n${RULES}frobnicate: 1\n`;
    expect(
      decisionOn(compilePolicy(options(source('user', text))).policy, 'mcp__notes__add', { command: 'rm x' }),
    ).toBe('deny');
  });

  it.each([
    ['[]', 8, '`tools` must be `tool: inputs` lines.'],
    ['{}', 8, '`tools` is empty.'],
    ['{ Bash: { command: x } }', 10, '`Bash` cannot have a mapping.'],
    ['{ mcp__x__*: { command: x } }', 10, '`mcp__x__*` cannot have a mapping.'],
    ['{ mcp__x__y: { comand: x } }', 23, '`mcp__x__y` has no `comand`; did you mean `command`?'],
    ['{ mcp__x__y: { command: "a b" } }', 32, '`command` must name an input.'],
    ['{ mcp__x__y: { command: a..b } }', 32, '`command` must name an input.'],
    ['{ mcp__x__y: command }', 21, '`mcp__x__y` must be `key: value` lines'],
  ])('tools: %s is an error with its place', (tools, column, message) => {
    const { problems: found } = compilePolicy(options(USER(tools)));
    expect(found[0]).toMatchObject({ line: 2, column, severity: 'error' });
    expect(found[0]?.message).toContain(message);
  });

  test('fits the schema', () => {
    expect(misfits('policy', { version: 1, tools: { mcp__x__y: { command: ['a', 'b.c'], url: 'd' } } })).toBe('');
    expect(misfits('policy', { version: 1, tools: { Bash: {} } })).not.toBe('');
    expect(misfits('policy', { version: 1, tools: { mcp__x__y: { command: 'a b' } } })).not.toBe('');
  });
});
