// Where Gemini CLI keeps its settings, and how hooks stand in them.
import path from 'node:path';
import { asObject } from '../../../base/json.ts';
import { isAtLeast } from '../../../base/version-number.ts';
import type { HookSettingsCapability, Machine, SettingsFile } from '../../adapter.ts';
import { HOOK_ENTRIES } from '../../genai/hook-entries.ts';
import type { SettingsForm } from '../../hook-kit/form.ts';
import { switchOf } from '../../hook-kit/read-groups.ts';
import { settingsOf } from '../../hook-kit/settings-of.ts';
import { rootsOf } from '../data-folder.ts';
import { HOST } from '../line-context.ts';
import { BEFORE_CALL, ENDS } from './payload.ts';

/** Before, hooks are there behind two switches (`tools.enableHooks` and another one), and off. */
const SINCE = '0.26.0';

const FORM: SettingsForm = {
  host: HOST,
  title: 'Gemini CLI',
  beforeCalls: BEFORE_CALL,
  eventsOf: (version) => (isAtLeast(version, SINCE) ? [BEFORE_CALL, ENDS] : []),
  oldest: SINCE,
  ...HOOK_ENTRIES,
  readSwitches(settings) {
    const enabled = asObject(settings['hooksConfig'])?.['enabled'] ?? asObject(settings['tools'])?.['enableHooks'];
    return switchOf(enabled === undefined ? undefined : enabled === false, 'allOff');
  },
};

export const hookSettings: HookSettingsCapability = {
  ...settingsOf(FORM),
  programs: ({ home }) => ['gemini', path.join(home, '.local', 'bin', 'gemini')],
  files: settingsFiles,
};

/** A project's hooks are run in a folder that the person trusts. */
function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  const [root = path.join(machine.home, '.gemini')] = rootsOf(machine);
  return [
    { scope: 'user', path: path.resolve(root, 'settings.json') },
    { scope: 'project', path: path.join(folder, '.gemini', 'settings.json') },
    { scope: 'managed', path: path.join(MANAGED[process.platform] ?? '/etc/gemini-cli', 'settings.json') },
  ];
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/GeminiCli',
  win32: 'C:\\ProgramData\\gemini-cli',
};
