// Where Claude Code keeps its settings, and what we do with them.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { HookSettingsCapability, Machine, SettingsFile } from '../../index.ts';
import { settingsOf } from '../../shared/index.ts';
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
    ...managedFiles(MANAGED[process.platform] ?? '/etc/claude-code'),
  ];
}

/** Files in `managed-settings.d` are merged over `managed-settings.json`, in the order of their names. */
function managedFiles(folder: string): readonly SettingsFile[] {
  const parts = path.join(folder, 'managed-settings.d');
  let names: readonly string[] = [];
  try {
    names = readdirSync(parts).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    // There is none.
  }
  const files = [path.join(folder, 'managed-settings.json'), ...names.toSorted().map((name) => path.join(parts, name))];
  return files.map((file) => ({ scope: 'managed', path: file }));
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
};
