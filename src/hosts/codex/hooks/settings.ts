// Where Codex looks for hooks: `hooks.json` beside its settings. (They may stand in `config.toml` as well; ours never do.)

import path from 'node:path';
import { isAtLeast } from '../../../lib/version-number.ts';
import type { HookSettingsCapability, Machine, SettingsFile } from '../../index.ts';
import { GUARD_SECONDS, OBSERVER_SECONDS, type SettingsForm, settingsOf } from '../../shared/index.ts';
import { rootsOf } from '../data-folder.ts';
import { HOST } from '../line-context.ts';
import { createApproval } from './approval.ts';
import { findObstacles } from './obstacles.ts';
import { ASKS, BEFORE_CALL, ENDS } from './payload.ts';

/** The first version with each, by the schemas in its programs. 0.118 has hooks, too, behind a switch in its settings. */
const SINCE: Readonly<Record<string, string>> = { [BEFORE_CALL]: '0.124.0', [ASKS]: '0.124.0', [ENDS]: '0.150.0' };

/** It gives this one no more. */
const LONGEST_END_SECONDS = 3;
const DEFAULT_SECONDS = 600;

export const FORM: SettingsForm = {
  host: HOST,
  title: 'Codex',
  beforeCalls: BEFORE_CALL,
  eventsOf: (version) => Object.keys(SINCE).filter((event) => isAtLeast(version, SINCE[event] ?? '')),
  oldest: '0.124.0',
  entryFor: (event, command, role) => ({
    type: 'command',
    command,
    timeout: role === 'guard' ? GUARD_SECONDS : event === ENDS ? LONGEST_END_SECONDS : OBSERVER_SECONDS,
  }),
  fields: new Set(['type', 'command', 'timeout']),
  secondsOf: (timeout = DEFAULT_SECONDS) => timeout,
  readSwitches: () => ({}),
};

export const hookSettings: HookSettingsCapability = {
  ...settingsOf(FORM),
  programs: ({ home }) => ['codex', path.join(home, '.local', 'bin', 'codex')],
  files: settingsFiles,
  approval: createApproval(FORM),
  obstacles: findObstacles,
};

const FILE = 'hooks.json';

function settingsFiles(machine: Machine, folder: string): readonly SettingsFile[] {
  const [root = path.join(machine.home, '.codex')] = rootsOf(machine);
  return [
    { scope: 'user', path: path.resolve(root, FILE) },
    { scope: 'project', path: path.join(folder, '.codex', FILE) },
  ];
}
