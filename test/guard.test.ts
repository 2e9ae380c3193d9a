import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillSpool, recordedHooks, recordedRoot } from '../src/audit/testing/recorded-spool.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { misfits } from '../src/server/http/testing/validate.ts';
import { createProgramHome, type ProgramHome } from './testing/program.ts';

const NESTED = '2.1.197-nested';
let program: ProgramHome;
let state: string;
beforeEach(() => {
  state = makeTemporaryFolder('guard-state');
  program = createProgramHome(NESTED);
});
afterEach(async () => {
  await program.end();
});

const troupe = (...args: readonly string[]) => program.run(['guard', ...args], { env: { TROUPE_HOME: state } });
const lines = (text: string): readonly string[] => text.trimEnd().split('\n');

describe('troupe guard log', () => {
  it('takes over what waits in the spool, and says who made each call', async () => {
    fillSpool(state, recordedHooks(NESTED));
    const { code, out } = await troupe('log');
    expect(code).toBe(0);
    const [head, ...rows] = lines(out);
    expect(head).toMatch(/^time +agent +tool +what +decision$/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(1))).toEqual([
      ['main', 'Agent', 'Audit the repo', 'observed'],
      ['main › Audit the repo', 'Bash', 'ls', 'observed'],
      ['main › Audit the repo', 'Agent', 'Check app.js', 'observed'],
      ['main › Audit the repo', 'Agent', 'Check util.js', 'observed'],
      ['main › Audit the repo › Check app.js', 'Bash', 'wc -l src/app.js src/util.js; sleep 0.2', 'observed'],
      ['main › Audit the repo › Check util.js', 'Bash', 'wc -l src/app.js src/util.js; sleep 0.2', 'observed'],
    ]);
  });

  it('writes lines of JSON that fit their schema', async () => {
    fillSpool(state, recordedHooks(NESTED), { ppid: 7, decision: 'none', ms: 1.2 });
    const { out } = await troupe('log', '--json', '--tool', 'bash', '-n', '2');
    const entries = lines(out).map((line) => JSON.parse(line));
    expect(entries).toHaveLength(2);
    for (const entry of entries) expect(misfits('audit-entry', entry)).toBe('');
    expect(entries[0]).toMatchObject({ tool: 'Bash', decision: 'none', ms: 1.2, agent: { depth: 2 } });
  });

  it('says so when nothing was recorded, and when nothing matches', async () => {
    const empty = await troupe('log');
    expect(empty).toMatchObject({ code: 0, out: '' });
    expect(empty.errors).toContain('troupe hooks install');
    fillSpool(state, recordedHooks(NESTED));
    const none = await troupe('log', '--agent', 'nobody');
    expect(none).toMatchObject({ code: 0, out: '' });
    expect(none.errors).toContain('No tool call in the audit is like that.');
    expect(await troupe('log', '--json', '--until', '2020-01-01')).toMatchObject({ code: 0, out: '', errors: '' });
  });

  it('refuses an invalid time and an invalid decision', async () => {
    expect((await troupe('log', '--since', 'soon')).errors).toContain('"soon" is not a time');
    expect(await troupe('log', '--decision', 'maybe')).toMatchObject({ code: 2, out: '' });
    expect((await troupe('log', '--since', '2026-02-31')).errors).toContain('"2026-02-31" is not a time');
  });

  it('refuses what can match nothing, everything, or not at all', async () => {
    fillSpool(state, recordedHooks(NESTED));
    for (const [args, said] of [
      [['--since', '1h', '--until', '2h'], '--until is before --since'],
      [['--agent', ''], 'empty'],
      [['--tool', ' '], 'empty'],
      [['--verify', '--tool', 'Bash'], 'cannot be narrowed by --tool'],
      [['--verify', '--follow'], 'cannot be narrowed by --follow'],
      [['--verify', '-n', '50'], 'cannot be narrowed by --limit'],
    ] as const) {
      const { code, out, errors } = await troupe('log', ...args);
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(errors).toContain(said);
    }
    expect((await troupe('log', '--since', '2020-01-01', '--until', 'today', '--verify')).code).toBe(2);
    expect(await troupe('log', '--verify', '--json', '--root', recordedRoot(NESTED))).toMatchObject({ code: 0 });
  });

  it('goes on with what comes, each once, while no server runs', async () => {
    const calls = recordedHooks(NESTED).filter(({ payload }) => payload['hook_event_name'] === 'PreToolUse');
    const [first, second, ...rest] = calls;
    if (!first || !second) throw new Error('too few calls');
    fillSpool(state, [first]);
    const following = program.start(['guard', 'log', '--follow', '--json'], { env: { TROUPE_HOME: state } });
    const heard = () => (following.out() === '' ? [] : lines(following.out()).map((line) => JSON.parse(line).call));
    await expect.poll(heard, { timeout: 30_000 }).toHaveLength(1);
    fillSpool(state, [second]);
    await expect.poll(heard, { timeout: 30_000 }).toHaveLength(2);
    fillSpool(state, rest);
    await expect.poll(heard, { timeout: 30_000 }).toHaveLength(calls.length);
    expect(heard()).toEqual(calls.map(({ payload }) => payload['tool_use_id']));
    following.child.kill('SIGINT');
    await following.ended;
  });

  it('verifies, and names the line that was changed or is gone', async () => {
    expect(await troupe('log', '--verify')).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing to check'),
    });
    fillSpool(state, recordedHooks(NESTED));
    const whole = await troupe('log', '--verify');
    expect(whole).toMatchObject({
      code: 0,
      out: 'Checked 6 entries in 1 file, 1 to 6: every line is as it was written.\n',
    });
    const [name = ''] = readdirSync(path.join(state, 'audit')).filter((file) => file.endsWith('.jsonl'));
    const file = path.join(state, 'audit', name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('Check app.js', 'Check App.js'));
    const changed = await troupe('log', '--verify');
    expect(changed.code).toBe(1);
    expect(changed.out).toContain(`${name}:3: `);
    writeFileSync(file, lines(text).slice(0, -2).join('\n').concat('\n'));
    const cut = await troupe('log', '--verify', '--json');
    expect(cut.code).toBe(1);
    expect(misfits('audit-check', JSON.parse(cut.out))).toBe('');
    expect(JSON.parse(cut.out).problems).toHaveLength(1);
  });
});

