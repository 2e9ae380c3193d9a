import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
  state = makeTemporaryFolder('explain-state');
  program = createProgramHome(NESTED);
});
afterEach(async () => {
  await program.end();
});

const write = (text: string): void => writeFileSync(path.join(state, 'policy.yaml'), text);
const troupe = (...args: readonly string[]) =>
  program.run(['guard', 'explain', ...args], { cwd: program.home, env: { TROUPE_HOME: state } });
async function explain(...args: readonly string[]) {
  const { code, out, errors } = await troupe(...args, '--json');
  expect([code, errors]).toEqual([0, '']);
  const told = JSON.parse(out);
  expect(misfits('explanation', told)).toBe('');
  return told;
}

const POLICY = `version: 1
rules:
  - name: reviewers only read
    agents: { type: reviewer }
    tools: [Edit, "Bash(rm:*)"]
    decision: deny
    reason: Reviewers only read.
  - agents: { kind: main }
    tools: "Bash(git push:*)"
    decision: ask
`;

describe('troupe guard explain, of an imagined call', () => {
  it('says what it does, which rules were tried, and which won', async () => {
    write(POLICY);
    const { code, out } = await troupe('--type', 'reviewer', '--command', 'sudo rm a && git push');
    expect(code).toBe(0);
    expect(out).toContain('by main › reviewer, in ');
    expect(out).toMatch(/^deny {2}by reviewers only read \(user:1, .*policy\.yaml:3\)$/m);
    expect(out).toMatch(/^ +runs +rm a \(in sudo\)$/m);
    expect(out).toMatch(/^ +writes +.*\/a\/… \(rm a\)$/m);
    expect(out).toMatch(/✓ +deny +user:1 reviewers only read +reviewer +matched: rm a/);
    expect(out).toMatch(/ask +user:2 +reviewer +other agent/);
    expect(out).toMatch(/Nothing comes of it as long as reviewers only read .* says deny\./);
  });

  it('offers a rule under which exactly this call is allowed', async () => {
    write('version: 1\ndefaults: { subagent: deny }\n');
    const call = ['--type', 'coder', '--command', 'npm test > out.txt'];
    const denied = await explain(...call);
    expect(denied).toMatchObject({ decision: 'deny', rule: null, suggestion: { reason: null, stands: [] } });
    expect(denied.suggestion.file).toBe(path.join(state, 'policy.yaml'));
    const rules = denied.suggestion.yaml.replace(/^/gm, '  ');
    write(`version: 1\ndefaults: { subagent: deny }\nrules:\n${rules}\n`);
    expect(await explain(...call)).toMatchObject({ decision: 'allow', rule: { id: 'user:1' }, suggestion: null });
    expect((await explain('--type', 'coder', '--command', 'npm test > other.txt')).decision).toBe('deny');
    expect((await explain('--type', 'other', '--command', 'npm test > out.txt')).decision).toBe('deny');
  });

  it('says what an agent above contributed, and how that is passed by', async () => {
    write('version: 1\nrules:\n  - { agents: { type: planner }, tools: "Bash(psql:*)", decision: deny }\n');
    const told = await explain('--type', 'coder', '--under', 'planner', '--command', 'psql');
    expect(told).toMatchObject({ decision: 'deny', rule: { id: 'user:1' }, ancestor: 'planner' });
    expect(told.tried).toContainEqual(
      expect.objectContaining({ as: 'planner', isAncestors: true, outcome: 'matched', part: 'psql' }),
    );
    expect(told.suggestion).toMatchObject({ yaml: expect.stringContaining('despite_ancestors: true'), stands: [] });
    expect((await explain('--type', 'coder', '--under', 'other', '--command', 'psql')).decision).toBe('none');
    // Somebody stands between, and nobody knows who.
    expect((await explain('--type', 'coder', '--depth', '2', '--command', 'psql')).decision).toBe('deny');
  });

  it('takes tools, kinds, folders, another policy, and unknown agents', async () => {
    write(POLICY);
    mkdirSync(path.join(program.home, 'app/.troupe'), { recursive: true });
    writeFileSync(
      path.join(program.home, 'app/.troupe/policy.yaml'),
      'version: 1\nrules: [{ tools: Edit(src/**), decision: deny }]\n',
    );
    const edit = ['--tool', 'Edit', '--input', '{"file_path":"src/a.ts"}'];
    expect((await explain(...edit)).decision).toBe('none');
    expect(await explain(...edit, '--cwd', 'app')).toMatchObject({ decision: 'deny', rule: { id: 'project:1' } });
    expect((await explain(...edit, '--unknown')).decision).toBe('deny');
    expect((await explain(...edit, '--kind', 'fork')).call.agent).toMatchObject({ kind: 'fork', depth: 1 });
    writeFileSync(path.join(program.home, 'other.yaml'), 'version: 1\ndefaults: { main: ask }\n');
    expect((await explain(...edit, '--policy', 'other.yaml')).decision).toBe('ask');
  });

  it('says why no rule can allow an unknown command', async () => {
    write('version: 1\ndefaults: { main: deny }\n');
    const { uses, suggestion } = await explain('--command', 'eval "$x"');
    expect(uses.unknown).toEqual(expect.any(String));
    expect(suggestion).toMatchObject({ yaml: null, reason: expect.stringContaining(uses.unknown) });
    expect((await explain('--command', `ls ${'x'.repeat(2_000)}`)).suggestion.yaml).toBeNull();
  });

  it('refuses an incomplete call', async () => {
    for (const args of [
      [],
      ['--input', '{}'],
      ['--command', 'ls', '--tool', 'Bash'],
      ['--tool', 'Edit', '--input', '{'],
      ['--unknown', '--type', 'x', '--command', 'ls'],
      ['--kind', 'main', '--under', 'x', '--command', 'ls'],
      ['--under', 'x', '--depth', '1', '--command', 'ls'],
      ['--command', 'ls', '--policy', 'nope.yaml'],
      ['1', '--command', 'ls'],
      ['1'],
      ['toolu_nope'],
    ])
      expect(await troupe(...args), args.join(' ')).toMatchObject({ code: 2, out: '' });
  });
});

