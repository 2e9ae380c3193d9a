// Copilot CLI's hooks beside the guard: a sample for `troupe doctor`, and the settings. Copilot reads every JSON file in a folder; one is ours.

import path from 'node:path';
import { parseHookCommand } from '../../../core/index.ts';
import { asAmount, asFlag, asObject, asText, isObject, known, parseObject } from '../../../lib/json.ts';
import { readText } from '../../../lib/regular-file.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type {
  HookCommands,
  HookObstacle,
  HookSettingsCapability,
  HooksCapability,
  ObstacleQuestion,
  SampleCall,
  SettingsHook,
  SettingsView,
} from '../../index.ts';
import { createKeptHookReader, GUARD_SECONDS, OBSERVER_SECONDS, readTolerantly } from '../../shared/index.ts';
import { BEFORE_CALL, copilotGuard, toGuarded } from '../guard.ts';
import { rootOf } from '../host.ts';
import { HOST } from '../line-context.ts';

export const hooks: HooksCapability = {
  ...copilotGuard,
  toCall: toGuarded,
  // The session's own file has everything as early as a hook.
  condense: () => undefined,
  sampleCall,
  sampleTranscript: () => '',
  // The caller is known by the location of the session, not by the version.
  namesCallers: () => false,
  createHookReader: createKeptHookReader,
};

/** As 1.0.102 calls it. Calls have no ids: the command carries it. */
function sampleCall({ session, call, agent }: SampleCall): unknown {
  return {
    sessionId: agent ?? session,
    timestamp: Date.now(),
    cwd: '/',
    toolName: 'bash',
    toolArgs: { command: `true # ${call}`, description: 'troupe doctor tries out its hooks' },
    ...known({
      agentId: agent,
      agentType: agent === undefined ? undefined : 'general-purpose',
      parentAgentId: agent === undefined ? undefined : session,
    }),
  };
}

/** 1.0.12 and 1.0.24 have hooks, but do not call them inside sub-agents. */
const INSIDE_AGENTS_SINCE = '1.0.50';

const FILE = path.join('hooks', 'troupe.json');

const NOT_OURS = 'it holds hooks that troupe did not write';

export const hookSettings: HookSettingsCapability = {
  programs: ({ home }) => ['copilot', path.join(home, '.local', 'bin', 'copilot')],
  versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
  // A project's hooks run only in a trusted folder; 1.0.50 to 1.0.78 do not run them with `-p`.
  files: (machine, folder) => [
    { scope: 'user', path: path.resolve(rootOf(machine), FILE) },
    { scope: 'project', path: path.join(folder, '.github', FILE) },
  ],
  isOwnFile: true,
  isBeforeCalls: (event) => event === BEFORE_CALL,
  eventsFor: (version = INSIDE_AGENTS_SINCE) => (isAtLeast(version, INSIDE_AGENTS_SINCE) ? [BEFORE_CALL] : []),
  problemIn: (text) => (hookIn(text) ? undefined : NOT_OURS),
  install: (_text, _version, commands) => settingsText(commands),
  uninstall: (text) => (hookIn(text) ? '' : text),
  inspect,
  obstacles: findObstacles,
};

/** Without trust 1.0.102 silently skips a project's hooks with `-p`. */
async function findObstacles({ machine, folder }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const file = path.resolve(rootOf(machine), 'config.json');
  const config = asObject(readTolerantly(await readText(file).catch(() => '')));
  const listed = [config?.['trustedFolders'], config?.['trusted_folders']].flat();
  for (let at = path.resolve(folder); !listed.includes(at); at = path.dirname(at))
    if (at === path.dirname(at))
      return [
        {
          text: `Copilot CLI does not trust ${folder} (${file}), and runs no hooks of its .github folder.`,
          remedy: 'Start copilot in this folder and trust it for good, or install the hooks with --scope user.',
          scopes: ['project'],
        },
      ];
  return [];
}

function settingsText({ observe, guard }: HookCommands): string {
  const entry = {
    type: 'command',
    bash: guard ?? observe,
    timeoutSec: guard === undefined ? OBSERVER_SECONDS : GUARD_SECONDS,
  };
  return `${JSON.stringify({ version: 1, hooks: { [BEFORE_CALL]: [entry] } }, null, 2)}\n`;
}

function inspect(text: string): SettingsView {
  const hook = hookIn(text);
  const problem = text.trim() !== '' && !hook ? NOT_OURS : undefined;
  const allOff = asFlag(parseObject(text)?.['disableAllHooks']);
  return { ours: hook ? [hook] : [], othersBeforeCalls: [], ...known({ problem, allOff }) };
}

const DEFAULT_SECONDS = 30;

function hookIn(text: string): SettingsHook | undefined {
  const entries = asObject(parseObject(text)?.['hooks'])?.[BEFORE_CALL];
  const entry = Array.isArray(entries) ? entries.find(isObject) : undefined;
  const command = asText(entry?.['bash']);
  const found = command === undefined ? undefined : parseHookCommand(command, HOST);
  if (command === undefined || !found) return undefined;
  const { isAsWritten, ...own } = found;
  const written = settingsText(own.role === 'guard' ? { observe: '', guard: command } : { observe: command });
  const changed = isAsWritten && text === written ? undefined : 'its text is not what troupe writes';
  const seconds = asAmount(entry?.['timeoutSec']) ?? DEFAULT_SECONDS;
  return { event: BEFORE_CALL, command, seconds, ...own, ...known({ changed }) };
}
