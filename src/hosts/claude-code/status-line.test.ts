import { describe, expect, it } from 'vitest';
import { statusLine } from './status-line.ts';

const FILE = '/home/dev/.local/state/troupe/bin/statusline';

describe('the status line in the settings', () => {
  it.each([
    ['no file', ''],
    ['an empty object', '{}\n'],
    ['hooks only', '{\n    "hooks": {},\n    "model": "opus"\n}\n'],
    [
      'a command',
      '{\n  "statusLine": { "type": "command", "command": "~/my line.sh --a \'b c\'", "padding": 2 },\n  "x": 1\n}',
    ],
    ['a spread command', '{\n\t"statusLine": {\n\t\t"type": "command",\n\t\t"command": "echo hi"\n\t}\n}\n'],
    ['a mark in front', '\ufeff{"a":1}'],
  ])('comes and goes without a trace: %s', (_name, text) => {
    const installed = statusLine.install(text, FILE);
    expect(statusLine.isOurs(installed)).toBe(true);
    expect(JSON.parse(installed.replace(/^\ufeff/, '')).statusLine.command.startsWith(`'${FILE}'`)).toBe(true);
    expect(statusLine.install(installed, FILE)).toBe(installed);
    // Where there was no file, its backup says so.
    if (text !== '') expect(statusLine.uninstall(installed)).toBe(text);
  });

  it('runs the command of before, whatever quotes are in it', () => {
    const command = `printf '%s' "it's"; echo $'x'`;
    const installed = statusLine.install(
      JSON.stringify({ statusLine: { type: 'command', command, padding: 1 } }),
      FILE,
    );
    expect(statusLine.wraps(installed)).toBe(command);
    expect(JSON.parse(installed).statusLine.padding).toBe(1);
    expect(JSON.parse(statusLine.uninstall(installed)).statusLine).toEqual({ type: 'command', command, padding: 1 });
  });

  it("leaves another's line alone", () => {
    const text = '{"statusLine":{"type":"command","command":"ccstatusline"}}';
    expect([statusLine.isOurs(text), statusLine.uninstall(text)]).toEqual([false, text]);
  });
});
