import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DoctorReport } from '../src/core/index.ts';
import { misfits } from '../src/server/http/testing/validate.ts';
import { callHook, recordedCalls } from './testing/host-call.ts';
import { createHostHome } from './testing/host-home.ts';

const host = createHostHome();
const { base, program, settings, state, hostSays, troupe } = host;

const edit = (change: (text: string) => string): void =>
  writeFileSync(settings, change(readFileSync(settings, 'utf8')));
const replaceBy = (content: 'file' | 'folder', place: string): void => {
  rmSync(place, { recursive: true, force: true });
  if (content === 'folder') mkdirSync(place, { recursive: true });
  else writeFileSync(place, 'in the way');
};

const begin = (...flags: readonly string[]) => host.begin(flags.join(), () => install(...flags));

/** And the host calls the hook once. */
async function install(...flags: readonly string[]): Promise<void> {
  expect(await troupe('hooks', 'install', '--yes', ...flags)).toMatchObject({ code: 0 });
  const file = flags.includes('project') ? path.join(base, 'project', '.claude', 'settings.json') : settings;
  const [call = {}] = recordedCalls('2.1.325-custom');
  callHook(file, { ...call, cwd: path.join(base, 'project') });
}

interface Examined extends DoctorReport {
  readonly code: number | string | null;
  /** `level code`, but for what is good. */
  readonly wrong: readonly string[];
  readonly good: readonly string[];
}

async function doctor(): Promise<Examined> {
  const { code, out } = await troupe('doctor', '--json');
  const report: DoctorReport = JSON.parse(out);
  expect(misfits('doctor', report)).toBe('');
  expect(code).toBe(report.problems > 0 ? 1 : 0);
  const of = (isGood: boolean) => report.findings.filter(({ level }) => (level === 'good') === isGood);
  return {
    ...report,
    code,
    wrong: of(false).flatMap(({ level, code: what }) => (level === 'note' ? [] : [`${level} ${what}`])),
    good: of(true).map(({ code: what }) => what),
  };
}

const remedyOf = ({ findings }: DoctorReport, code: string): string | null | undefined =>
  findings.find((finding) => finding.code === code)?.remedy;

