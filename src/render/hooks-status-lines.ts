import { installWhereOursAre, tellOnce } from '../reports/hooks-remedies.ts';
import type { HookShadow, HooksStatus, ImpatientGuard, ScriptStatus, SettingsStatus } from '../reports/hooks-shapes.ts';
import { cleanLine } from './clean-text.ts';
import type { Paint } from './paint.ts';

/** `troupe hooks status` for people: every settings file, what is in the way, and what to do. */
export function hooksStatusLines(status: HooksStatus, paint: Paint): readonly string[] {
  const { hostTitle, hostVersion, events, places, shadows, impatient, unapproved, scripts, isComplete } = status;
  const bad = (text: string): string => paint.yellow(`! ${cleanLine(text)}`);
  return [
    paint.bold(`${hostTitle} ${hostVersion ?? '(version not known)'}: ${events.length} events can be observed`),
    ...places.map((place) => `${placeMark(place)} ${cleanLine(`${place.scope}: ${placeText(place)}`)}`),
    ...places.flatMap(({ othersBeforeCalls, scope }) =>
      othersBeforeCalls.map((command) => paint.dim(`  ${scope}: also in front of calls: ${cleanLine(command)}`)),
    ),
    ...shadows.map((shadow) => bad(shadowText(shadow))),
    ...impatient.map((guard) => bad(impatientText(guard))),
    ...unapproved.map(({ file, events: held }) => bad(`Not run yet: ${held.join(', ')} of ${file}.`)),
    ...scripts.filter(({ state }) => state !== 'ours').map((script) => bad(scriptText(script))),
    ...missingText(status).map(bad),
    isComplete ? paint.green('Everything that can be observed is.') : remedy(status),
  ];
}

function placeMark({ events, problem }: SettingsStatus): string {
  return problem !== null ? '✗' : events.length > 0 ? '✓' : ' ';
}

function placeText({ file, exists, problem, events, guard, versions }: SettingsStatus): string {
  if (problem !== null) return `${file} is not read by the host: ${problem}`;
  if (!exists) return `${file} (not there)`;
  if (events.length === 0) return `${file} (no hook of ours)`;
  return `${file}: ${events.length} events${guard ? ' and the guard' : ''}, by troupe ${versions.join(', ')}`;
}

function shadowText({ file, reason }: HookShadow): string {
  return reason === 'all-off'
    ? `No hook runs: ${file} turns all of them off.`
    : `No hook of ours runs: ${file} allows managed ones only.`;
}

function impatientText({ file, seconds, waitSeconds }: ImpatientGuard): string {
  return `The host waits ${seconds} s for the guard (${file}), and a rule waits ${waitSeconds} s for an answer: the host would go on without it.`;
}

function scriptText({ file, state, version }: ScriptStatus): string {
  return {
    ours: file,
    missing: `${file}, which our entries run, is gone.`,
    'not-ours': `${file}, which our entries run, is not what troupe wrote.`,
    'not-runnable': `${file}, which our entries run, may not be run.`,
    elsewhere: `${file}, which our entries run, keeps what it hears in another state folder than this one (TROUPE_HOME).`,
    'other-version': `${file} is of troupe ${version}.`,
  }[state];
}

function missingText({ events, places, version, doubled }: HooksStatus): readonly string[] {
  const inForce = places.filter(({ problem }) => problem === null);
  const seen = new Set(inForce.flatMap((place) => place.events));
  if (seen.size === 0) return [];
  const missing = events.filter((event) => !seen.has(event));
  const isOld = inForce.some(({ versions }) => versions.some((one) => one !== version));
  return [
    ...(missing.length > 0 ? [`Not observed: ${missing.join(', ')}`] : []),
    ...(doubled.length > 0 ? [`Told twice, by different entries in two files: ${doubled.join(', ')}`] : []),
    ...inForce.flatMap(({ scope, changed }) =>
      changed.map(({ event, how }) => `Changed since troupe entered it (${scope}): ${event}: ${how}`),
    ),
    ...(isOld ? [`Entered by another version of troupe; this is ${version}.`] : []),
  ];
}

function remedy(status: HooksStatus): string {
  const { places, shadows, doubled, scripts, impatient, unapproved } = status;
  if (!places.some(({ events }) => events.length > 0)) return `Install them with: ${installWhereOursAre(status)}`;
  if (shadows.length > 0) return 'Take out what turns hooks off.';
  if (doubled.length > 0) return `Mend it with: ${tellOnce(status)}`;
  const scope =
    scripts.find(({ state }) => state !== 'ours')?.scope ??
    impatient[0]?.scope ??
    places.find(({ changed }) => changed.length > 0)?.scope;
  const [held] = unapproved;
  if (scope === undefined && held) return `${status.hostTitle} runs them once you have agreed to it: ${held.how}.`;
  return `Mend it with: ${installWhereOursAre(status, scope)}`;
}
