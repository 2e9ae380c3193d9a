import type { Finding } from '../reports/doctor-shapes.ts';
import type { HookShadow, HooksStatus, ScriptStatus, SettingsStatus } from '../reports/hooks-shapes.ts';
import { counted, findingsOf } from './finding.ts';

const { good, note, warning, problem } = findingsOf('hooks');

const INSTALL = 'troupe hooks install';

/** What stands in a host's settings, and what keeps it from working. */
export function* examineHooks(status: HooksStatus): Generator<Finding> {
  yield* status.places.flatMap(onPlace);
  yield* status.shadows.map(onShadow);
  yield* status.scripts.flatMap(onScript);
  const heard = new Set(status.places.flatMap(({ events }) => events));
  if (heard.size === 0) {
    yield warning('hooks-none', `${status.hostTitle} tells troupe nothing at once: no hooks are installed.`, INSTALL);
    return;
  }
  yield* onMissing(status, heard);
}

function onPlace(place: SettingsStatus): readonly Finding[] {
  const { file, scope, problem: why, events, guard, versions, othersBeforeCalls } = place;
  if (why !== null)
    return [problem('settings-unread', `${file}: ${why}`, 'Mend the file, or restore it from a backup.')];
  const others = othersBeforeCalls.map((command) =>
    note('hooks-others', `another program stands in front of tool calls, too: ${command} (${file})`),
  );
  if (events.length === 0) return others;
  const what = `${counted(events.length, 'event')}${guard ? ', with the guard' : ''}`;
  return [good('hooks-installed', `${what}, by troupe ${versions.join(', ')} (${scope}: ${file})`), ...others];
}

function onShadow({ file, reason }: HookShadow): Finding {
  return reason === 'all-off'
    ? problem('hooks-off', `${file} switches all hooks off.`, 'Take disableAllHooks out of it.')
    : problem(
        'hooks-managed',
        `${file} lets only hooks of managed settings run.`,
        'Ask whoever looks after the machine.',
      );
}

function onScript({ file, state, version }: ScriptStatus): readonly Finding[] {
  if (state === 'ours') return [];
  const words = {
    missing: `${file} is gone, so nothing is heard.`,
    'not-ours': `${file} was not written by troupe.`,
    'other-version': `${file} is of troupe ${version ?? 'of an unknown version'}.`,
  };
  const say = state === 'other-version' ? warning : problem;
  return [say('hooks-script', words[state], `${INSTALL} writes it anew.`)];
}

function* onMissing(
  { events, hostVersion, hostTitle, version, places }: HooksStatus,
  heard: ReadonlySet<string>,
): Generator<Finding> {
  const missing = events.filter((event) => !heard.has(event));
  if (missing.length > 0)
    yield warning('hooks-missing', `${hostTitle} ${hostVersion ?? ''} could tell more: ${missing.join(', ')}`, INSTALL);
  const old = places.flatMap(({ versions }) => versions).filter((one) => one !== version);
  if (old.length > 0) yield warning('hooks-old', `Entries of troupe ${old.join(', ')}; this is ${version}.`, INSTALL);
}
