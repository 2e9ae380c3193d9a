import { describe, expect, it } from 'vitest';
import type { HooksStatus, SettingsStatus } from '../../core/index.ts';
import { examineHooks } from './examine-hooks.ts';

const user: SettingsStatus = {
  scope: 'user',
  file: '/home/dev/.host/settings.json',
  exists: true,
  problem: null,
  tooNew: [],
  events: ['Before', 'After'],
  guard: false,
  changed: [],
  versions: ['0.1.0'],
  othersBeforeCalls: [],
};
const project: SettingsStatus = { ...user, scope: 'project', file: '/src/app/.host/settings.json' };
const none: Partial<SettingsStatus> = { events: [], versions: [] };

const whole: HooksStatus = {
  host: 'a-host',
  hostTitle: 'A Host',
  hostVersion: '2.0.0',
  version: '0.1.0',
  events: ['Before', 'After'],
  places: [user],
  shadows: [],
  doubled: [],
  beforeCalls: [{ role: 'observe', command: 'observe' }],
  impatient: [],
  unapproved: [],
  scripts: [{ file: '/state/bin/observe', scope: 'user', state: 'ours', version: '0.1.0' }],
  loaded: {
    state: 'active',
    role: 'observe',
    installedAt: '2026-11-15T10:00:00.000Z',
    lastCall: { at: '2026-11-15T12:00:00.000Z', session: 's1', hostVersion: '2.0.0' },
    reasons: [],
  },
  isComplete: true,
};

const notInstalled = { loaded: { ...whole.loaded, state: 'not-installed', role: null, lastCall: null } } as const;
const notRead = { loaded: { ...whole.loaded, state: 'not-loaded', lastCall: null } } as const;

function found(
  status: Partial<HooksStatus>,
): readonly (readonly [level: string, code: string, remedy: string | null])[] {
  return [...examineHooks({ ...whole, ...status })].map(({ level, code, remedy }) => [level, code, remedy]);
}

