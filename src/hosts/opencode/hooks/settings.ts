// Where OpenCode looks for plugins, and ours among them: one file, all of it ours.

import path from 'node:path';
import { parseHookCommand } from '../../../core/index.ts';
import type {
  HookCommands,
  HookSettingsCapability,
  Machine,
  SettingsFile,
  SettingsHook,
  SettingsView,
} from '../../index.ts';
import { HOST } from '../record.ts';
import { ASKED, BEFORE_CALL, REPLIED } from './payload.ts';
import { commandsIn, GUARD_SECONDS, isOurs, pluginText } from './plugin-text.ts';
import { findVersionTwo, refusal } from './version-two.ts';

export const hookSettings: HookSettingsCapability = {
  // OpenCode 2 was called opencode2 before its release.
  programs: ({ home }) => ['opencode', path.join(home, '.opencode', 'bin', 'opencode'), 'opencode2'],
  versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
  files: pluginFiles,
  isOwnFile: true,
  isBeforeCalls: (event) => event === BEFORE_CALL,
  eventsFor: () => EVENTS,
  problemIn: (text) => (isOurs(text) ? undefined : 'it is a plugin that troupe did not write'),
  install: (_text, _version, commands) => pluginText(commands),
  uninstall: (text) => (isOurs(text) ? '' : text),
  inspect,
  refusal,
  obstacles: findVersionTwo,
};

/** Every version that was tried tells of all of them: 1.1.65 to 1.18.33. */
const EVENTS: readonly string[] = [BEFORE_CALL, ASKED, REPLIED];

const FILE = path.join('plugins', 'troupe.js');

function pluginFiles({ env, home }: Machine, folder: string): readonly SettingsFile[] {
  const config = absolute(env['XDG_CONFIG_HOME']) ?? path.join(home, '.config');
  return [
    { scope: 'user', path: path.join(config, 'opencode', FILE) },
    { scope: 'project', path: path.join(folder, '.opencode', FILE) },
  ];
}

function absolute(place: string | undefined): string | undefined {
  return place !== undefined && path.isAbsolute(place) ? place : undefined;
}

function inspect(text: string): SettingsView {
  const commands = isOurs(text) ? commandsIn(text) : undefined;
  const problem = text.trim() !== '' && !isOurs(text) ? 'it is a plugin that troupe did not write' : undefined;
  const ours = commands ? EVENTS.flatMap((event) => hookOf(event, commands, text) ?? []) : [];
  return { ours, othersBeforeCalls: [], ...(problem !== undefined && { problem }) };
}

function hookOf(event: string, commands: HookCommands, text: string): SettingsHook | undefined {
  const command = (event === BEFORE_CALL ? commands.guard : undefined) ?? commands.observe;
  const found = parseHookCommand(command, HOST);
  if (!found) return undefined;
  const { isAsWritten, ...own } = found;
  const changed = isAsWritten && text === pluginText(commands) ? undefined : 'its text is not what troupe writes';
  return { event, command, seconds: GUARD_SECONDS, ...own, ...(changed !== undefined && { changed }) };
}