describe('troupe doctor', () => {
  it('reports that all is well for a complete install, with proof', async () => {
    await begin();
    const { code, out } = await troupe('doctor');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toBe('All is well.');
    expect(out).toMatch(/✓ Claude Code runs our hooks: last called at /);
    expect(out).toMatch(
      /✓ Test of the command alone: A call of the main agent and one of a sub-agent went through the/,
    );
    const { wrong, good } = await doctor();
    expect(wrong).toEqual([]);
    expect(good).toEqual(
      expect.arrayContaining(['host-found', 'folder-read', 'hooks-active', 'hooks-proven', 'state-own', 'audit-whole']),
    );
    const { out: log } = await troupe('guard', 'log');
    expect(log).toContain('true # troupe doctor');
  });

  it('reports a script that was edited', async () => {
    await begin('--guard');
    const guard = state('bin', 'guard');
    writeFileSync(
      guard,
      readFileSync(guard, 'utf8').replace('LC_ALL=C', 'LC_ALL=C\ncase $2 in secret) exit 0 ;; esac'),
    );
    expect((await doctor()).wrong).toContain('problem hooks-script');
  });

  it('reports unproven hooks until the host itself has called one', async () => {
    expect(await troupe('hooks', 'install', '--yes', '--guard')).toMatchObject({ code: 0 });
    for (let times = 0; times < 2; times++) {
      const { code, wrong, good, findings } = await doctor();
      expect([code, wrong]).toEqual([0, ['warning hooks-unproven']]);
      expect(good).toContain('hooks-proven');
      expect(good).not.toContain('hooks-active');
      const told = findings.find(({ code: what }) => what === 'hooks-unproven');
      expect(told?.text).toContain('Installed, not yet seen working');
      expect(told?.remedy).toBe('Run one tool call in Claude Code, then: troupe hooks status');
    }
  });

  it('exits with 1 when hooks are switched off and the guard is not loaded', async () => {
    await begin('--guard');
    edit((text) => JSON.stringify({ ...JSON.parse(text), disableAllHooks: true }));
    const report = await doctor();
    expect([report.code, report.wrong]).toEqual([1, ['problem hooks-off']]);
    const told = report.findings.find(({ code }) => code === 'hooks-off');
    expect(told?.text).toBe(`GUARD NOT LOADED, tool calls run UNGUARDED: ${settings} switches all hooks off.`);
  });

  it('finds OpenCode 2, and calls its plugin unproven until it was heard', async () => {
    const file = path.join(base, 'bin', 'opencode');
    writeFileSync(file, "#!/bin/sh\necho 'opencode v2.0.15'\n");
    chmodSync(file, 0o755);
    const installed = await troupe('hooks', 'install', '--host', 'opencode', '--guard', '--yes');
    expect(installed).toMatchObject({ code: 0, errors: '' });
    const { code, good, findings } = await doctor();
    expect(code).toBe(0);
    expect(good).toContain('host-found');
    expect(findings.map(({ text }) => text)).toContain('OpenCode 2.0.15');
    expect(findings).toContainEqual(expect.objectContaining({ code: 'hooks-unproven' }));
  });

  it('says of Antigravity CLI, where it has worked, that it is not supported', async () => {
    expect((await doctor()).findings.map(({ code }) => code)).not.toContain('host-unsupported');
    mkdirSync(path.join(program.home, '.gemini', 'antigravity-cli'), { recursive: true });
    const { code, findings } = await doctor();
    expect(code).toBe(0);
    const told = findings.find((one) => one.code === 'host-unsupported');
    expect(told?.text).toContain('troupe does not support it yet');
  });

  it('proves the guard when it is installed', async () => {
    await begin('--guard');
    const { wrong, findings } = await doctor();
    expect(wrong).toEqual([]);
    expect(findings.find(({ code }) => code === 'hooks-proven')?.text).toContain('the installed guard command');
  });

  it('reports no problem for an old host, or for none', async () => {
    hostSays('2.0.76');
    await install();
    expect(await doctor()).toMatchObject({ code: 0, wrong: [] });
    rmSync(path.join(base, 'bin', 'claude'));
    const { wrong, good } = await doctor();
    expect(wrong).toEqual([]);
    expect(good).toContain('hooks-proven');
  });

  it('advises to install hooks when there are none, and exits with 0', async () => {
    const { code, wrong } = await doctor();
    expect([code, wrong]).toEqual([0, ['warning hooks-none']]);
    expect((await troupe('doctor')).out).toContain('→ troupe hooks install\n');
  });

  it('advises nothing for hosts that are not on the machine', async () => {
    rmSync(path.join(base, 'bin', 'claude'));
    rmSync(path.join(program.home, '.claude'), { recursive: true });
    const data = path.join(program.home, '.local/share/opencode');
    cpSync(
      new URL('../src/hosts/opencode/fixtures/1.18.33-single/opencode.db', import.meta.url),
      `${data}/opencode.db`,
    );
    const { findings } = await doctor();
    const said = findings
      .filter(({ code }) => code === 'host-missing' || code === 'hooks-none')
      .map(({ text }) => text);
    expect(said).toEqual([expect.stringMatching(/^OpenCode/), expect.stringMatching(/^OpenCode/)]);
  });

  it('finds hooks for another host version, and its remedy fixes them', async () => {
    await begin('--scope', 'project', '--guard');
    hostSays('2.1.50');
    const report = await doctor();
    expect(report.wrong).toEqual(['problem hooks-too-new']);
    expect(remedyOf(report, 'hooks-too-new')).toBe('troupe hooks install --scope project --guard');
    await install('--scope', 'project', '--guard');
    expect((await doctor()).wrong).toEqual([]);
  });

  it('tries the command that is in the settings when it was edited', async () => {
    await begin();
    edit((text) => text.replaceAll(/exec [^#]* # /g, 'exec /bin/true # '));
    const { wrong } = await doctor();
    expect(wrong).toContain('problem hooks-changed');
    expect(wrong).toContain('problem hooks-unheard');
  });

  it('finds a narrowed entry, a script that cannot be executed, and a missing PreToolUse entry', async () => {
    await begin();
    edit((text) => text.replace('"PreToolUse": [\n      {', '"PreToolUse": [\n      { "matcher": "Bash",'));
    expect((await doctor()).wrong).toEqual(['problem hooks-changed']);
    await install();
    chmodSync(state('bin', 'observe'), 0o600);
    expect((await doctor()).wrong).toEqual(['problem hooks-script', 'problem hooks-unheard']);
    await install();
    edit((text) => {
      const { hooks, ...rest } = JSON.parse(text);
      const { PreToolUse: _, ...others } = hooks;
      return JSON.stringify({ ...rest, hooks: others });
    });
    expect((await doctor()).wrong).toEqual(['problem hooks-no-calls', 'warning hooks-missing']);
  });

  it('names the scope in its remedies when hooks are installed in two scopes', async () => {
    await begin('--scope', 'project', '--guard');
    rmSync(state('bin', 'guard'));
    const report = await doctor();
    expect(report.wrong).toEqual(['problem hooks-script', 'problem hooks-fail']);
    expect(remedyOf(report, 'hooks-fail')).toBe('troupe hooks install --scope project --guard');
    await install();
    const twice = await doctor();
    expect(twice.wrong).toEqual(['warning hooks-twice']);
    expect(remedyOf(twice, 'hooks-twice')).toBe('troupe hooks uninstall --scope user');
  });

  it.each([
    ['settings that are a folder', () => replaceBy('folder', settings), 'problem settings-unread'],
    ['a file for .claude in the project', () => replaceBy('file', path.join(base, 'project', '.claude')), undefined],
    ['an audit that is no folder', () => replaceBy('file', state('audit')), 'problem state-unusable'],
    ['a day of the audit that is a folder', () => replaceBy('folder', state('audit', '2020-01-01.jsonl')), undefined],
    ['a spool that is no folder', () => replaceBy('file', state('spool')), 'problem spool-unusable'],
    ['no folder for what is bad', () => replaceBy('file', state('spool', 'bad')), 'problem state-unusable'],
    ['a daemon file that is a folder', () => replaceBy('folder', state('daemon.json')), undefined],
    ['a state folder that is a file', () => replaceBy('file', state()), 'problem state-unusable'],
  ])('ends with a report when there is %s', async (_, spoil, expected) => {
    await begin();
    spoil();
    const asText = troupe('doctor');
    const { wrong, findings } = await doctor();
    if (expected !== undefined) expect(wrong).toContain(expected);
    expect(new Set(findings.map(({ area }) => area))).toEqual(
      new Set(['hosts', 'folders', 'hooks', 'server', 'state', 'audit']),
    );
    for (const { level, remedy } of findings) if (level === 'problem') expect(remedy).not.toBeNull();
    const { code, out } = await asText;
    expect([0, 1]).toContain(code);
    expect(out).toMatch(/(All is well|does not work|do not work|worth a look)/);
  });

  it('reports calls that hooks could not store', async () => {
    await begin();
    replaceBy('file', state('spool'));
    const { wrong } = await doctor();
    // Its own two calls are among them.
    expect(wrong).toEqual([
      'warning hooks-unproven',
      'problem hooks-unheard',
      'problem spool-unusable',
      'warning hook-failure',
    ]);
  });

  it('finds a changed audit log', async () => {
    await begin();
    await doctor();
    const name = `${new Date().toISOString().slice(0, 10)}.jsonl`;
    const text = readFileSync(state('audit', name), 'utf8');
    writeFileSync(state('audit', name), text.replace('"decision":"observed"', '"decision":"deny"'));
    expect((await doctor()).wrong).toContain('problem audit-broken');
  });
});
