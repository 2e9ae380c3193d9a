import type { HookSettingsCapability } from '../../index.ts';
import type { SettingsForm } from './form.ts';
import { planInstall, planUninstall } from './plan-groups.ts';
import { inspect, problemIn } from './read-groups.ts';

type Own = 'programs' | 'files' | 'approval' | 'obstacles';

/** All of it that follows from the form; where the files lie is the host's own. */
export function settingsOf(form: SettingsForm): Omit<HookSettingsCapability, Own> {
  return {
    versionIn: (output) => output.match(/\d+\.\d+\.\d+/)?.[0],
    isBeforeCalls: (event) => event === form.beforeCalls,
    eventsFor: (version = form.oldest) => form.eventsOf(version),
    problemIn: (text) => problemIn(text, form),
    install: (text, version = form.oldest, commands) => planInstall(text, form, version, commands),
    uninstall: (text, before) => planUninstall(text, form, before),
    inspect: (text, version) => inspect(text, form, version),
  };
}
