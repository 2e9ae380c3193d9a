// Our hook commands in the settings of hosts: their text, their status (docs/HOOKS.md), remedies, and the findings of `troupe doctor`.

export type HookScope = 'user' | 'project' | 'local';

export interface SettingsChange {
  readonly scope: HookScope;
  readonly file: string;
  /** Null: there is no such file. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface HooksStatus {
  readonly host: string;
  readonly hostTitle: string;
  /** Commands that name no host are about another one. */
  readonly isToBeNamed?: true;
  readonly hostVersion: string | null;
  /** Of this troupe. */
  readonly version: string;
  /** What could be observed with this version of the host. */
  readonly events: readonly string[];
  readonly places: readonly SettingsStatus[];
  /** What keeps ours from running, though they are there. */
  readonly shadows: readonly HookShadow[];
  /** Events of which we would be told twice, because entries of ours in two files differ. */
  readonly doubled: readonly string[];
  /** Our commands in front of tool calls, word for word. */
  readonly beforeCalls: readonly { readonly role: HookRole; readonly command: string }[];
  /** Guards for which the host waits shorter than the policy has them wait for an answer. */
  readonly impatient: readonly ImpatientGuard[];
  /** Ours that the host does not run before its person has agreed to them there. */
  readonly unapproved: readonly UnapprovedHooks[];
  /** The scripts that our entries run. */
  readonly scripts: readonly ScriptStatus[];
  readonly loaded: HooksLoaded;
  /** Everything that can be observed is installed, by entries and scripts of this version, and nothing is known to be in the way. */
  readonly isComplete: boolean;
}

/** Whether the host really runs our hooks. Entries in its settings prove nothing: only a call of the host does. */
export interface HooksLoaded {
  /**
   * `active`: this version of the host called our hook since it was installed, and nothing speaks against it since.
   * `unproven`: installed, but no such call was recorded. `not-loaded`: the host does not run it, for `reasons`.
   */
  readonly state: 'not-installed' | 'unproven' | 'active' | 'not-loaded';
  /** What stands in front of tool calls; null where nothing does. */
  readonly role: HookRole | null;
  /** When it was entered or last changed, ISO 8601 UTC; null where it is not installed. */
  readonly installedAt: string | null;
  /** The call that proves it. Of another version of the host, where the state is `unproven`. */
  readonly lastCall: HookProof | null;
  /** Why the state is not `active`, and what to do; the first counts most. */
  readonly reasons: readonly LoadReason[];
}

export interface HookProof {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly session: string | null;
  /** Null: the session's files do not say, or are gone. */
  readonly hostVersion: string | null;
}

export interface LoadReason {
  /**
   * `version`: the host's version. `off`, `managed`, `unapproved`: its settings. `unread`: it does not read the file. `script`: ours cannot
   * run. `no-calls`: no entry in front of tool calls. `obstacle`: anything else in its configuration. `unheard`: a session ran without it.
   * `no-evidence`, `other-version`, `elsewhere`: nothing proves that it works.
   */
  readonly kind:
    | 'version'
    | 'off'
    | 'managed'
    | 'unapproved'
    | 'unread'
    | 'script'
    | 'no-calls'
    | 'obstacle'
    | 'unheard'
    | 'no-evidence'
    | 'other-version'
    | 'elsewhere';
  readonly text: string;
  readonly remedy: string;
}

export interface SettingsStatus {
  readonly scope: HookScope | 'managed';
  readonly file: string;
  readonly exists: boolean;
  /** Why the host does not read it. */
  readonly problem: string | null;
  /** Events for which the host is too old, where it reads nothing of the file because of them. */
  readonly tooNew: readonly string[];
  readonly events: readonly string[];
  readonly guard: boolean;
  /** Entries that somebody changed since, and how they differ. */
  readonly changed: readonly { readonly event: string; readonly how: string }[];
  /** Of the troupe that wrote them; more than one where something went wrong. */
  readonly versions: readonly string[];
  /** Of others, in front of tool calls. */
  readonly othersBeforeCalls: readonly string[];
}

export interface ImpatientGuard {
  readonly scope: SettingsStatus['scope'];
  readonly file: string;
  /** So long the host waits. */
  readonly seconds: number;
  /** So long the policy may wait for an answer. */
  readonly waitSeconds: number;
}

export interface UnapprovedHooks {
  readonly file: string;
  readonly events: readonly string[];
  /** What the person has to do, in words. */
  readonly how: string;
}

export interface HookShadow {
  readonly file: string;
  readonly reason: 'all-off' | 'only-managed';
}

export interface ScriptStatus {
  readonly file: string;
  /** Of the settings that run it. */
  readonly scope: SettingsStatus['scope'];
  /** `elsewhere`: of another state folder. */
  readonly state: 'ours' | 'other-version' | 'not-ours' | 'not-runnable' | 'elsewhere' | 'missing';
  readonly version: string | null;
}

// The commands that stand in a host's settings. The comment at their end is how we know our own again, and of which
// version they are.

export type HookRole = 'observe' | 'guard';

export interface HookCommand {
  readonly role: HookRole;
  /** The script that it runs. */
  readonly file: string;
  /** Of the troupe that wrote it. */
  readonly version: string;
  /** Of a guard: the person's policy. Where it is there and the guard is not, nothing runs that nobody checked. */
  readonly policy?: string;
}

/**
 * `exec`, so that the host is the script's parent. A troupe that was removed without a word must not make the host
 * complain at every step: an observer that is gone says nothing. A guard that cannot run does, and where there is a
 * policy it stops the call: of all codes, hosts take 2 alone for a no. An `exec` that fails ends the shell, and an end
 * runs the trap; but in bash only with `execfail`.
 */
