// Where Claude Code keeps its settings, and what we do with them.
import path from 'node:path';
import type { HookSettingsCapability, Machine, SettingsFile } from '../../adapter.ts';
import { settingsOf } from '../../hook-kit/settings-of.ts';
import { rootsOf } from '../data-folder.ts';
import { FORM } from './form.ts';

export const hookSettings: HookSettingsCapability = {
  ...settingsOf(FORM),
  programs: ({ home }) => [
    'claude',
    path.join(home, '.local', 'bin', 'claude'),
    path.join(home, '.claude', 'local', 'claude'),
  ],
  files: settingsFiles,
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
