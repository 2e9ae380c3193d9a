// Where Claude Code keeps its settings, and how hooks stand in them. It reads plain JSON: one comment or one comma too many, and it
// ignores the whole file without a word (docs/HOOKS.md). Events by version come from its published bundles, 1.0.38 to 2.1.325.

import path from 'node:path';
import { asObject, type JsonObject } from '../../lib/json.ts';
import { isAtLeast } from '../../lib/version-number.ts';
import type { HookSettingsCapability, Machine, SettingsFile } from '../index.ts';
import { GUARD_SECONDS, OBSERVER_SECONDS, type SettingsForm, settingsOf, switchOf } from '../shared/index.ts';
import { BEFORE_CALL, namesIn } from './guard.ts';
import { rootsOf } from './host.ts';
import { HOST } from './line-context.ts';
import { statusLine } from './status-line.ts';

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

/** Hooks that the program does not wait for. Older ones ignore the word and wait. */
const ASYNC_SINCE = '2.1.15';

/**
 * A program that ends leaves behind what it did not wait for: with all of them in the background, 2.1.197 lost
 * one or two in each of 10 runs of `-p`. It waits for those that come with an end, and the others are through by then.
 */
const WAITED_FOR: ReadonlySet<string> = new Set(['SubagentStop', 'Stop', 'StopFailure', 'SessionEnd']);

export function eventsOf(version: string): readonly string[] {
  return Object.keys(OBSERVED).filter((name) => isAtLeast(version, OBSERVED[name] ?? ''));
}

/** Up to here one event that the program does not know makes it drop the whole file. */
const DROPS_FILES_BELOW = '2.1.101';

/** Of these events, those for which this version drops the whole file. We know only of those we observe. */
function tooNewFor(version: string, events: readonly string[]): readonly string[] {
  if (isAtLeast(version, DROPS_FILES_BELOW)) return [];
  return events.filter((name) => OBSERVED[name] !== undefined && !isAtLeast(version, OBSERVED[name]));
}

export function knowsAsync(version: string): boolean {
  return isAtLeast(version, ASYNC_SINCE);
}

const FORM: SettingsForm = {
  host: HOST,
  title: 'Claude Code',
  beforeCalls: BEFORE_CALL,
  eventsOf,
  oldest: '1.0.60',
  entryFor(event, command, role, version) {
    if (role === 'guard') return { type: 'command', command, timeout: GUARD_SECONDS };
    const isBackground = !WAITED_FOR.has(event) && knowsAsync(version);
    return { type: 'command', command, timeout: OBSERVER_SECONDS, ...(isBackground && { async: true }) };
  },
  fields: new Set(['type', 'command', 'timeout', 'async']),
  // The least that any version waits for.
  secondsOf: (timeout = 60) => timeout,
  readSwitches(settings, version) {
    return {
      ...tooNewIn(settings, version),
      ...switchOf(settings['disableAllHooks'], 'allOff'),
      ...switchOf(settings['allowManagedHooksOnly'] === true || isPluginOnly(settings) || undefined, 'onlyManaged'),
    };
  },
};

/** `strictPluginOnlyCustomization`: hooks of plugins and of managed settings only (2.1.325). */
function isPluginOnly({ strictPluginOnlyCustomization: strict }: JsonObject): boolean {
  return strict === true || (Array.isArray(strict) && strict.includes('hooks'));
}

function tooNewIn(settings: JsonObject, version: string | undefined) {
  const tooNew = version === undefined ? [] : tooNewFor(version, Object.keys(asObject(settings['hooks']) ?? {}));
  if (tooNew.length === 0) return {};
  const known = `Claude Code ${version} does not know ${tooNew.join(', ')}`;
  return { tooNew, problem: `${known}, and ignores a file with hooks for such events as a whole` };
}

export const hookSettings: HookSettingsCapability = {
  statusLine,
  ...settingsOf(FORM),
  programs: ({ home }) => ['claude', path.join(home, '.local/bin/claude'), path.join(home, '.claude/local/claude')],
  files: settingsFiles,
};

/** Managed settings rule over local ones, those over the project's, and those over the person's own. */
function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  const [root = path.join(machine.home, '.claude')] = rootsOf(machine);
  return [
    { scope: 'user', path: path.resolve(root, 'settings.json') },
    { scope: 'project', path: path.join(folder, '.claude', 'settings.json') },
    { scope: 'local', path: path.join(folder, '.claude', 'settings.local.json') },
    ...managedFiles(MANAGED[process.platform] ?? '/etc/claude-code'),
  ];
}

/** Files in `managed-settings.d` are merged over `managed-settings.json`, in the order of their names. */
function managedFiles(folder: string): readonly SettingsFile[] {
  const parts = path.join(folder, 'managed-settings.d');
  const names = namesIn(parts).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  const files = [path.join(folder, 'managed-settings.json'), ...names.toSorted().map((name) => path.join(parts, name))];
  return files.map((file) => ({ scope: 'managed', path: file }));
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
};
