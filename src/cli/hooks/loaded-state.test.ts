import { describe, expect, it } from 'vitest';
import type { SettingsStatus } from '../../core/index.ts';
import { decideLoaded, type Evidence, type LoadFacts, reason } from './loaded-state.ts';

const user: SettingsStatus = {
  scope: 'user',
  file: '/home/dev/.host/settings.json',
  exists: true,
  problem: null,
  tooNew: [],
  events: ['Before'],
  guard: true,
  changed: [],
  versions: ['0.1.0'],
  othersBeforeCalls: [],
};
const installed: LoadFacts['status'] = {
  host: 'a-host',
  hostTitle: 'A Host',
  hostVersion: '1.2.3',
  places: [user],
  shadows: [],
  unapproved: [],
  scripts: [{ file: '/state/bin/guard', scope: 'user', state: 'ours', version: '0.1.0' }],
  beforeCalls: [{ role: 'guard', command: 'guard' }],
};
const AT = Date.UTC(2026, 10, 15);
const heard = (at: number, hostVersion?: string) => ({ at: AT + at, session: 's1', hostVersion });
const unheard = (at: number) => ({
  session: 's2',
  at: AT + at,
  hostVersion: '1.2.3',
  folder: '/src/app',
  missed: 2,
  ran: 3,
});
const NOTHING: Evidence = { heard: [], unheard: undefined };

function decide({
  status,
  ...facts
}: Partial<Omit<LoadFacts, 'status'>> & { readonly status?: Partial<LoadFacts['status']> } = {}) {
  return decideLoaded({
    status: { ...installed, ...status },
    installedAt: AT,
    refusals: [],
    obstacles: [],
    isBeforeCalls: (event) => event === 'Before',
    evidence: { heard: [heard(10, '1.2.3')], unheard: undefined },
    ...facts,
  });
}

