// Gemini CLI's hooks beside the guard: a sample for `troupe doctor`, and the settings files that install them.

import path from 'node:path';
import { asObject, isObject } from '../../../lib/json.ts';
import { readText } from '../../../lib/regular-file.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type {
  HookObstacle,
  HookSettingsCapability,
  HooksCapability,
  Machine,
  ObstacleQuestion,
  SampleCall,
  SettingsFile,
} from '../../index.ts';
import {
  createKeptHookReader,
  findUntrustedFolder,
  HOOK_ENTRIES,
  readTolerantly,
  type SettingsForm,
  settingsOf,
  switchOf,
  type Told,
} from '../../shared/index.ts';
import { BEFORE_CALL, ENDS, geminiGuard, toGuarded } from '../guard.ts';
import { rootOf } from '../host.ts';
import { HOST } from '../record.ts';

export const hooks: HooksCapability = {
  ...geminiGuard,
  toCall: toGuarded,
  condense: (payload): Told | undefined =>
    isObject(payload) && payload['hook_event_name'] === ENDS ? { closes: true } : undefined,
  sampleCall,
  sampleTranscript: () => '',
  namesNobody: true,
  namesCallers: () => false,
  createHookReader: createKeptHookReader,
};

/** As 0.61.0 calls it for any agent. Calls have no ids: the command carries it. */
function sampleCall({ session, transcript, call }: SampleCall): unknown {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: BEFORE_CALL,
    timestamp: new Date().toISOString(),
    tool_name: 'run_shell_command',
    tool_input: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks' },
  };
}

/** Before, hooks are behind two switches (`tools.enableHooks` and another one) and off by default. */
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
  obstacles: findObstacles,
};

/** A project's hooks run only in a trusted folder. */
function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  const root = rootOf(machine);
  return [
    { scope: 'user', path: path.resolve(root, 'settings.json') },
    { scope: 'project', path: path.join(folder, '.gemini', 'settings.json') },
    { scope: 'managed', path: path.join(MANAGED[process.platform] ?? '/etc/gemini-cli', 'settings.json') },
  ];
}

/** `/hooks disable` lists commands in `hooksConfig.disabled`. In an untrusted folder 0.61.0 drops the user's own hooks, too. */
async function findObstacles({ machine, folder, commands }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const found: HookObstacle[] = [];
  for (const { path: file } of settingsFiles(machine, folder)) {
    const text = await readText(file).catch(() => '');
    const disabled = asObject(asObject(readTolerantly(text))?.['hooksConfig'])?.['disabled'];
    if (Array.isArray(disabled) && commands.some((command) => disabled.includes(command)))
      found.push({
        text: `${file} disables our hook (hooksConfig.disabled).`,
        remedy: 'Start gemini, type /hooks enable-all, and restart it.',
      });
  }
  const root = rootOf(machine);
  const file = machine.env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || path.join(root, 'trustedFolders.json');
  const settings = path.resolve(root, 'settings.json');
  const distrusted = await findUntrustedFolder({ file, settings, isOnByDefault: true, folder });
  if (distrusted !== undefined)
    found.push({
      text: `Gemini CLI does not trust ${distrusted}, and runs no hooks there (${file}).`,
      remedy: 'Start gemini in this folder, type /permissions, and trust it.',
    });
  return found;
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/GeminiCli',
  win32: 'C:\\ProgramData\\gemini-cli',
};
