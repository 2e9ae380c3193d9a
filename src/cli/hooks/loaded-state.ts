// The one place that decides whether a host runs our hooks. An entry in its settings is no proof: hosts pass over hooks
// without a word (OpenCode 2 does so with plugins that have no `setup`, Codex with hooks that nobody trusted).

import {
  type HookRole,
  type HooksLoaded,
  type HooksStatus,
  type LoadReason,
  repairInstall,
  type SettingsStatus,
} from '../../core/index.ts';
import type { HookObstacle } from '../../hosts/index.ts';

/** A call of the host's own hook that is in the audit log. */
export interface HeardCall {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly session: string | null;
  /** Undefined: the session's files do not say, or are gone. */
  readonly hostVersion: string | undefined;
}

/** A session that ran tool calls of which no hook is recorded. */
export interface UnheardSession {
  readonly session: string;
  /** Of its last such call, epoch milliseconds. */
  readonly at: number;
  readonly hostVersion: string | undefined;
  readonly folder: string | undefined;
  readonly missed: number;
  /** All its calls that should have passed a hook. */
  readonly ran: number;
}

export interface Evidence {
  /** The newest call of each session, newest first. */
  readonly heard: readonly HeardCall[];
  /** The newest session with tool calls, where hooks missed some of them. */
  readonly unheard: UnheardSession | undefined;
  /** Why nothing could be looked up. */
  readonly problem?: string;
}

export interface EvidenceQuestion {
  readonly host: string;
  /** Epoch milliseconds: only what happened since proves anything. */
  readonly since: number;
  /** What has to have been called. */
  readonly role: HookRole;
  /** Hooks are installed in the settings of this project only: sessions elsewhere prove nothing. */
  readonly folder: string | undefined;
  isBeforeCalls(event: string): boolean;
}

export type FindEvidence = (question: EvidenceQuestion) => Promise<Evidence>;

type Known = Pick<
  HooksStatus,
  'host' | 'hostTitle' | 'isToBeNamed' | 'hostVersion' | 'places' | 'shadows' | 'unapproved' | 'scripts' | 'beforeCalls'
>;

export interface LoadFacts {
  readonly status: Known;
  /** Epoch milliseconds; undefined where no entry of ours is in a file that the host reads. */
  readonly installedAt: number | undefined;
  /** Of every version that the host is known to have on this machine. */
  readonly refusals: readonly LoadReason[];
  readonly obstacles: readonly HookObstacle[];
  isBeforeCalls(event: string): boolean;
  readonly evidence: Evidence;
}

export function decideLoaded(facts: LoadFacts): HooksLoaded {
  const { status, installedAt, evidence } = facts;
  const role = roleOf(status);
  const base = { role, installedAt: installedAt === undefined ? null : new Date(installedAt).toISOString() };
  if (status.places.every(({ events }) => events.length === 0))
    return { ...base, state: 'not-installed', lastCall: null, reasons: facts.refusals };
  // Best by the version that is installed now; evidence of another one proves nothing about it.
  const heard = evidence.heard.find((call) => isSameVersion(call.hostVersion, status.hostVersion)) ?? evidence.heard[0];
  const lastCall = heard
    ? { at: new Date(heard.at).toISOString(), session: heard.session, hostVersion: heard.hostVersion ?? null }
    : null;
  const against = reasonsAgainst(facts, heard?.at ?? Number.NEGATIVE_INFINITY);
  if (against.length > 0) return { ...base, state: 'not-loaded', lastCall, reasons: against };
  const missing = whatIsMissing(status, evidence, heard);
  return { ...base, state: missing ? 'unproven' : 'active', lastCall, reasons: missing ? [missing] : [] };
}

/** Also of entries in a file that the host does not read. */
export function roleOf({ beforeCalls, places }: Pick<HooksStatus, 'beforeCalls' | 'places'>): HookRole | null {
  if (beforeCalls.some(({ role }) => role === 'guard') || places.some(({ guard }) => guard)) return 'guard';
  return beforeCalls.length > 0 || places.some(({ events }) => events.length > 0) ? 'observe' : null;
}

function isSameVersion(seen: string | undefined, installed: string | null): boolean {
  return seen === undefined || installed === null || seen === installed;
}

function reasonsAgainst(facts: LoadFacts, heardAt: number): readonly LoadReason[] {
  const { status, refusals, evidence } = facts;
  const again = repairInstall(status);
  const isGuard = roleOf(status) === 'guard';
  const ours = status.places.filter(({ events, guard }) => events.length > 0 && (guard || !isGuard));
  const inForce = ours.filter(({ problem }) => problem === null);
  const scripts = status.scripts.filter(({ state }) => BROKEN.has(state));
  return [
    ...refusals,
    ...(inForce.length === 0
      ? ours.map(({ file, problem }) => reason('unread', `${file} is not read: ${problem}.`, again))
      : [...reasonsInSettings(facts, inForce), ...reasonsElsewhere(facts, inForce, heardAt)]),
    ...(inForce.length > 0 && status.beforeCalls.length === 0
      ? [reason('no-calls', 'No entry of troupe is in front of tool calls.', again)]
      : []),
    ...(scripts.length > 0 && scripts.length === status.scripts.length
      ? scripts.map(({ file, state }) => reason('script', `${file} cannot run (${state}).`, again))
      : []),
    ...unheardReason(status, evidence, heardAt),
  ];
}

