import {
  cleanLine,
  type HooksLoaded,
  type HooksStatus,
  type ImpatientGuard,
  type LoadReason,
  nameHookRole,
  notLoadedText,
  type Paint,
  removeDoubledHooks,
  repairInstall,
  type ScriptStatus,
  type SettingsChange,
  type SettingsStatus,
} from '../../core/index.ts';
import { type DiffRow, diffRows, isNearChange, newRows } from '../../core/transcript/index.ts';

/** `troupe hooks status` for people: every settings file, whether the host runs our hooks, what is in the way, and what to do. */
export function formatHooksStatus(status: HooksStatus, paint: Paint): readonly string[] {
  const { hostTitle, hostVersion, events, places, impatient, unapproved, scripts, loaded, isComplete } = status;
  const bad = (text: string): string => paint.yellow(`! ${cleanLine(text)}`);
  const isRefused = loaded.reasons.some(({ kind }) => kind === 'version');
  const host = `${hostTitle} ${hostVersion ?? '(version not known)'}`;
  return [
    paint.bold(isRefused ? host : `${host}: ${events.length} events can be observed`),
    ...places.map((place) => `${placeMark(place, loaded)} ${cleanLine(`${place.scope}: ${placeText(place)}`)}`),
    ...places.flatMap(({ othersBeforeCalls, scope }) =>
      othersBeforeCalls.map((command) => paint.dim(`  ${scope}: also in front of calls: ${cleanLine(command)}`)),
    ),
    ...impatient.map((guard) => bad(impatientText(guard))),
    ...unapproved.map(({ file, events: held }) => bad(`Not run yet: ${held.join(', ')} of ${file}.`)),
    ...scripts.filter(({ state }) => state !== 'ours').map((script) => bad(scriptText(script))),
    ...missingText(status).map(bad),
    ...loadedLines(status, paint),
    ...(isComplete
      ? loaded.state === 'active'
        ? [paint.green('Everything that can be observed is.')]
        : []
      : remedyLines(status)),
  ];
}

/** Whether the host runs our hooks: loud where it does not. */
function loadedLines({ loaded, hostTitle }: HooksStatus, paint: Paint): readonly string[] {
  const { state, reasons, lastCall } = loaded;
  const withRemedy = (head: string, text: string, remedy: string): readonly string[] => [
    `${head} ${cleanLine(text)}`,
    paint.dim(`  → ${cleanLine(remedy)}`),
  ];
  if (state === 'active') {
    const caller = [hostTitle, lastCall?.hostVersion ?? []].flat().join(' ');
    const session = lastCall?.session == null ? '' : ` (session ${lastCall.session})`;
    return [
      paint.green(
        `✓ Active: ${cleanLine(`${caller} last called ${nameHookRole(loaded)} at ${lastCall?.at}${session}.`)}`,
      ),
    ];
  }
  if (state === 'unproven')
    return reasons.flatMap(({ text, remedy }) =>
      withRemedy(paint.yellow('! Installed, not yet seen working:'), text, remedy),
    );
  const head = state === 'not-loaded' ? paint.red(`✗ ${notLoadedText(loaded)}`) : paint.yellow('!');
  return reasons.flatMap(({ text, remedy }) => withRemedy(head, text, remedy));
}

function placeMark({ events, problem }: SettingsStatus, { state }: HooksLoaded): string {
  if (problem !== null) return '✗';
  if (events.length === 0) return ' ';
  return state === 'active' ? '✓' : state === 'not-loaded' ? '✗' : '·';
}

function placeText({ file, exists, problem, events, guard, versions }: SettingsStatus): string {
  if (problem !== null) return `${file} is not read by the host: ${problem}`;
  if (!exists) return `${file} (not there)`;
  if (events.length === 0) return `${file} (no hook of ours)`;
  return `${file}: ${events.length} events${guard ? ' and the guard' : ''}, by troupe ${versions.join(', ')}`;
}

function impatientText({ file, seconds, waitSeconds }: ImpatientGuard): string {
  return `The host waits ${seconds} s for the guard (${file}), and a rule waits ${waitSeconds} s for an answer: the host would go on without it.`;
}

function scriptText({ file, state, version }: ScriptStatus): string {
  return {
    ours: file,
    missing: `${file}, which our entries run, is gone.`,
    'not-ours': `${file}, which our entries run, is not what this troupe writes. It was changed, or installed with another node.`,
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

function remedyLines(status: HooksStatus): readonly string[] {
  const { places, doubled, scripts, impatient, loaded, events } = status;
  if (loaded.state === 'not-installed')
    return loaded.reasons.length > 0 || events.length === 0 ? [] : [`Install them with: ${repairInstall(status)}`];
  // What keeps the host from running them is said with its own remedy, and comes first.
  if (loaded.reasons.some(({ kind }) => !MENDED_BY_INSTALL.has(kind))) return [];
  if (doubled.length > 0) return [`Mend it with: ${removeDoubledHooks(status)}`];
  const scope =
    scripts.find(({ state }) => state !== 'ours')?.scope ??
    impatient[0]?.scope ??
    places.find(({ changed }) => changed.length > 0)?.scope;
  return [`Mend it with: ${repairInstall(status, scope)}`];
}

const MENDED_BY_INSTALL: ReadonlySet<LoadReason['kind']> = new Set([
  'unread',
  'script',
  'no-calls',
  'no-evidence',
  'other-version',
  'elsewhere',
]);

const CONTEXT = 3;
const MARKS = { same: ' ', removed: '-', added: '+' } as const;

/** As `diff -u` writes it, for people: nothing that a file holds moves the cursor. */
export function formatFileDiff(
  { file, before, after }: Omit<SettingsChange, 'scope'>,
  paint: Paint,
): readonly string[] {
  const rows = rowsOf(before, after);
  const isShown = isNearChange(rows, CONTEXT);
  const lines = [
    paint.bold(`--- ${before === null ? '/dev/null' : cleanLine(file)}`),
    paint.bold(`+++ ${after === null ? '/dev/null' : cleanLine(file)}`),
  ];
  const colours = { same: (text: string) => text, removed: paint.red, added: paint.green };
  const place = { old: 1, new: 1 };
  for (const [index, row] of rows.entries()) {
    if (isShown(index)) {
      if (index === 0 || !isShown(index - 1)) lines.push(paint.dim(hunkHead(rows, index, isShown, place)));
      lines.push(colours[row.kind](`${MARKS[row.kind]}${/^[ \t]*/.exec(row.text)?.[0]}${cleanLine(row.text)}`));
    }
    if (row.kind !== 'added') place.old++;
    if (row.kind !== 'removed') place.new++;
  }
  return lines;
}

function rowsOf(before: string | null, after: string | null): readonly DiffRow[] {
  if (before === null) return newRows(after ?? '');
  if (after === null) return newRows(before).map(({ text }) => ({ kind: 'removed', text }));
  return diffRows(before, after);
}

function hunkHead(
  rows: readonly DiffRow[],
  from: number,
  isShown: (index: number) => boolean,
  place: { readonly old: number; readonly new: number },
): string {
  let to = from;
  while (to < rows.length && isShown(to)) to++;
  const hunk = rows.slice(from, to);
  const [old, now] = [
    hunk.filter(({ kind }) => kind !== 'added').length,
    hunk.filter(({ kind }) => kind !== 'removed').length,
  ];
  return `@@ -${old === 0 ? place.old - 1 : place.old},${old} +${now === 0 ? place.new - 1 : place.new},${now} @@`;
}
