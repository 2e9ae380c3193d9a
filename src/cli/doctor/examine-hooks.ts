import {
  type Finding,
  type HooksStatus,
  type ImpatientGuard,
  installAgain,
  installWhereOursAre,
  notLoadedWords,
  type ScriptStatus,
  type SettingsStatus,
  tellOnce,
  thingOf,
} from '../../core/index.ts';
import { counted, findingsOf } from './finding.ts';

const { good, note, warning, problem } = findingsOf('hooks');

/** What stands in a host's settings, and what keeps it from working. */
export function* examineHooks(status: HooksStatus): Generator<Finding> {
  yield* status.places.flatMap((place) => onPlace(place, status));
  yield* onLoaded(status);
  yield* status.impatient.map((guard) => onImpatient(guard, status));
  const again = installWhereOursAre(status);
  yield* status.scripts.flatMap((script) => onScript(script, status));
  const heard = new Set(status.places.flatMap(({ events, problem: why }) => (why === null ? events : [])));
  if (status.events.length === 0) {
    if (status.loaded.state === 'not-loaded') return;
    yield note(
      'hooks-unusable',
      `${[status.hostTitle, status.hostVersion ?? []].flat().join(' ')} has no hooks that troupe could use.`,
    );
    return;
  }
  if (heard.size === 0) {
    // That the file is not read is said already.
    if (status.places.some(({ events }) => events.length > 0)) return;
    const [refusal] = status.loaded.reasons;
    yield refusal
      ? warning('hooks-none', `No hooks are installed. ${refusal.text}`, refusal.remedy)
      : warning('hooks-none', `${status.hostTitle} tells troupe nothing at once: no hooks are installed.`, again);
    return;
  }
  yield* onMissing(status, heard, again);
}

function onPlace(place: SettingsStatus, status: HooksStatus): readonly Finding[] {
  const { hostTitle, loaded } = status;
  const { file, scope, problem: why, tooNew, events, guard, changed, versions, othersBeforeCalls } = place;
  const loud = loaded.reasons.some(({ kind }) => kind === 'unread') && events.length > 0;
  const unread = (text: string): string => (loud ? `${notLoadedWords(loaded)} ${text}` : text);
  if (tooNew.length > 0) {
    const isOurs = tooNew.every((event) => events.includes(event));
    const byHand = `Take the hooks for ${tooNew.join(', ')} out of it, or update ${hostTitle}.`;
    return [
      problem(
        'hooks-too-new',
        unread(`${file} is not read: ${why}.`),
        (isOurs && installAgain(place, status)) || byHand,
      ),
    ];
  }
  if (why !== null)
    return [problem('settings-unread', unread(`${file}: ${why}`), 'Mend the file, or restore it from a backup.')];
  const others = othersBeforeCalls.map((command) =>
    note('hooks-others', `another program stands in front of tool calls, too: ${command} (${file})`),
  );
  if (events.length === 0) return others;
  const what = `${counted(events.length, 'event')}${guard ? ', with the guard' : ''}`;
  return [
    note('hooks-installed', `installed: ${what}, by troupe ${versions.join(', ')} (${scope}: ${file})`),
    ...changed.map(({ event, how }) =>
      problem('hooks-changed', `The entry for ${event} was changed: ${how} (${file}).`, installAgain(place, status)),
    ),
    ...others,
  ];
}

/** Whether the host runs our hooks: an entry in its settings is no proof of it. */
function* onLoaded({ loaded, hostTitle, unapproved }: HooksStatus): Generator<Finding> {
  const { state, reasons, lastCall } = loaded;
  if (!reasons.some(({ kind }) => kind === 'unapproved'))
    for (const { file, events, how } of unapproved)
      yield problem('hooks-unapproved', `${hostTitle} does not run ${events.join(', ')} of ${file} yet.`, `${how}.`);
  if (state === 'active')
    yield good(
      'hooks-active',
      `${[hostTitle, lastCall?.hostVersion ?? []].flat().join(' ')} runs ${thingOf(loaded)}: last called at ${lastCall?.at}${lastCall?.session == null ? '' : ` (session ${lastCall.session})`}`,
    );
  if (state === 'unproven')
    for (const { text, remedy } of reasons)
      yield warning('hooks-unproven', `Installed, not yet seen working: ${text}`, remedy);
  if (state !== 'not-loaded') return;
  for (const reason of reasons) {
    const text = `${notLoadedWords(loaded)} ${reason.text}`;
    if (reason.kind === 'off') yield problem('hooks-off', text, reason.remedy);
    else if (reason.kind === 'managed') yield problem('hooks-managed', text, reason.remedy);
    else if (reason.kind === 'unapproved')
      yield problem(
        'hooks-unapproved',
        `${text} Not run: ${unapproved.flatMap(({ events }) => events).join(', ')}.`,
        reason.remedy,
      );
    // Of the others there is a finding of its own.
    else if (!['unread', 'script', 'no-calls'].includes(reason.kind))
      yield problem('hooks-not-loaded', text, reason.remedy);
  }
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
