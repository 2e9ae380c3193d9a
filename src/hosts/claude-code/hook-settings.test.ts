import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHookCommand } from '../../core/index.ts';
import { runsOf } from '../../lib/testing/seed.ts';
import { handlersIn } from '../shared/index.ts';
import { eventsOf, hookSettings, OBSERVED } from './hook-settings.ts';

const { install: planInstall, uninstall: planUninstall, inspect, problemIn } = hookSettings;

const NEW = '2.1.325';
const commandsOf = (version: string, folder = '/home/dev/.local/state/troupe') => ({
  observe: formatHookCommand({ role: 'observe', file: `${folder}/bin/observe`, version }, 'claude-code'),
});
const withGuard = (version: string) => ({
  ...commandsOf(version),
  guard: formatHookCommand({ role: 'guard', file: '/home/dev/.local/state/troupe/bin/guard', version }, 'claude-code'),
});
const install = (text: string, hostVersion = NEW): string => planInstall(text, hostVersion, commandsOf('0.1.0'));
const lines = (...all: string[]): string => all.join('\n');

describe('installing', () => {
  it('writes a file where there is none', () => {
    const text = install('', '1.0.60');
    expect(Object.keys(JSON.parse(text).hooks)).toEqual(eventsOf('1.0.60'));
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('adds to what is there, in its own layout', () => {
    const before = lines(
      '{',
      '    "model": "opus",',
      '    "hooks": {',
      '        "Stop": [',
      '            { "hooks": [ { "type": "command", "command": "say done" } ] }',
      '        ]',
      '    }',
      '}',
      '',
    );
    const after = install(before, '1.0.60');
    expect(after.slice(0, after.indexOf('{ "hooks": [ { "type"'))).toBe(
      before.slice(0, before.indexOf('{ "hooks": [ { "type"')),
    );
    expect(JSON.parse(after).hooks.Stop).toHaveLength(2);
    expect(after).toContain('\n        "PreToolUse": [\n            {\n                "hooks": [');
  });

  it('keeps a text on one line, a mark in front, and the line ends of Windows', () => {
    expect(install('{"model":"opus"}', '1.0.60')).toMatch(/^\{"model":"opus","hooks":\{"UserPromptSubmit":\[\{"hooks"/);
    expect(install('\ufeff{}')).toMatch(/^\ufeff\{\n/);
    const windows = install('{\r\n\t"model": "opus"\r\n}\r\n');
    expect(windows.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(windows).toContain('\r\n\t"hooks": {\r\n\t\t"SessionStart"');
  });

  it('writes only events that the version knows, and async only where it is known', () => {
    for (const [event, since] of Object.entries(OBSERVED)) {
      expect(JSON.parse(install('', since)).hooks).toHaveProperty(event);
      const [major, minor, patch] = since.split('.').map(Number);
      const older = `${major}.${minor}.${(patch ?? 0) - 1}`;
      expect(JSON.parse(install('', older)).hooks ?? {}).not.toHaveProperty(event);
    }
    expect(install('', '2.1.14')).not.toContain('async');
    for (const event of ['SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'])
      expect(JSON.parse(install('')).hooks[event][0].hooks[0]).not.toHaveProperty('async');
    expect(JSON.parse(install('', '2.1.15')).hooks.PreToolUse[0].hooks[0].async).toBe(true);
  });

  it('never asks for worktrees: whoever answers that event makes them', () => {
    for (const version of ['2.1.50', NEW, '9.9.9']) expect(install('', version)).not.toContain('Worktree');
  });

  it('is done once', () => {
    const once = install('{"hooks":{}}');
    expect(install(once)).toBe(once);
  });

  it('replaces what an older troupe wrote where it stands, and takes away what is not wanted any more', () => {
    const before = planInstall('{\n  "a": 1\n}', NEW, commandsOf('0.0.9', '/old')).replace(
      '"SubagentStop"',
      '"Elicitation": [{"hooks": [{"type": "command", "command": "mine"}]}],\n    "SubagentStop"',
    );
    const after = install(before, '2.0.76');
    expect(inspect(after).ours.map(({ version }) => version)).toEqual(eventsOf('2.0.76').map(() => '0.1.0'));
    expect(Object.keys(JSON.parse(after).hooks).filter((event) => event !== 'Elicitation')).toEqual(eventsOf('2.0.76'));
    expect(JSON.parse(after).hooks.Elicitation[0].hooks[0].command).toBe('mine');
  });

  it('puts the guard alone in front of calls', () => {
    const guarded = planInstall(install(''), NEW, withGuard('0.1.0'));
    const before = handlersIn(guarded).filter(({ event }) => event === 'PreToolUse');
    expect(before).toHaveLength(1);
    expect(inspect(guarded).ours.filter(({ role }) => role === 'guard')).toHaveLength(1);
    expect(before[0]?.value).not.toHaveProperty('async');
    expect(install(guarded)).toBe(install(''));
  });

  it('finds its own when somebody moved them, and leaves the others in their group', () => {
    const own = commandsOf('0.0.9').observe;
    const before = JSON.stringify({
      hooks: {
        Stop: [
          {
            hooks: [
              { type: 'command', command: 'a' },
              { type: 'command', command: own },
            ],
          },
          { hooks: [{ type: 'command', command: own }] },
        ],
      },
    });
    const after = JSON.parse(install(before));
    expect(after.hooks.Stop).toHaveLength(1);
    expect(after.hooks.Stop[0].hooks).toHaveLength(2);
    expect(JSON.parse(planUninstall(before)).hooks.Stop).toEqual([{ hooks: [{ type: 'command', command: 'a' }] }]);
  });

  it('works on the last of two that have the same name, as the host does', () => {
    const after = install('{"hooks":{"Stop":[]},"hooks":{}}');
    expect(JSON.parse(after).hooks.Stop).toHaveLength(1);
    expect(after.startsWith('{"hooks":{"Stop":[]},"hooks":{')).toBe(true);
  });
});

describe('texts that the host would not take', () => {
  it.each([
    ['{"a": 1', 'not valid JSON'],
    ['{\n  // mine\n  "a": 1\n}', 'comment or a comma too many'],
    ['{"a": 1,}', 'comment or a comma too many'],
    ['[]', 'does not hold an object'],
    ['{"hooks": []}', '"hooks" is not an object'],
    ['{"hooks": {"Stop": {}}}', 'hooks for "Stop"'],
    ['{"hooks": {"Stop": [{"command": "x"}]}}', 'hooks for "Stop"'],
  ])('%j', (text, words) => expect(problemIn(text)).toContain(words));

  it('has no complaint about the rest', () => {
    for (const text of ['{}', '\ufeff{}', '{"hooks":{"NoSuchEvent":[]}}', install('{"a":1}')])
      expect(problemIn(text)).toBeUndefined();
  });
});

describe('uninstalling', () => {
  it('leaves what others wrote since, comments and all', () => {
    const after = install('{\n  "a": 1\n}\n')
      .replace('"a": 1,', '"a": 1, // mine')
      .replace('"hooks": {', '"hooks": {\n    /* here */ "Elicitation": [],');
    expect(planUninstall(after)).toBe(
      lines('{', '  "a": 1, // mine', '  "hooks": {', '    /* here */ "Elicitation": []', '  }', '}', ''),
    );
  });

  it('keeps what stood there empty before we came', () => {
    const before = '{"hooks":{"Stop":[]}}';
    expect(planUninstall(install(before), before)).toBe(before);
    expect(planUninstall(install(before))).toBe('{}');
  });

  it('changes nothing where nothing is ours', () => {
    for (const text of ['', '{"hooks":{}}', '{ broken', '{"hooks":{"Stop":[]}}'])
      expect(planUninstall(text)).toBe(text);
  });

  it('gives the very bytes back, whatever the layout', () => {
    fc.assert(
      fc.property(settingsTexts, fc.constantFrom('1.0.60', '2.0.76', NEW), fc.boolean(), (text, version, guard) => {
        const after = planInstall(text, version, guard ? withGuard('0.1.0') : commandsOf('0.1.0'));
        expect(inspect(after).ours).toHaveLength(eventsOf(version).length);
        expect(withoutOurs(JSON.parse(after.replace(/^\ufeff/, '')))).toEqual(JSON.parse(text.replace(/^\ufeff/, '')));
        expect(planInstall(after, version, guard ? withGuard('0.1.0') : commandsOf('0.1.0'))).toBe(after);
        expect(planUninstall(after, text)).toBe(text);
      }),
      { numRuns: runsOf(300) },
    );
  });
});

/** By values instead of texts: a second opinion on what is left. */
function withoutOurs(settings: { hooks?: Record<string, { hooks: { command?: string }[] }[]> }): unknown {
  const hooks = Object.entries(settings.hooks ?? {}).map(([event, groups]) => [
    event,
    groups.filter(({ hooks }) => !hooks.some(({ command }) => command?.includes('# troupe'))),
  ]);
  const left = Object.fromEntries(hooks.filter(([, groups]) => groups?.length));
  const { hooks: _hooks, ...rest } = settings;
  return Object.keys(left).length > 0 ? { ...rest, hooks: left } : rest;
}

const handler = fc.record(
  { type: fc.constant('command'), command: fc.string(), timeout: fc.nat(600) },
  { requiredKeys: ['type', 'command'] },
);
const group = fc.record(
  { matcher: fc.string(), hooks: fc.array(handler, { minLength: 1, maxLength: 3 }) },
  { requiredKeys: ['hooks'] },
);
const hooks = fc.dictionary(
  fc.constantFrom('PreToolUse', 'Stop', 'SubagentStart', 'Elicitation', 'WorktreeCreate'),
  fc.array(group, { minLength: 1, maxLength: 3 }),
  { minKeys: 1 },
);
const settings = fc
  .record({ rest: fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 4 }), hooks: fc.option(hooks) })
  .map(({ rest: { hooks: _hooks, ...rest }, hooks }) => ({
    ...(hooks ? {} : { a: 1 }),
    ...rest,
    ...(hooks && { hooks }),
  }));
/** Texts that the host reads: laid out in many ways, with the names in any order. */
const settingsTexts = fc
  .tuple(
    settings,
    fc.constantFrom(undefined, ' ', '  ', '    ', '\t'),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom('', '\n', '\n\n', ' '),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([value, indent, eol, mark, end, isTurned, isAiry]) => {
    const ordered = isTurned ? Object.fromEntries(Object.entries(value).reverse()) : value;
    const text = JSON.stringify(ordered, null, indent).replaceAll('\n', eol);
    const airy = isAiry && indent === undefined ? `{ ${text.slice(1, -1)} }` : text;
    return mark + airy + end;
  });

describe('a file with events that the program does not know', () => {
  const text = install('', '2.1.325');

  it('is read by none up to 2.1.100', () => {
    expect(inspect(text, '2.1.100')).toMatchObject({ tooNew: ['PostToolBatch'], problem: expect.any(String) });
    expect(inspect(text, '2.0.76').problem).toContain('does not know PermissionDenied, PostToolBatch, TaskCreated');
    expect(inspect(text, '2.1.101')).not.toHaveProperty('problem');
    expect(inspect(text)).not.toHaveProperty('problem');
    expect(inspect(install('', '2.0.76'), '2.0.76')).not.toHaveProperty('problem');
  });

  it('is one also by entries of others', () => {
    expect(inspect('{"hooks":{"PostToolBatch":[]}}', '2.0.76').tooNew).toEqual(['PostToolBatch']);
    // An event that we do not observe may be known.
    expect(inspect('{"hooks":{"Setup":[]}}', '2.0.76')).not.toHaveProperty('problem');
  });
});

describe('a file that is nested too deep', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it('is refused, and brackets in texts do not count', () => {
    expect(problemIn(`{"a":${nested(5000)}}`)).toBe('it is nested more than 500 deep');
    expect(inspect(`{"a":${nested(5000)}}`)).toMatchObject({ problem: 'it is nested more than 500 deep', ours: [] });
    expect(problemIn(`{"a":${nested(499)}}`)).toBeUndefined();
    expect(problemIn(JSON.stringify({ a: '"[{\\'.repeat(1000), b: 'x'.repeat(1_000_000) }))).toBeUndefined();
  });
});
