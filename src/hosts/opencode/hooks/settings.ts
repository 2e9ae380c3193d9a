// Where our plugin for OpenCode is installed: one file for OpenCode 1 and 2, which read the same folder. OpenCode 2 loads only what has a
// `setup` function: of any other file it runs every tool, and `run` and `serve` print nothing about it (2.0.15).

import path from 'node:path';
import { parseHookCommand } from '../../../core/index.ts';
import { asObject, asText, known } from '../../../lib/json.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type {
  HookCommands,
  HookObstacle,
  HookSettingsCapability,
  Machine,
  ObstacleQuestion,
  SettingsFile,
  SettingsHook,
  SettingsView,
} from '../../index.ts';
import { GUARD_SECONDS } from '../../shared/index.ts';
import { ASKED, BEFORE_CALL, REPLIED } from '../guard.ts';
import { ifAbsolute } from '../host.ts';
import { HOST, objectsIn } from '../record.ts';
import { getData } from '../server/second.ts';
import { readService } from '../server/service.ts';
import { PLUGIN_ID } from './plugin-body.ts';
import { commandsIn, isOurs, pluginText } from './plugin-text.ts';

export const hookSettings: HookSettingsCapability = {
  // OpenCode 2 was called opencode2 before its release.
  programs: ({ home }) => ['opencode', path.join(home, '.opencode', 'bin', 'opencode'), 'opencode2'],
  versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
  files: pluginFiles,
  isOwnFile: true,
  isBeforeCalls: (event) => event === BEFORE_CALL,
  eventsFor: () => EVENTS,
  problemIn: (text) => (isOurs(text) ? undefined : NOT_OURS),
  install: (_text, _version, commands) => pluginText(commands),
  uninstall: (text) => (isOurs(text) ? '' : text),
  inspect,
  obstacles: findFailedPlugin,
};

/** All of them work in 1.1.65 to 1.18.34, and in 2.0.15. */
const EVENTS: readonly string[] = [BEFORE_CALL, ASKED, REPLIED];

const FILE = path.join('plugins', 'troupe.js');

const NOT_OURS = 'it is a plugin that troupe did not write';

function pluginFiles({ env, home }: Machine, folder: string): readonly SettingsFile[] {
  const config = ifAbsolute(env['XDG_CONFIG_HOME']) ?? path.join(home, '.config');
  return [
    { scope: 'user', path: path.join(config, 'opencode', FILE) },
    { scope: 'project', path: path.join(folder, '.opencode', FILE) },
  ];
}

function inspect(text: string): SettingsView {
  const commands = isOurs(text) ? commandsIn(text) : undefined;
  const problem = text.trim() !== '' && !isOurs(text) ? NOT_OURS : undefined;
  const ours = commands ? EVENTS.flatMap((event) => hookOf(event, commands, text) ?? []) : [];
  return { ours, othersBeforeCalls: [], ...known({ problem }) };
}

function hookOf(event: string, commands: HookCommands, text: string): SettingsHook | undefined {
  const command = (event === BEFORE_CALL ? commands.guard : undefined) ?? commands.observe;
  const found = parseHookCommand(command, HOST);
  if (!found) return undefined;
  const { isAsWritten, ...own } = found;
  const changed = isAsWritten && text === pluginText(commands) ? undefined : 'its text is not what troupe writes';
  return { event, command, seconds: GUARD_SECONDS, ...own, ...known({ changed }) };
}

const REMEDY = 'Install it again: troupe hooks install --host opencode. Then: opencode reload';

/** OpenCode 2 keeps a service running, which says of each plugin whether it works; `run` and `serve` say nothing. */
export async function findFailedPlugin({ machine, folder }: ObstacleQuestion): Promise<readonly HookObstacle[]> {
  const service = await readService(machine);
  if (service?.url === undefined || !isAtLeast(service.version, '2.0.0')) return [];
  const route = `/api/plugin?location[directory]=${encodeURIComponent(folder)}`;
  const said = await getData(service.url, route).catch(() => undefined);
  const ours = objectsIn(said).find(
    ({ id, source }) =>
      id === PLUGIN_ID || path.basename(asText(asObject(source)?.['path']) ?? '') === path.basename(FILE),
  );
  const { status, error } = asObject(ours?.['state']) ?? {};
  if (status !== 'failed') return [];
  const why = asText(error) ?? 'it does not say why';
  return [
    { text: `OpenCode ${service.version} (pid ${service.pid}) could not load the plugin: ${why}`, remedy: REMEDY },
  ];
}
