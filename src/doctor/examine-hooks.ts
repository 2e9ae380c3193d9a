import type { Finding } from '../reports/doctor-shapes.ts';
import { installAgain, installWhereOursAre, tellOnce } from '../reports/hooks-remedies.ts';
import type { HookShadow, HooksStatus, ImpatientGuard, ScriptStatus, SettingsStatus } from '../reports/hooks-shapes.ts';
import { counted, findingsOf } from './finding.ts';

const { good, note, warning, problem } = findingsOf('hooks');

/** What stands in a host's settings, and what keeps it from working. */
export function* examineHooks(status: HooksStatus): Generator<Finding> {
  yield* status.places.flatMap((place) => onPlace(place, status));
  yield* status.shadows.map(onShadow);
  yield* status.impatient.map((guard) => onImpatient(guard, status));
  yield* status.unapproved.map(({ file, events, how }) =>
    problem('hooks-unapproved', `${status.hostTitle} does not run ${events.join(', ')} of ${file} yet.`, `${how}.`),
  );
  const again = installWhereOursAre(status);
  yield* status.scripts.flatMap((script) => onScript(script, status));
  const heard = new Set(status.places.flatMap(({ events, problem: why }) => (why === null ? events : [])));
  if (status.events.length === 0) {
    yield note(
      'hooks-unusable',
      `${[status.hostTitle, status.hostVersion ?? []].flat().join(' ')} has no hooks that troupe could use.`,
    );
    return;
  }
  if (heard.size === 0) {
    // That the file is not read is said already.
    if (status.places.some(({ events }) => events.length > 0)) return;
    yield warning('hooks-none', `${status.hostTitle} tells troupe nothing at once: no hooks are installed.`, again);
    return;
  }
  yield* onMissing(status, heard, again);
}

function onPlace(place: SettingsStatus, status: HooksStatus): readonly Finding[] {
  const { hostTitle } = status;
  const { file, scope, problem: why, tooNew, events, guard, changed, versions, othersBeforeCalls } = place;
  if (tooNew.length > 0) {
    const isOurs = tooNew.every((event) => events.includes(event));
    const byHand = `Take the hooks for ${tooNew.join(', ')} out of it, or update ${hostTitle}.`;
    return [
      problem('hooks-too-new', `${file} is not read: ${why}.`, (isOurs && installAgain(place, status)) || byHand),
    ];
  }
  if (why !== null)
    return [problem('settings-unread', `${file}: ${why}`, 'Mend the file, or restore it from a backup.')];
  const others = othersBeforeCalls.map((command) =>
    note('hooks-others', `another program stands in front of tool calls, too: ${command} (${file})`),
  );
  if (events.length === 0) return others;
  const what = `${counted(events.length, 'event')}${guard ? ', with the guard' : ''}`;
  return [
    good('hooks-installed', `${what}, by troupe ${versions.join(', ')} (${scope}: ${file})`),
    ...changed.map(({ event, how }) =>
      problem('hooks-changed', `The entry for ${event} was changed: ${how} (${file}).`, installAgain(place, status)),
    ),
    ...others,
  ];
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

function onImpatient({ file, scope, seconds, waitSeconds }: ImpatientGuard, status: HooksStatus): Finding {
  return problem(
    'hooks-impatient',
    `A rule waits ${waitSeconds} s for an answer, but the host waits ${seconds} s for the guard, and then goes on without it (${file}).`,
    `${installWhereOursAre(status, scope)} has it wait longer.`,
  );
}

function onScript({ file, state, scope, version }: ScriptStatus, status: HooksStatus): readonly Finding[] {
  if (state === 'ours') return [];
  const words = {
    missing: `${file} is gone, so nothing is heard.`,
    'not-ours': `${file} was not written by troupe.`,
    'not-runnable': `${file} may not be run, so nothing is heard.`,
    elsewhere: `${file} keeps what it hears in another state folder than this one (TROUPE_HOME).`,
    'other-version': `${file} is of troupe ${version ?? 'of an unknown version'}.`,
  };
  const say = state === 'other-version' ? warning : problem;
  return [say('hooks-script', words[state], `${installWhereOursAre(status, scope)} writes it anew.`)];
}

function* onMissing(status: HooksStatus, heard: ReadonlySet<string>, again: string): Generator<Finding> {
  const { events, hostVersion, hostTitle, version, places, doubled, beforeCalls } = status;
  if (beforeCalls.length === 0)
    yield problem(
      'hooks-no-calls',
      'No entry of troupe stands in front of tool calls: none of them can reach the audit.',
      again,
    );
  if (doubled.length > 0)
    yield warning(
      'hooks-twice',
      `Different entries tell of the same, so it is told twice: ${doubled.join(', ')}`,
      tellOnce(status),
    );
  const missing = events.filter((event) => !heard.has(event));
  if (missing.length > 0)
    yield warning(
      'hooks-missing',
      `${[hostTitle, hostVersion ?? []].flat().join(' ')} could tell more: ${missing.join(', ')}`,
      again,
    );
  const old = places.flatMap(({ versions }) => versions).filter((one) => one !== version);
  if (old.length > 0) yield warning('hooks-old', `Entries of troupe ${old.join(', ')}; this is ${version}.`, again);
}
