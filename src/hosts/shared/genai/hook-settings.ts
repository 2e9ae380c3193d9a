// The settings files of Gemini CLI and Qwen Code, as far as hooks are concerned; and the folders that a person does not trust.

import path from 'node:path';
import { asObject, asText, parseObject } from '../../../lib/json.ts';
import { readText } from '../../../lib/regular-file.ts';
import { isAtLeast } from '../../../lib/version-number.ts';
import type { HookSettingsCapability, Machine } from '../../index.ts';
import { GUARD_SECONDS, OBSERVER_SECONDS, readTolerantly, type SettingsForm, settingsOf } from '../hook-settings.ts';
import { ENDS } from './hook-payload.ts';

interface HostSettings extends Pick<SettingsForm, 'host' | 'title' | 'beforeCalls' | 'readSwitches'> {
  readonly program: string;
  /** The oldest version that runs hooks by default. */
  readonly since: string;
  /** The folder of the user's settings. */
  rootOf(machine: Machine): string;
  /** In a project: the folder of its settings. */
  readonly folder: string;
  /** In the system's folder for settings: the host's folder, and its name on macOS. */
  readonly managed: readonly [name: string, onMac: string];
}

const FILE = 'settings.json';

export function createHookSettings(own: HostSettings): HookSettingsCapability {
  const { program, since, rootOf, folder: ownFolder, managed, ...form } = own;
  return {
    ...settingsOf({
      ...form,
      eventsOf: (version) => (isAtLeast(version, since) ? [form.beforeCalls, ENDS] : []),
      oldest: since,
      // Time-outs are milliseconds.
      entryFor: (_event, command, role) => ({
        type: 'command',
        command,
        timeout: (role === 'guard' ? GUARD_SECONDS : OBSERVER_SECONDS) * 1_000,
      }),
      fields: new Set(['type', 'command', 'timeout']),
      secondsOf: (timeout = 60_000) => timeout / 1_000,
      takesComments: true,
    }),
    programs: ({ home }) => [program, path.join(home, '.local', 'bin', program)],
    files: (machine, folder) => [
      { scope: 'user', path: path.resolve(rootOf(machine), FILE) },
      { scope: 'project', path: path.join(folder, ownFolder, FILE) },
      { scope: 'managed', path: path.join(managedFolder(managed), FILE) },
    ],
  };
}

function managedFolder([name, onMac]: HostSettings['managed']): string {
  if (process.platform === 'darwin') return `/Library/Application Support/${onMac}`;
  return process.platform === 'win32' ? `C:\\ProgramData\\${name}` : `/etc/${name}`;
}

interface TrustQuestion {
  /** `trustedFolders.json`. */
  readonly file: string;
  /** The folder of the user's settings, which switch trust on or off (`security.folderTrust.enabled`). */
  readonly root: string;
  /** If they do not say. */
  readonly isOnByDefault: boolean;
  readonly folder: string;
}

/** The folder that the nearest entry says not to trust. The host itself asks about folders that are not listed. */
export async function findUntrustedFolder(question: TrustQuestion): Promise<string | undefined> {
  const { file, root, folder, isOnByDefault } = question;
  const textOf = (place: string): Promise<string> => readText(place).catch(() => '');
  const settings = asObject(readTolerantly(await textOf(path.resolve(root, FILE))));
  const isOn = asObject(asObject(settings?.['security'])?.['folderTrust'])?.['enabled'] ?? isOnByDefault;
  if (isOn !== true) return undefined;
  const rules = parseObject(await textOf(file)) ?? {};
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const rule = asText(rules[at]);
    if (rule === 'DO_NOT_TRUST') return at;
    if (rule !== undefined || at === path.dirname(at)) return undefined;
  }
}
