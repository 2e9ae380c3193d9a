// Hosts that took over Claude Code's way to write hooks down: in a JSON file, by event, groups of commands. What differs is here.

import type { HookRole } from '../../../core/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { SettingsView } from '../../index.ts';

export interface SettingsForm {
  readonly host: string;
  /** As people write it. */
  readonly title: string;
  /** The event in front of a tool call. */
  readonly beforeCalls: string;
  eventsOf(version: string): readonly string[];
  /** Where nobody knows the version. */
  readonly oldest: string;
  /** The entry of one command of ours. */
  entryFor(event: string, command: string, role: HookRole, version: string): JsonObject;
  /** What an entry may have without being other than ours. */
  readonly fields: ReadonlySet<string>;
  /** How long the host waits, by the entry's `timeout`; by its own, where it has none. */
  secondsOf(timeout: number | undefined): number;
  /** A comment does not make the host drop the file. */
  readonly takesComments?: true;
  /** What else in the file says whether hooks run. */
  readSwitches(settings: JsonObject, version: string | undefined): Omit<SettingsView, 'ours' | 'othersBeforeCalls'>;
}

/** Seconds. Ours answer in milliseconds, or something is broken. */
export const OBSERVER_SECONDS = 5;

/** But where a person is asked, the guard holds the call for as long as a policy may say, an hour, and answers then. */
export const GUARD_SECONDS = 3_600 + 60;
