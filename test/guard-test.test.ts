import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { misfits } from '../src/server/http/testing/validate.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';

let program: ProgramHome;
beforeEach(() => {
  program = createProgramHome();
  mkdirSync(path.join(program.home, '.config/troupe'), { recursive: true });
});
afterEach(() => program.end());

const troupe = (...args: readonly string[]) => program.run(['guard', 'test', ...args], { cwd: program.home });
const write = (name: string, text: string): void => writeFileSync(path.join(program.home, name), text);

describe('troupe guard test', () => {
  const POLICY = `version: 1
rules:
  - { name: no rm, agents: { type: reviewer }, tools: "Bash(rm:*)", decision: deny }
  - { name: not at night, tools: "Bash(make deploy:*)", decision: deny, when: { hours: "22:00-06:00" } }
`;

  it('succeeds when every call is decided as expected', async () => {
    write('.config/troupe/policy.yaml', POLICY);
    write(
      'table.yaml',
      [
        '- { agent: { type: reviewer }, command: rm x, expect: deny, rule: no rm }',
        '- { command: rm x, expect: none }',
        '- { command: make deploy, at: "2026-11-30T23:00", expect: deny, rule: user:2 }',
        '- { command: make deploy, at: "2026-11-30T12:00", expect: none }',
      ].join('\n'),
    );
    expect(await troupe('table.yaml')).toMatchObject({ code: 0, out: 'ok: 4 of 4 calls decided as expected\n' });
  });

  it('explains each mismatch, with its line and code 1', async () => {
    write('.config/troupe/policy.yaml', POLICY);
    write(
      'table.yaml',
      [
        '- { agent: { type: reviewer }, command: rm x, expect: none }',
        '- { name: main may, command: rm x, expect: none }',
        '- { name: by that rule, agent: { type: reviewer }, command: rm x, expect: deny, rule: other }',
      ].join('\n'),
    );
    const { code, out } = await troupe('table.yaml');
    expect(code).toBe(1);
    expect(out).toContain('table.yaml:1: expected none, but it is deny\n');
    expect(out).toContain('table.yaml:3: by that rule: expected deny by other, but it is deny by no rm\n');
    expect(out).toMatch(/✓ +deny +user:1 no rm +reviewer +matched: rm x/);
    expect(out).not.toContain('would allow exactly this');
    expect(out.trimEnd().split('\n').at(-1)).toBe('1 of 3 calls decided as expected');
    const json = await troupe('table.yaml', '--json');
    const report = JSON.parse(json.out);
    expect(misfits('guard-test', report)).toBe('');
    expect([json.code, report.ok, report.mismatches.map(({ line }: { line: number }) => line)]).toEqual([
      1,
      false,
      [1, 3],
    ]);
  });

  it('judges by another file, and does not take one with a mistake for good', async () => {
    write('.config/troupe/policy.yaml', POLICY);
    write('table.yaml', '- { agent: { type: reviewer }, command: rm x, expect: ask }\n');
    write('other.yaml', 'version: 1\ndefaults: { subagent: ask }\n');
    expect((await troupe('table.yaml', '--policy', 'other.yaml')).code).toBe(0);
    write('other.yaml', 'version: 1\ndefaults: { subagent: ask }\nruels: []\n');
    const { code, out } = await troupe('table.yaml', '--policy', 'other.yaml');
    expect([code, out]).toEqual([1, expect.stringContaining('other.yaml:3:1: error: A policy has no `ruels`')]);
    expect(out).toContain('1 of 1 call decided as expected, 1 error');
  });

  it('names mistakes of the table, and judges nothing then', async () => {
    write('table.yaml', '- { command: ls, expect: none }\n- { command: ls, expects: deny }\n');
    const { code, out } = await troupe('table.yaml');
    expect(code).toBe(1);
    expect(out).toContain('table.yaml:2:18: error: A call has no `expects`; did you mean `expect`?');
    expect(misfits('guard-test', JSON.parse((await troupe('table.yaml', '--json')).out))).toBe('');
    expect(await troupe('nope.yaml')).toMatchObject({ code: 2, errors: expect.stringContaining('There is no file') });
  });
});
