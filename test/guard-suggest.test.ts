import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillSpool, type RecordedHook, recordedHooks } from '../src/audit/testing/recorded-spool.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { misfits } from '../src/server/http/testing/validate.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';

const NESTED = '2.1.197-nested';
let program: ProgramHome;
let state: string;
beforeEach(() => {
  state = makeTemporaryFolder('suggest-state');
  program = createProgramHome(NESTED);
});
afterEach(async () => {
  await program.end();
});

const troupe = (...args: readonly string[]) => program.run(['guard', ...args], { env: { TROUPE_HOME: state } });
const decisions = (numbers: readonly number[]) =>
  Promise.all(numbers.map(async (n) => JSON.parse((await troupe('explain', `${n}`, '--json')).out).decision));
const CALLS = [1, 2, 3, 4, 5, 6];

describe('troupe guard suggest', () => {
  it('writes a policy under which every call of the session is allowed', async () => {
    fillSpool(state, recordedHooks(NESTED));
    const { code, out, errors } = await troupe('suggest', '487d');
    expect([code, errors]).toEqual([0, '']);
    expect(out).toContain('by what its transcripts say');
    writeFileSync(path.join(state, 'policy.yaml'), out);
    expect((await troupe('check')).out).toMatch(/^ok: 3 rules/);
    expect(await decisions(CALLS)).toEqual(CALLS.map(() => 'allow'));
    const other = await troupe('explain', '--type', 'general-purpose', '--command', 'rm x', '--json');
    expect(JSON.parse(other.out).decision).toBe('ask');
  });

  it('uses the hook events when the transcripts are gone, and says what is masked there', async () => {
    const hooks = recordedHooks(NESTED);
    const bash = hooks.find(({ payload }) => payload['tool_name'] === 'Bash') as RecordedHook;
    const input = { command: 'deploy --password hunter2' };
    fillSpool(state, [...hooks, { ...bash, payload: { ...bash.payload, tool_use_id: 'toolu_x', tool_input: input } }]);
    await troupe('log');
    rmSync(path.join(program.home, '.claude'), { recursive: true });
    const { code, out, errors } = await troupe('suggest', '487d', '--json');
    expect([code, errors]).toEqual([0, '']);
    const suggestion = JSON.parse(out);
    expect(misfits('policy-suggestion', suggestion)).toBe('');
    expect(suggestion).toMatchObject({ from: 'audit', calls: 7, rules: 3 });
    expect(suggestion.left).toEqual([expect.objectContaining({ reason: expect.stringContaining('masked') })]);
    expect(out).not.toContain('hunter2');
    writeFileSync(path.join(state, 'policy.yaml'), suggestion.yaml);
    const all = await decisions([...CALLS, 7]);
    expect(all.filter((decision) => decision !== 'allow')).toEqual([null]);
    expect((await troupe('suggest', '487d')).errors).toContain('1 call could not be turned into a rule');
  });

  it('says so when there is no such session', async () => {
    expect(await troupe('suggest', 'ffff')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('No session begins with «ffff»'),
    });
  });
});
