// Gemini CLI's hooks beside the guard: a sample for `troupe doctor`, and the settings files that install them.

import path from 'node:path';
import { asObject } from '../../../lib/json.ts';
import { readText } from '../../../lib/regular-file.ts';
import type { HookObstacle, HookSettingsCapability, HooksCapability, ObstacleQuestion } from '../../index.ts';
import {
  createHookSettings,
  createKeptHookReader,
  findUntrustedFolder,
  keepEnd,
  readTolerantly,
  samplePayload,
  switchOf,
  toGuarded,
} from '../../shared/index.ts';
import { BEFORE_CALL, geminiGuard } from '../guard.ts';
import { rootOf } from '../host.ts';
import { HOST } from '../record.ts';

export const hooks: HooksCapability = {
  ...geminiGuard,
  toCall: (tool, input) => toGuarded(HOST, tool, input),
  condense: keepEnd,
  // As 0.61.0 calls it for any agent. Calls have no ids: the command carries it.
  sampleCall: (sample) => samplePayload(BEFORE_CALL, sample),
  sampleTranscript: () => '',
  namesNobody: true,
  namesCallers: () => false,
  createHookReader: createKeptHookReader,
};

const settings = createHookSettings({
  host: HOST,
  title: 'Gemini CLI',
  program: 'gemini',
  beforeCalls: BEFORE_CALL,
  // Before, hooks are behind two switches (`tools.enableHooks` and another one) and off by default.
  since: '0.26.0',
  rootOf,
  // A project's hooks run only in a trusted folder.
  folder: '.gemini',
  managed: ['gemini-cli', 'GeminiCli'],
  readSwitches({ hooksConfig, tools }) {
    const enabled = asObject(hooksConfig)?.['enabled'] ?? asObject(tools)?.['enableHooks'];
    return switchOf(enabled === undefined ? undefined : enabled === false, 'allOff');
  },
});

export const hookSettings: HookSettingsCapability = { ...settings, obstacles: findObstacles };

/** `/hooks disable` lists commands in `hooksConfig.disabled`. In an untrusted folder 0.61.0 drops the user's own hooks, too. */
async function findObstacles({ machine, folder, commands }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const found: HookObstacle[] = [];
  for (const { path: file } of settings.files(machine, folder)) {
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
  const distrusted = await findUntrustedFolder({ file, root, isOnByDefault: true, folder });
  if (distrusted !== undefined)
    found.push({
      text: `Gemini CLI does not trust ${distrusted}, and runs no hooks there (${file}).`,
      remedy: 'Start gemini in this folder, type /permissions, and trust it.',
    });
  return found;
}
