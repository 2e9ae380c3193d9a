// Qwen Code's hooks beside the guard: samples for `troupe doctor`, and the settings files that install them.

import path from 'node:path';
import { known } from '../../../lib/json.ts';
import type {
  HookObstacle,
  HookSettingsCapability,
  HooksCapability,
  Machine,
  ObstacleQuestion,
  SampleCall,
} from '../../index.ts';
import {
  createHookSettings,
  createKeptHookReader,
  findUntrustedFolder,
  keepEnd,
  samplePayload,
  switchOf,
  toGuarded,
} from '../../shared/index.ts';
import { BEFORE_CALL, namesCallers, qwenGuard } from '../guard.ts';
import { HOST } from '../record.ts';

export const hooks: HooksCapability = {
  ...qwenGuard,
  toCall: (tool, input) => toGuarded(HOST, tool, input),
  condense: keepEnd,
  sampleCall,
  sampleTranscript,
  namesCallers,
  createHookReader: createKeptHookReader,
};

/** As 0.24.4 calls it. */
function sampleCall(sample: SampleCall): unknown {
  const payload = samplePayload(BEFORE_CALL, sample);
  return {
    ...payload,
    permission_mode: 'default',
    ...known({ agent_id: sample.agent }),
    tool_input: { ...payload.tool_input, is_background: false },
    tool_use_id: `toolu_${sample.call}`,
    tool_call_id: sample.call,
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

export const hookSettings: HookSettingsCapability = {
  ...createHookSettings({
    host: HOST,
    title: 'Qwen Code',
    program: 'qwen',
    beforeCalls: BEFORE_CALL,
    // The oldest version seen to run hooks by default: 0.12.0 needs a command-line flag.
    since: '0.15.10',
    rootOf,
    folder: '.qwen',
    managed: ['qwen-code', 'QwenCode'],
    readSwitches: (settings) => switchOf(settings['disableAllHooks'], 'allOff'),
  }),
  obstacles: findObstacles,
};

/** `QWEN_HOME` moves the settings as well; `QWEN_RUNTIME_DIR` does not. */
function rootOf({ env, home }: Machine): string {
  return env['QWEN_HOME'] || path.join(home, '.qwen');
}

async function findObstacles({ machine, folder }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const root = rootOf(machine);
  const file = path.resolve(root, 'trustedFolders.json');
  const distrusted = await findUntrustedFolder({ file, root, isOnByDefault: false, folder });
  if (distrusted === undefined) return [];
  return [
    {
      text: `Qwen Code does not trust ${distrusted}, and runs no hooks of its .qwen folder (${file}).`,
      remedy: 'Start qwen in this folder, type /trust, and trust it; or install the hooks with --scope user.',
      scopes: ['project'],
    },
  ];
}
