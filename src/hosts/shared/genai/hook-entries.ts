import { GUARD_SECONDS, OBSERVER_SECONDS, type SettingsForm } from '../hooks/form.ts';

/** How a hook stands in the settings. Time-outs are milliseconds there. */
export const HOOK_ENTRIES: Pick<SettingsForm, 'entryFor' | 'fields' | 'secondsOf' | 'takesComments'> = {
  entryFor: (_event, command, role) => ({
    type: 'command',
    command,
    timeout: (role === 'guard' ? GUARD_SECONDS : OBSERVER_SECONDS) * 1_000,
  }),
  fields: new Set(['type', 'command', 'timeout']),
  secondsOf: (timeout = 60_000) => timeout / 1_000,
  takesComments: true,
};
