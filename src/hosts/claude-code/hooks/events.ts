// Hook events of Claude Code by version: from the lists of names in its published bundles, 1.0.38 to 2.1.325
// (docs/HOOKS.md). Up to 2.1.100 one event that the program does not know makes it drop the whole settings file
// without a word, so none is ever written for a version that lacks it.
import { isAtLeast } from '../../../lib/version-number.ts';

/** Those we observe, with the first published version that knows them. */
export const OBSERVED: Readonly<Record<string, string>> = {
  SessionStart: '1.0.62',
  UserPromptSubmit: '1.0.53',
  PreToolUse: '1.0.38',
  PermissionRequest: '2.0.45',
  PermissionDenied: '2.1.88',
  PostToolUse: '1.0.38',
  PostToolUseFailure: '2.0.56',
  PostToolBatch: '2.1.118',
  Notification: '1.0.38',
  SubagentStart: '2.0.44',
  SubagentStop: '1.0.41',
  TaskCreated: '2.1.84',
  TaskCompleted: '2.1.33',
  TeammateIdle: '2.1.33',
  PreCompact: '1.0.48',
  Stop: '1.0.38',
  StopFailure: '2.1.78',
  SessionEnd: '1.0.85',
};

/** In front of a tool call: where the guard stands. */
export const BEFORE_A_CALL = 'PreToolUse';

/** Where nobody knows the version. */
export const OLDEST_READ = '1.0.60';

/** Hooks that the program does not wait for. Older ones ignore the word and wait. */
const ASYNC_SINCE = '2.1.15';

/**
 * A program that ends leaves behind what it did not wait for: with all of them in the background, 2.1.197 lost
 * one or two in each of 10 runs of `-p`. It waits for those that come with an end, and the others are through by then.
 */
export const WAITED_FOR: ReadonlySet<string> = new Set(['SubagentStop', 'Stop', 'StopFailure', 'SessionEnd']);

export function eventsOf(version: string): readonly string[] {
  return Object.keys(OBSERVED).filter((name) => isAtLeast(version, OBSERVED[name] ?? ''));
}

/** Up to here one event that the program does not know makes it drop the whole file. */
const DROPS_FILES_BELOW = '2.1.101';

/** Of these events, those for which this version drops the whole file. We know only of those we observe. */
export function tooNewFor(version: string, events: readonly string[]): readonly string[] {
  if (isAtLeast(version, DROPS_FILES_BELOW)) return [];
  return events.filter((name) => OBSERVED[name] !== undefined && !isAtLeast(version, OBSERVED[name]));
}

export function knowsAsync(version: string): boolean {
  return isAtLeast(version, ASYNC_SINCE);
}
