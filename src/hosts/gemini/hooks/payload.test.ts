import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { recordedHooks } from '../../testing/recorded-hooks.ts';
import { hookSettings, hooks } from './index.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

describe.each(['0.35.3', '0.61.0'])('Gemini CLI %s', (version) => {
  const payloads = recordedHooks(`${fixtures}${version}.jsonl`);
  const calls = payloads.filter(({ hook_event_name }) => hook_event_name === 'BeforeTool');

  it('no call says who makes it', () => {
    for (const payload of calls) {
      expect(hooks.read(payload)).toMatchObject({
        session: `gemini:${payload['session_id']}`,
        caller: { named: 'nobody' },
      });
      expect(hooks.callerOf(payload)).toEqual({
        agent: null,
        ancestors: [],
        reason: 'Gemini CLI does not say which agent calls',
        project: '/home/dev/project',
      });
    }
  });

  it('tools have the names that rules use', () => {
    const tools = new Set(calls.map((payload) => hooks.read(payload)?.call?.tool));
    for (const tool of ['Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob', 'LS', 'WebFetch', 'WebSearch'])
      expect(tools).toContain(tool);
  });

  it('a command may be told to run elsewhere', () => {
    const elsewhere = calls.find((payload) => JSON.stringify(payload['tool_input']).includes('"pwd"'));
    expect(hooks.read(elsewhere)).toMatchObject({ cwd: '/home/dev/project/src', call: { subject: 'pwd' } });
  });

  it('the end of the session is kept, and nothing else', () => {
    // 0.35 tells of it twice.
    const told = payloads.map(hooks.condense).filter((one) => one !== undefined);
    expect(told).toEqual(version === '0.35.3' ? [{ closes: true }, { closes: true }] : [{ closes: true }]);
  });
});

it('agents are asked for, and tools of servers have the names of both', () => {
  const [call = {}] = recordedHooks(`${fixtures}0.61.0.jsonl`);
  const ask = { ...call, tool_name: 'invoke_agent', tool_input: { agent_name: 'generalist', prompt: 'p' } };
  expect(hooks.read(ask)?.call).toMatchObject({ tool: 'Agent', spawns: true, input: { subagent_type: 'generalist' } });
  const served = { ...call, tool_name: 'mcp_db_query', mcp_context: { server_name: 'db', tool_name: 'query' } };
  expect(hooks.read(served)?.call?.tool).toBe('mcp__db__query');
});

it('an ask is a no: older versions take it for a yes', () => {
  const say = (decision: 'allow' | 'ask' | 'deny' | 'none', input?: unknown): unknown => {
    const text = hooks.formatAnswer({ decision, reason: 'So.', ...(input !== undefined && { input }) });
    return text === '' ? '' : JSON.parse(text);
  };
  expect(say('deny')).toEqual({ decision: 'deny', reason: 'So.' });
  expect(say('ask')).toMatchObject({ decision: 'deny' });
  expect(say('allow')).toEqual({ decision: 'allow', reason: 'So.' });
  expect(say('none')).toBe('');
  const given = { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { command: 'x' } } };
  expect(say('none', { command: 'x' })).toEqual(given);
  expect(say('allow', { command: 'x' })).toEqual({ decision: 'allow', reason: 'So.', ...given });
});

describe('its settings', () => {
  it('may have comments, which stay', () => {
    const text = '{\n  // mine\n  "ui": { "theme": "dark" }\n}\n';
    expect(hookSettings.problemIn(text)).toBeUndefined();
    const after = hookSettings.install(text, '0.61.0', { observe: 'o', guard: 'g' });
    expect(after).toContain('// mine');
    expect(after).toContain('"BeforeTool"');
    expect(hookSettings.problemIn('{ "a": 1, }')).toBe('it is not valid JSON');
  });

  it('count in milliseconds, and may switch all hooks off', () => {
    const entered = JSON.parse(hookSettings.install('', '0.61.0', { observe: 'o', guard: 'g' })).hooks;
    expect(entered.BeforeTool[0].hooks[0]).toEqual({ type: 'command', command: 'g', timeout: 3_660_000 });
    expect(hookSettings.inspect('{"hooksConfig":{"enabled":false}}').allOff).toBe(true);
    expect(hookSettings.inspect('{"tools":{"enableHooks":true}}').allOff).toBe(false);
    expect(hookSettings.inspect('{}')).not.toHaveProperty('allOff');
    expect(hookSettings.eventsFor('0.25.2')).toEqual([]);
  });
});