describe('hooks', () => {
  it('are good only when the host has called them', () => {
    expect(found({})).toEqual([
      ['note', 'hooks-installed', null],
      ['good', 'hooks-active', null],
    ]);
    const [, active] = [...examineHooks(whole)];
    expect(active?.text).toBe('A Host 2.0.0 runs our hooks: last called at 2026-11-15T12:00:00.000Z (session s1)');
  });

  it('are a warning when no call of the host is recorded', () => {
    const reasons = [{ kind: 'no-evidence', text: 'No call has been recorded.', remedy: 'Run one.' }] as const;
    const loaded = { ...whole.loaded, state: 'unproven', lastCall: null, reasons } as const;
    expect(found({ loaded })).toEqual([
      ['note', 'hooks-installed', null],
      ['warning', 'hooks-unproven', 'Run one.'],
    ]);
  });

  it.each([
    ['version', 'hooks-not-loaded'],
    ['obstacle', 'hooks-not-loaded'],
    ['unheard', 'hooks-not-loaded'],
    ['off', 'hooks-off'],
    ['managed', 'hooks-managed'],
    ['unapproved', 'hooks-unapproved'],
  ] as const)('are a problem when the host does not load them: %s', (kind, code) => {
    const loaded = {
      ...whole.loaded,
      state: 'not-loaded',
      role: 'guard',
      reasons: [{ kind, text: 'Why.', remedy: 'What to do.' }],
    } as const;
    const findings = [...examineHooks({ ...whole, loaded })];
    expect(findings.filter(({ level }) => level === 'good')).toEqual([]);
    const [told] = findings.filter(({ level }) => level === 'problem');
    expect(told).toMatchObject({ code, remedy: 'What to do.' });
    expect(told?.text).toMatch(/^GUARD NOT LOADED, tool calls run UNGUARDED: Why\./);
  });

  it('are not recommended for a version that would not load them', () => {
    const reasons = [{ kind: 'version', text: 'A Host 2 loads none.', remedy: 'Use A Host 1.' }] as const;
    const loaded = { ...whole.loaded, state: 'not-installed', role: null, lastCall: null, reasons } as const;
    expect(found({ places: [{ ...user, ...none }], scripts: [], loaded })).toEqual([
      ['warning', 'hooks-none', 'Use A Host 1.'],
    ]);
  });

  it('are a problem when the host waits for the guard for less time than a rule waits for an answer', () => {
    const impatient = [{ scope: 'project' as const, file: project.file, seconds: 10, waitSeconds: 300 }];
    expect(found({ places: [{ ...project, guard: true }], impatient })).toContainEqual([
      'problem',
      'hooks-impatient',
      'troupe hooks install --scope project --guard has it wait longer.',
    ]);
  });

  it('are reported when the host runs them only after the user has trusted them', () => {
    const unapproved = [{ file: user.file, events: ['Before'], how: 'type /agree' }];
    expect(found({ unapproved })).toContainEqual(['problem', 'hooks-unapproved', 'type /agree.']);
  });

  it('are not expected of a version that has none', () => {
    expect(
      found({ ...notInstalled, events: [], places: [{ ...user, ...none }], beforeCalls: [], scripts: [] }),
    ).toEqual([['note', 'hooks-unusable', null]]);
  });

  it('are reported as missing, in part or wholly', () => {
    expect(found({ ...notInstalled, places: [{ ...user, ...none }], scripts: [] })).toEqual([
      ['warning', 'hooks-none', 'troupe hooks install'],
    ]);
    expect(found({ hostVersion: null, events: ['Before', 'After', 'End'] })).toContainEqual([
      'warning',
      'hooks-missing',
      'troupe hooks install',
    ]);
    const findings = [...examineHooks({ ...whole, hostVersion: null, events: ['Before', 'End'] })];
    const missing = findings.find(({ code }) => code === 'hooks-missing');
    expect(missing?.text).toBe('A Host could tell more: End');
  });

  it('are a problem when the host is too old to read them', () => {
    const place = { ...project, guard: true, problem: 'it does not know After', tooNew: ['After'] };
    const again = 'troupe hooks install --scope project --guard';
    expect(found({ ...notRead, places: [{ ...user, ...none }, place] })).toEqual([['problem', 'hooks-too-new', again]]);
    expect(found({ ...notRead, places: [{ ...place, tooNew: ['Else'] }] })).toEqual([
      ['problem', 'hooks-too-new', 'Take the hooks for Else out of it, or update A Host.'],
    ]);
  });

  it('are reported when their file cannot be read', () => {
    expect(found({ places: [user, { ...project, ...none, problem: 'it is a folder' }] })).toEqual([
      ['note', 'hooks-installed', null],
      ['problem', 'settings-unread', 'Mend the file, or restore it from a backup.'],
      ['good', 'hooks-active', null],
    ]);
  });

  it('are reported when they were changed or removed from tool calls', () => {
    const place = { ...project, guard: true, changed: [{ event: 'Before', how: 'it is only for "Bash"' }] };
    const again = 'troupe hooks install --scope project --guard';
    expect(found({ places: [place] })).toContainEqual(['problem', 'hooks-changed', again]);
    expect(found({ places: [{ ...project, events: ['After'] }], beforeCalls: [] })).toContainEqual([
      'problem',
      'hooks-no-calls',
      'troupe hooks install --scope project',
    ]);
  });

  it('are reported twice when two are installed, with the one to remove', () => {
    const remedyFor = (...places: readonly SettingsStatus[]) =>
      found({ places, doubled: ['Before'] }).find(([, code]) => code === 'hooks-twice');
    const guard = { guard: true };
    const uninstall = (scope: string) => ['warning', 'hooks-twice', `troupe hooks uninstall --scope ${scope}`];
    expect(remedyFor(user, { ...project, ...guard })).toEqual(uninstall('user'));
    expect(remedyFor({ ...user, ...guard }, project)).toEqual(uninstall('project'));
    expect(remedyFor(user, project)).toEqual(uninstall('project'));
    expect(remedyFor({ ...user, versions: ['0.0.9'] }, project)).toEqual(uninstall('user'));
    expect(remedyFor(user, { ...project, events: ['After'] })).toEqual([
      'warning',
      'hooks-twice',
      'troupe hooks install',
    ]);
    expect(remedyFor({ ...project, ...guard })).toEqual([
      'warning',
      'hooks-twice',
      'troupe hooks install --scope project --guard',
    ]);
  });

  it('are reported when their scripts are missing, foreign, or of another version', () => {
    const file = '/state/bin/observe';
    const places = [{ ...project, guard: true }];
    const remedy = 'troupe hooks install --scope project --guard writes it anew.';
    for (const [state, level] of [
      ['missing', 'problem'],
      ['not-ours', 'problem'],
      ['other-version', 'warning'],
      ['not-runnable', 'problem'],
      ['elsewhere', 'problem'],
    ] as const)
      expect(found({ places, scripts: [{ file, scope: 'project', state, version: null }] })).toContainEqual([
        level,
        'hooks-script',
        remedy,
      ]);
    expect(found({ places: [{ ...user, versions: ['0.0.9'] }] })).toContainEqual([
      'warning',
      'hooks-old',
      'troupe hooks install',
    ]);
  });
});
