import { describe, expect, it } from 'vitest';
import { formatHookCommand } from '../../core/index.ts';
import { hookSettings } from './hooks.ts';

const file = '/home/dev/.codex/hooks.json';
const guard = formatHookCommand(
  { role: 'guard', file: '/s/guard', version: '1.0.0', policy: '/c/policy.yaml' },
  'codex',
);
const observe = formatHookCommand({ role: 'observe', file: '/s/observe', version: '1.0.0' }, 'codex');
const install = (text: string, version = '0.166.0'): string => hookSettings.install(text, version, { observe, guard });

it('enters what a version knows, in hooks.json, and takes it out again', () => {
  const others = '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]\n  }\n}\n';
  const after = install(others);
  expect(Object.keys(JSON.parse(after).hooks)).toEqual(['Stop', 'PreToolUse', 'PermissionRequest', 'SessionEnd']);
  expect(hookSettings.inspect(after).ours.map(({ event, role, seconds }) => [event, role, seconds])).toEqual([
    ['PreToolUse', 'guard', 3_660],
    ['PermissionRequest', 'observe', 5],
    // It gives this one no more than three seconds.
    ['SessionEnd', 'observe', 3],
  ]);
  expect(hookSettings.uninstall(after, others)).toBe(others);
  expect(hookSettings.eventsFor('0.124.0')).toEqual(['PreToolUse', 'PermissionRequest']);
  expect(hookSettings.eventsFor('0.118.0')).toEqual([]);
});

describe('agreeing', () => {
  // As 0.166.0 keeps it (`/hooks`), for an entry with this very command.
  const text = JSON.stringify({
    hooks: {
      PreToolUse: [{ hooks: [{ type: 'command', command: "[ -x 'a' ] || b # troupe 1.0.0 observe", timeout: 20 }] }],
    },
  });
  const trusted = 'sha256:76fa0d1ee878d447e91eb2873204831230f0f8222495bb0ce11ee9c41bc1ae7d';
  const agreed = (hash: string, more = ''): string =>
    `model = "x"\n\n[hooks.state."${file}:pre_tool_use:0:0"]\n${more}trusted_hash = "${hash}"\n\n[other]\nx = 1\n`;
  const missing = (config: string, version = '0.166.0') =>
    hookSettings.approval?.missing({ file, text }, [config], version);

  it('is looked for under the place of the hook, by what it is', () => {
    expect(missing('')).toEqual(['PreToolUse']);
    expect(missing(agreed('sha256:other'))).toEqual(['PreToolUse']);
    expect(missing(agreed(trusted))).toEqual([]);
    expect(missing(agreed(trusted, 'enabled = false\n'))).toEqual(['PreToolUse']);
    expect(missing(`${agreed('sha256:other')}\n[more]\ntrusted_hash = "${trusted}"\n`)).toEqual(['PreToolUse']);
  });

  it('was not needed before 0.131', () => {
    expect(missing('', '0.124.0')).toEqual([]);
  });
});