/** One file that works is enough. */
function reasonsInSettings(
  { status: { shadows, unapproved, hostTitle }, isBeforeCalls }: LoadFacts,
  inForce: readonly SettingsStatus[],
): readonly LoadReason[] {
  const held = unapproved.filter(({ events }) => events.some(isBeforeCalls));
  const isHeld = inForce.every(({ file }) => held.some((one) => one.file === file));
  const isManaged = inForce.some(({ scope }) => scope === 'managed');
  return [
    ...shadows.flatMap(({ file, reason: why }) => {
      const remove = `Remove that setting from ${file}, then restart ${hostTitle}.`;
      if (why === 'all-off') return [reason('off', `${file} switches all hooks off.`, remove)];
      const ask = 'Ask the administrator of this machine.';
      return isManaged ? [] : [reason('managed', `${file} lets only managed hooks run.`, ask)];
    }),
    ...(isHeld ? held : []).map(({ file, how }) =>
      reason('unapproved', `${hostTitle} does not trust the hooks in ${file} yet.`, `${how}.`),
    ),
  ];
}

function reasonsElsewhere(
  { refusals, obstacles }: LoadFacts,
  inForce: readonly SettingsStatus[],
  heardAt: number,
): readonly LoadReason[] {
  // A version that loads nothing is reason enough.
  if (refusals.length > 0) return [];
  return obstacles
    .filter(({ scopes }) => inForce.every(({ scope }) => scopes?.includes(scope) ?? true))
    .filter(({ at }) => at === undefined || at > heardAt)
    .map(({ text, remedy }) => reason('obstacle', text, remedy));
}

const BROKEN: ReadonlySet<string> = new Set(['missing', 'not-ours', 'not-runnable']);

/** What the hooks of another state folder recorded is not ours to see: nothing follows from its absence. */
function unheardReason(status: Known, { unheard }: Evidence, heardAt: number): readonly LoadReason[] {
  if (!unheard || unheard.at <= heardAt || isKeptElsewhere(status)) return [];
  const { session, at, hostVersion, folder, missed, ran } = unheard;
  const who = [status.hostTitle, hostVersion ?? []].flat().join(' ');
  const where = folder === undefined ? '' : ` in ${folder}`;
  const calls = `${missed} of its ${ran} tool ${ran === 1 ? 'call' : 'calls'}`;
  return [
    reason(
      'unheard',
      `${who} ran session ${session}${where} (last call ${new Date(at).toISOString()}), and ${calls} did not pass the hook.`,
      `Restart ${status.hostTitle}: hooks are read when it starts. Then run one tool call and: ${statusCommand(status)}. Which calls: troupe guard coverage ${session}`,
    ),
  ];
}

function isKeptElsewhere({ scripts }: Known): boolean {
  return scripts.some(({ state }) => state === 'elsewhere');
}

function whatIsMissing(status: Known, evidence: Evidence, heard: HeardCall | undefined): LoadReason | undefined {
  const { hostTitle, hostVersion } = status;
  const tryIt = `Run one tool call in ${hostTitle}, then: ${statusCommand(status)}`;
  if (heard && isSameVersion(heard.hostVersion, hostVersion)) return undefined;
  if (heard)
    return reason(
      'other-version',
      `The last recorded call came from ${hostTitle} ${heard.hostVersion} (${new Date(heard.at).toISOString()}); ${hostTitle} ${hostVersion} is installed now and has not called it yet.`,
      tryIt,
    );
  if (isKeptElsewhere(status))
    return reason(
      'elsewhere',
      'The installed script writes to another state folder, so its calls cannot be seen from here.',
      `Set TROUPE_HOME to that folder, or run: ${repairInstall(status)}`,
    );
  if (evidence.problem !== undefined)
    return reason('no-evidence', `Recorded calls cannot be looked up: ${evidence.problem}`, 'Run: troupe doctor');
  return reason('no-evidence', `No call of ${hostTitle} has been recorded since it was installed.`, tryIt);
}

function statusCommand({ host, isToBeNamed }: Known): string {
  return `troupe hooks status${isToBeNamed ? ` --host ${host}` : ''}`;
}

export function reason(kind: LoadReason['kind'], text: string, remedy: string): LoadReason {
  return { kind, text, remedy };
}
