// Where Claude Code keeps its settings, and what we do with them.
import path from 'node:path';
import type { HookSettingsCapability, Machine, SettingsFile } from '../../adapter.ts';
import { rootsOf } from '../data-folder.ts';
import { BEFORE_A_CALL, eventsOf, OLDEST_READ } from './events.ts';
import { planInstall, planUninstall } from './plan-settings.ts';
import { inspect, problemIn } from './read-settings.ts';

export const hookSettings: HookSettingsCapability = {
  programs: ({ home }) => [
    'claude',
    path.join(home, '.local', 'bin', 'claude'),
    path.join(home, '.claude', 'local', 'claude'),
  ],
  versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
  files: settingsFiles,
  isBeforeCalls: (event) => event === BEFORE_A_CALL,
  eventsFor: (version = OLDEST_READ) => eventsOf(version),
  problemIn,
  install: (text, version = OLDEST_READ, commands) => planInstall(text, version, commands),
  uninstall: planUninstall,
  inspect,
};

/** Managed settings rule over local ones, those over the project's, and those over the person's own. */
function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  const [root = path.join(machine.home, '.claude')] = rootsOf(machine);
  return [
    { scope: 'user', path: path.resolve(root, 'settings.json') },
    { scope: 'project', path: path.join(folder, '.claude', 'settings.json') },
    { scope: 'local', path: path.join(folder, '.claude', 'settings.local.json') },
    { scope: 'managed', path: path.join(MANAGED[process.platform] ?? '/etc/claude-code', 'managed-settings.json') },
  ];
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
};
