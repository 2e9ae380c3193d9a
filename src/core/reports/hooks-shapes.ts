// What is known of our entries in a host's settings, and what would change in them (docs/HOOKS.md has the names).
import type { HookRole } from '../hook-command.ts';

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