describe('troupe guard explain, of a past call', () => {
  const bashHooks = (): readonly RecordedHook[] =>
    recordedHooks(NESTED).filter(({ payload }) => payload['tool_name'] === 'Bash');

  it('finds it by number and by id, with the agents above it, and judges it by the policy of now', async () => {
    fillSpool(state, recordedHooks(NESTED), { ppid: 1, decision: 'allow', rule: 'user:7', reason: 'so it was', ms: 1 });
    write('version: 1\nrules: [{ agents: { depth: 1 }, tools: "Bash(wc:*)", decision: deny }]\n');
    const told = await explain('5');
    expect(told).toMatchObject({
      call: { tool: 'Bash', agent: { kind: 'task', depth: 2 }, ancestors: [{ kind: 'main' }, { depth: 1 }] },
      decision: 'deny',
      rule: { id: 'user:1' },
      ancestor: expect.any(String),
      recorded: { n: 5, decision: 'allow', rule: 'user:7', reason: 'so it was' },
      caveats: [],
    });
    expect(await explain(told.recorded.call)).toEqual(told);
    expect((await troupe('5')).out).toContain('When it was made (5 in the audit): allow by user:7. so it was');
  });

  it('says so when the audit log does not have the whole call', async () => {
    const [hook] = bashHooks();
    if (!hook) throw new Error('no call');
    const withCommand = (command: string): RecordedHook => ({
      ...hook,
      payload: { ...hook.payload, tool_use_id: `toolu_${command.length}`, tool_input: { command } },
    });
    fillSpool(state, [withCommand('deploy --password hunter2'), withCommand(`echo ${'x'.repeat(3_000)}`)]);
    write('version: 1\nrules: [{ tools: Bash, decision: deny }]\n');
    for (const n of ['1', '2']) {
      const told = await explain(n);
      expect(told).toMatchObject({ decision: null, rule: null, uses: null, tried: [], suggestion: null });
      expect(told.caveats).toEqual([expect.stringContaining('command is masked or cut')]);
      expect((await troupe(n)).out).toContain('not judged');
    }
  });

  it('judges an edit whose new text was cut: only its file matters', async () => {
    const [hook] = bashHooks();
    if (!hook) throw new Error('no call');
    const input = { file_path: 'a.ts', content: 'x'.repeat(3_000) };
    fillSpool(state, [{ ...hook, payload: { ...hook.payload, tool_name: 'Write', tool_input: input } }]);
    write('version: 1\nrules: [{ tools: Edit(a.ts), decision: deny }]\n');
    expect(await explain('1')).toMatchObject({ decision: 'deny', caveats: [] });
  });

  it('says so when the session is gone, and denies what an agent above may not do', async () => {
    fillSpool(state, recordedHooks(NESTED));
    await program.run(['guard', 'log'], { env: { TROUPE_HOME: state } });
    rmSync(path.join(program.home, '.claude'), { recursive: true });
    write('version: 1\nrules: [{ agents: { type: planner }, tools: Bash, decision: deny }]\n');
    const told = await explain('5');
    expect(told.caveats).toEqual([expect.stringContaining('not on the disk any more')]);
    expect(told).toMatchObject({ decision: 'deny', call: { ancestors: [] } });
  });
});