describe('troupe guard coverage', () => {
  it('is complete when every call has its hook event', async () => {
    fillSpool(state, recordedHooks(NESTED));
    const { code, out } = await troupe('coverage');
    expect(code).toBe(0);
    expect(out).toContain('6 of 6 tool calls passed a hook');
    expect(out).toContain('1 of 1  main › Audit the repo › Check app.js');
  });

  it('names missed calls and exits with 1', async () => {
    const hooks = recordedHooks(NESTED).filter(({ payload }) => payload['tool_name'] !== 'Bash');
    fillSpool(state, hooks);
    const { code, out } = await troupe('coverage', '487d');
    expect(code).toBe(1);
    expect(out).toContain('3 of 6 tool calls passed a hook');
    expect(out).toMatch(/main › Audit the repo › Check util\.js +Bash +wc -l/);
    const json = await troupe('coverage', '--json');
    expect(json.code).toBe(1);
    const report = JSON.parse(json.out);
    expect(misfits('coverage', report)).toBe('');
    expect(report.missed.map(({ tool }: { tool: string }) => tool)).toEqual(['Bash', 'Bash', 'Bash']);
  });

  it('lists apart what never ran', async () => {
    fillSpool(state, recordedHooks('2.0.76-failing'));
    const { code, out } = await troupe('coverage', '--root', recordedRoot('2.0.76-failing'));
    expect(code).toBe(0);
    expect(out).toContain('Never ran: the host refused 1 call before any hook.');
    expect(out).toContain('«Error: File does not exist.»');
  });

  it('claims nothing when hooks do not name the call', async () => {
    const name = '1.0.60-single';
    fillSpool(state, recordedHooks(name));
    const { code, out, errors } = await troupe('coverage', '--root', recordedRoot(name));
    expect(code).toBe(1);
    expect(out).toContain('tool calls passed a hook for certain');
    expect(out).toContain('hooks of this session did not say which call they were about, and prove nothing here.');
    expect(errors).not.toContain('troupe hooks install');
  });

  it('says what to do when no hook event was recorded, and when there is no such session', async () => {
    const nothing = await troupe('coverage');
    expect(nothing.code).toBe(1);
    expect(nothing.errors).toContain('troupe hooks install');
    const unknown = await troupe('coverage', 'ffff');
    expect(unknown).toMatchObject({ code: 2, out: '' });
    expect(unknown.errors).toContain('No session begins with «ffff»');
  });
});
