// How hooks stand in a settings file of Claude Code. It reads plain JSON: one comment, one comma too many, and all of the file
// counts as empty, without a word (docs/HOOKS.md).

import { asObject, type JsonObject } from '../../../lib/json.ts';
import { GUARD_SECONDS, OBSERVER_SECONDS, type SettingsForm, switchOf } from '../../shared/index.ts';
import { HOST } from '../line-context.ts';
import { BEFORE_A_CALL, eventsOf, knowsAsync, OLDEST_READ, tooNewFor, WAITED_FOR } from './events.ts';

/** For how long the program waits for a hook where nobody says: the least of all versions. */
const DEFAULT_SECONDS = 60;

export const FORM: SettingsForm = {
  host: HOST,
  title: 'Claude Code',
  beforeCalls: BEFORE_A_CALL,
  eventsOf,
  oldest: OLDEST_READ,
  entryFor(event, command, role, version) {
    if (role === 'guard') return { type: 'command', command, timeout: GUARD_SECONDS };
    const isBackground = !WAITED_FOR.has(event) && knowsAsync(version);
    return { type: 'command', command, timeout: OBSERVER_SECONDS, ...(isBackground && { async: true }) };
  },
  fields: new Set(['type', 'command', 'timeout', 'async']),
  secondsOf: (timeout = DEFAULT_SECONDS) => timeout,
  readSwitches(settings, version) {
    return {
      ...tooNewIn(settings, version),
      ...switchOf(settings['disableAllHooks'], 'allOff'),
      ...switchOf(settings['allowManagedHooksOnly'] === true || isPluginOnly(settings) || undefined, 'onlyManaged'),
    };
  },
};

/** `strictPluginOnlyCustomization`: hooks of plugins and of managed settings only (2.1.325). */
function isPluginOnly({ strictPluginOnlyCustomization: strict }: JsonObject): boolean {
  return strict === true || (Array.isArray(strict) && strict.includes('hooks'));
}

function tooNewIn(settings: JsonObject, version: string | undefined) {
  const tooNew = version === undefined ? [] : tooNewFor(version, Object.keys(asObject(settings['hooks']) ?? {}));
  if (tooNew.length === 0) return {};
  const known = `Claude Code ${version} does not know ${tooNew.join(', ')}`;
  return { tooNew, problem: `${known}, and ignores a file with hooks for such events as a whole` };
}
