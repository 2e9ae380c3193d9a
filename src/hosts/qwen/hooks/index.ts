// Qwen Code's hooks beside the guard: samples for `troupe doctor`, and the settings files that install them.

import path from 'node:path';
import { isObject, known } from '../../../lib/json.ts';
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
  type SettingsForm,
  settingsOf,
  switchOf,
  type Told,
} from '../../shared/index.ts';
import { BEFORE_CALL, ENDS, namesCallers, qwenGuard, toGuarded } from '../guard.ts';
import { HOST } from '../record.ts';

export const hooks: HooksCapability = {
  ...qwenGuard,
  toCall: toGuarded,
  condense: (payload): Told | undefined =>
    isObject(payload) && payload['hook_event_name'] === ENDS ? { closes: true } : undefined,
  sampleCall,
  sampleTranscript,
  namesCallers,
  createHookReader: createKeptHookReader,
};

/** As 0.24.4 calls it. */
function sampleCall({ session, transcript, call, agent }: SampleCall): unknown {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: '/',
    hook_event_name: BEFORE_CALL,
    timestamp: new Date().toISOString(),
    permission_mode: 'default',
    ...known({ agent_id: agent }),
    tool_name: 'run_shell_command',
    tool_input: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks', is_background: false },
    tool_use_id: `toolu_${call}`,
    tool_call_id: call,
  };
}

function sampleTranscript(session: string, version: string): string {
  const line = {
    uuid: session,
    parentUuid: null,
    sessionId: session,
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'user',
    cwd: '/',
    version,
    message: { role: 'user', parts: [{ text: 'troupe doctor tries out its hooks' }] },
  };
  return `${JSON.stringify(line)}\n`;
}

/** The oldest version seen to run hooks by default: 0.12.0 needs a command-line flag. */
const SINCE = '0.15.10';

const FORM: SettingsForm = {
  host: HOST,
  title: 'Qwen Code',
  beforeCalls: BEFORE_CALL,
  eventsOf: (version) => (isAtLeast(version, SINCE) ? [BEFORE_CALL, ENDS] : []),
  oldest: SINCE,
  ...HOOK_ENTRIES,
  readSwitches: (settings) => switchOf(settings['disableAllHooks'], 'allOff'),
};

export const hookSettings: HookSettingsCapability = {
  ...settingsOf(FORM),
  programs: ({ home }) => ['qwen', path.join(home, '.local', 'bin', 'qwen')],
  files: settingsFiles,
  obstacles: findObstacles,
};

/** `QWEN_HOME` moves the settings as well; `QWEN_RUNTIME_DIR` does not. */
function rootOf({ env, home }: Machine): string {
  return env['QWEN_HOME'] || path.join(home, '.qwen');
}

function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  return [
    { scope: 'user', path: path.resolve(rootOf(machine), 'settings.json') },
    { scope: 'project', path: path.join(folder, '.qwen', 'settings.json') },
    { scope: 'managed', path: path.join(MANAGED[process.platform] ?? '/etc/qwen-code', 'settings.json') },
  ];
}

async function findObstacles({ machine, folder }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const file = path.resolve(rootOf(machine), 'trustedFolders.json');
  const settings = path.resolve(rootOf(machine), 'settings.json');
  const distrusted = await findUntrustedFolder({ file, settings, isOnByDefault: false, folder });
  if (distrusted === undefined) return [];
  return [
    {
      text: `Qwen Code does not trust ${distrusted}, and runs no hooks of its .qwen folder (${file}).`,
      remedy: 'Start qwen in this folder, type /trust, and trust it; or install the hooks with --scope user.',
      scopes: ['project'],
    },
  ];
}

const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/QwenCode',
  win32: 'C:\\ProgramData\\qwen-code',
};