export function formatHookCommand({ role, file, version, policy }: HookCommand, host: string): string {
  const script = quote(file);
  // What the host tells is read in any case: it should not find the pipe closed.
  const run = `[ -x ${script} ] && [ -s ${script} ] || { cat > /dev/null; exit ${role === 'guard' ? 1 : 0}; }; exec ${script} ${host}`;
  const mark = `# troupe ${version} ${role}`;
  return role === 'guard' && policy !== undefined
    ? `p=${quote(policy)}; ${AT_END}; shopt -s execfail 2> /dev/null; ${run}; exit 1 ${mark}`
    : `${run} ${mark}`;
}

const CANNOT_RUN =
  'troupe: the guard cannot run, so nobody checked this call. To mend it: troupe hooks install --guard. To do without it: ' +
  'troupe hooks uninstall, or remove the hooks that end in # troupe from the settings.';

const AT_END = `trap 'echo "${CANNOT_RUN}" >&2; d=$PWD; while :; do for f in "$p" "$d/.troupe/policy.yaml" "$d/.troupe/policy.local.yaml"; do [ ! -e "$f" ] && [ ! -L "$f" ] || exit 2; done; [ -n "$d" ] || break; d=\${d%/*}; done' 0`;

export interface FoundCommand extends HookCommand {
  /** Exactly what `formatHookCommand` of this version writes. */
  readonly isAsWritten: boolean;
}

/**
 * Nothing where it is somebody else's. What began as ours and was changed is ours still: it is to be found, told of and
 * taken out.
 */
export function parseHookCommand(command: string, host: string): FoundCommand | undefined {
  const [, policy, script, version, role] = command.match(OURS) ?? [];
  if (script === undefined || version === undefined) return undefined;
  const found: HookCommand = {
    role: role === 'guard' ? 'guard' : 'observe',
    file: unquote(script),
    version,
    ...(policy !== undefined && { policy: unquote(policy) }),
  };
  return { ...found, isAsWritten: formatHookCommand(found, host) === command };
}

const OURS =
  /^(?:p=('(?:[^']|'\\'')*'); .*; )?\[ -x ('(?:[^']|'\\'')*') \] (?:&& \[ -s \2 \] )?\|\| .* # troupe (\S+) (observe|guard)$/s;

function quote(file: string): string {
  return `'${file.replaceAll("'", "'\\''")}'`;
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll("'\\''", "'");
}

/** The command that enters ours anew where they stand. Nothing where they are not ours to change. */
export function installAgain(
  { scope, guard }: Pick<SettingsStatus, 'scope' | 'guard'>,
  status: NamedHost,
): string | undefined {
  if (scope === 'managed') return undefined;
  return `${install(status)}${scope === 'user' ? '' : ` --scope ${scope}`}${guard ? ' --guard' : ''}`;
}

type NamedHost = Pick<HooksStatus, 'host' | 'isToBeNamed'>;

function install(status: NamedHost): string {
  return `troupe hooks install${hostFlag(status)}`;
}

function hostFlag({ host, isToBeNamed }: NamedHost): string {
  return isToBeNamed ? ` --host ${host}` : '';
}

/** Where ours stand, best there where the host reads them; in no place: where they are installed by default. */
export function repairInstall(
  status: NamedHost & Pick<HooksStatus, 'places'>,
  scope?: SettingsStatus['scope'],
): string {
  const { places } = status;
  const ours = places.filter((place) => place.events.length > 0 && (scope === undefined || place.scope === scope));
  const place = ours.find(({ problem }) => problem === null) ?? ours[0];
  return (place && installAgain(place, status)) ?? install(status);
}

/**
 * Where different entries tell of the same event: those that tell least are taken out. Within one file, installing
 * leaves one.
 */
export function removeDoubledHooks(status: NamedHost & Pick<HooksStatus, 'places' | 'doubled' | 'version'>): string {
  const { places, doubled, version } = status;
  const telling = places.filter(
    ({ problem, events }) => problem === null && doubled.some((one) => events.includes(one)),
  );
  const worth = ({ guard, versions, scope }: SettingsStatus): number =>
    (scope === 'managed' ? 8 : 0) + (guard ? 4 : 0) + (versions.includes(version) ? 2 : 0) + (scope === 'user' ? 1 : 0);
  const [least, ...others] = telling.toSorted((a, b) => worth(a) - worth(b));
  return least && others.length > 0
    ? `troupe hooks uninstall${hostFlag(status)} --scope ${least.scope}`
    : repairInstall(status, least?.scope);
}

export function nameHookRole({ role }: Pick<HooksLoaded, 'role'>): string {
  return role === 'guard' ? 'the guard' : 'our hooks';
}

/** The same words wherever it is said. */
export function notLoadedText({ role }: Pick<HooksLoaded, 'role'>): string {
  return role === 'guard'
    ? 'GUARD NOT LOADED, tool calls run UNGUARDED:'
    : 'HOOKS NOT LOADED, troupe is told of no tool call:';
}

/** `note`: worth knowing. `warning`: something is missing that you may want. `problem`: something does not work. */
export type FindingLevel = 'good' | 'note' | 'warning' | 'problem';

export type FindingArea = 'hosts' | 'folders' | 'hooks' | 'server' | 'state' | 'audit' | 'telegram';

/** One thing that `troupe doctor` looked at. */
export interface Finding {
  readonly area: FindingArea;
  /** Stable, for scripts. */
  readonly code: string;
  readonly level: FindingLevel;
  /** One sentence. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy: string | null;
}

export interface DoctorReport {
  readonly version: string;
  readonly problems: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
}