describe('decideLoaded', () => {
  it('is active when this version of the host called the hook', () => {
    expect(decide()).toEqual({
      state: 'active',
      role: 'guard',
      installedAt: '2026-11-15T00:00:00.000Z',
      lastCall: { at: '2026-11-15T00:00:00.010Z', session: 's1', hostVersion: '1.2.3' },
      reasons: [],
    });
  });

  it('is active when either version is unknown', () => {
    expect(decide({ evidence: { ...NOTHING, heard: [heard(10)] } }).state).toBe('active');
    expect(decide({ status: { hostVersion: null } }).state).toBe('active');
  });

  it('is not installed when no file has an entry of ours', () => {
    const status = { places: [{ ...user, events: [], guard: false }], beforeCalls: [], scripts: [] };
    expect(decide({ status, evidence: NOTHING })).toMatchObject({ state: 'not-installed', role: null, reasons: [] });
  });

  it('is unproven without a recorded call, and says how to prove it', () => {
    const { state, reasons } = decide({ evidence: NOTHING, status: { isToBeNamed: true } });
    expect([state, reasons]).toEqual([
      'unproven',
      [
        {
          kind: 'no-evidence',
          text: 'No call of A Host has been recorded since it was installed.',
          remedy: 'Run one tool call in A Host, then: troupe hooks status --host a-host',
        },
      ],
    ]);
  });

  it('is unproven when only another version called it, and active when this one did before that', () => {
    const other = { ...NOTHING, heard: [heard(10, '1.2.2')] };
    expect(decide({ evidence: other })).toMatchObject({ state: 'unproven', reasons: [{ kind: 'other-version' }] });
    const both = { ...NOTHING, heard: [heard(20, '1.2.2'), heard(10, '1.2.3')] };
    expect(decide({ evidence: both })).toMatchObject({ state: 'active', lastCall: { hostVersion: '1.2.3' } });
  });

  it('says why when recorded calls cannot be read', () => {
    const { state, reasons } = decide({ evidence: { ...NOTHING, problem: 'EACCES' } });
    expect([state, reasons[0]?.text]).toEqual(['unproven', 'Recorded calls cannot be looked up: EACCES']);
  });

  it('is not loaded when a later session ran without it, and active when an earlier one did', () => {
    const later = decide({ evidence: { heard: [heard(10, '1.2.3')], unheard: unheard(20) } });
    expect(later).toMatchObject({ state: 'not-loaded', reasons: [{ kind: 'unheard' }] });
    expect(later.reasons[0]?.text).toBe(
      'A Host 1.2.3 ran session s2 in /src/app (last call 2026-11-15T00:00:00.020Z), and 2 of its 3 tool calls did not pass the hook.',
    );
    expect(decide({ evidence: { heard: [heard(30, '1.2.3')], unheard: unheard(20) } }).state).toBe('active');
  });

  it('concludes nothing from silence when the script writes to another state folder', () => {
    const scripts = [{ ...installed.scripts[0], state: 'elsewhere' }] as LoadFacts['status']['scripts'];
    const decided = decide({ status: { scripts }, evidence: { heard: [], unheard: unheard(20) } });
    expect(decided).toMatchObject({ state: 'unproven', reasons: [{ kind: 'elsewhere' }] });
  });

  it.each([
    ['version', { refusals: [reason('version', 'It loads none.', 'Use another.')] }],
    ['off', { status: { shadows: [{ file: '/a', reason: 'all-off' }] } }],
    ['managed', { status: { shadows: [{ file: '/a', reason: 'only-managed' }] } }],
    ['unapproved', { status: { unapproved: [{ file: user.file, events: ['Before'], how: 'agree' }] } }],
    ['unread', { status: { places: [{ ...user, problem: 'it is not JSON' }], beforeCalls: [], scripts: [] } }],
    ['no-calls', { status: { beforeCalls: [] } }],
    ['script', { status: { scripts: [{ file: '/a', scope: 'user', state: 'missing', version: null }] } }],
    ['obstacle', { obstacles: [{ text: 'A switch.', remedy: 'Turn it.' }] }],
  ] as const)('is not loaded, whatever was recorded before: %s', (kind, facts) => {
    const decided = decide(facts as Parameters<typeof decide>[0]);
    expect(decided).toMatchObject({ state: 'not-loaded', role: 'guard', reasons: [{ kind }] });
  });

  it('is not loaded when the guard is in a file that the host does not read, though an observer is in another', () => {
    const places = [
      { ...user, problem: 'it is not JSON' },
      { ...user, scope: 'project' as const, file: '/src/app/.host/settings.json', guard: false },
    ];
    const beforeCalls = [{ role: 'observe' as const, command: 'observe' }];
    const decided = decide({ status: { places, beforeCalls }, evidence: NOTHING });
    expect(decided).toMatchObject({ state: 'not-loaded', role: 'guard', reasons: [{ kind: 'unread' }] });
  });

  it('needs only one working file with the guard', () => {
    const guard = { ...user, scope: 'project' as const, file: '/src/app/.host/settings.json' };
    const obstacles = [{ text: 'x', remedy: 'y', scopes: ['project' as const] }];
    const observer = { ...user, guard: false };
    expect(decide({ status: { places: [observer, guard] }, obstacles }).state).toBe('not-loaded');
    expect(decide({ status: { places: [user, guard] }, obstacles }).state).toBe('active');
    const unapproved = [{ file: guard.file, events: ['Before'], how: 'agree' }];
    expect(decide({ status: { places: [observer, guard], unapproved } }).state).toBe('not-loaded');
    expect(decide({ status: { places: [user, guard], unapproved } }).state).toBe('active');
  });

  it('ignores problems of other events, other scopes, or the past', () => {
    const unapproved = [{ file: '/a', events: ['End'], how: 'agree' }];
    expect(decide({ status: { unapproved } }).state).toBe('active');
    expect(decide({ obstacles: [{ text: 'x', remedy: 'y', scopes: ['project'] }] }).state).toBe('active');
    expect(decide({ obstacles: [{ text: 'x', remedy: 'y', at: AT + 5 }] }).state).toBe('active');
    expect(decide({ obstacles: [{ text: 'x', remedy: 'y', at: AT + 15 }] }).state).toBe('not-loaded');
  });
});
