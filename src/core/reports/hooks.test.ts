import { describe, expect, it } from 'vitest';
import { formatHookCommand, parseHookCommand } from './hooks.ts';

describe('a hook command', () => {
  it.each(['observe', 'guard'] as const)('is recognised as it was written (%s)', (role) => {
    const own = { role, file: "/home/o'neil/state dir/bin/it", version: '0.1.0' };
    expect(parseHookCommand(formatHookCommand(own, 'a-host'), 'a-host')).toEqual({ ...own, isAsWritten: true });
  });

  it('is recognised together with its policy file', () => {
    const own = { role: 'guard', file: '/s/bin/guard', version: '0.1.0', policy: "/home/o'neil/policy.yaml" } as const;
    const command = formatHookCommand(own, 'a-host');
    expect(parseHookCommand(command, 'a-host')).toEqual({ ...own, isAsWritten: true });
    expect(parseHookCommand(command.replace('exit 2', 'exit 0'), 'a-host')).toMatchObject({ isAsWritten: false });
  });

  it('is recognised as changed when someone edited it', () => {
    const command = formatHookCommand({ role: 'observe', file: '/s/bin/observe', version: '0.1.0' }, 'a-host');
    for (const changed of [
      command.replace(/exec .* # /, 'exec /bin/true # '),
      command.replace(/; exec .* # /, '; : # '),
      command.replace('cat > /dev/null; ', ''),
      command.replace('a-host', 'another'),
      command.replace('observe #', 'observe2 #').replace('exec ', 'exec  '),
    ]) {
      expect(changed).not.toBe(command);
      expect(parseHookCommand(changed, 'a-host')).toMatchObject({ file: '/s/bin/observe', isAsWritten: false });
    }
    expect(parseHookCommand('echo # troupe 0.1.0 observe', 'a-host')).toBeUndefined();
    expect(parseHookCommand(`${command}; rm x`, 'a-host')).toBeUndefined();
  });
});
