import { access, constants, realpath } from 'node:fs/promises';
import type {
  HookRole,
  HookShadow,
  HooksLoaded,
  HooksStatus,
  ImpatientGuard,
  LoadReason,
  ScriptStatus,
  SettingsStatus,
  UnapprovedHooks,
} from '../../core/index.ts';
import type { HookSettingsCapability, Machine, SettingsHook, SettingsView, SourceAdapter } from '../../hosts/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { readText } from '../../lib/edit-file.ts';
import { modifiedAt } from '../../lib/folders.ts';
import { isWrongFile, readText as readScript } from '../../lib/regular-file.ts';
import { isSystemError, UserError } from '../../lib/user-error.ts';
import { readBackups } from './backups.ts';
import { decideLoaded, type Evidence, type FindEvidence, type LoadFacts, reason, roleOf } from './loaded-state.ts';

export interface HooksControlOptions {
  readonly adapters: readonly SourceAdapter[];
  readonly machine: Machine;
  /** Where the person works. */
  readonly folder: string;
  /** Where troupe keeps its state. */
  readonly state: string;
  readonly version: string;
  readonly clock: Clock;
  /** Writes the scripts that hosts run. */
  readonly writeStubs: () => Promise<unknown>;
  /** Whether the text of such a script is what `writeStubs` would write. */
  readonly isOwnStub?: (text: string) => Promise<boolean>;
  /** The paths of these scripts, written or not. */
  readonly stubs: Readonly<Record<HookRole | 'statusLine', string>>;
  /** The longest time for which the policy of this folder waits for an answer; 0 if no rule waits. */
  readonly longestWaitMs: () => Promise<number>;
  /** The path of the user's own policy, whether it exists or not. */
  readonly policy: string;
  readonly findEvidence: FindEvidence;
}

/** A host that troupe can install hooks for. */
export interface HookedHost {
  readonly adapter: SourceAdapter;
  readonly settings: HookSettingsCapability;
}

interface StatusQuestion extends HooksControlOptions, HookedHost {
  readonly hostVersion: string | undefined;
  /** Commands that name no host are about another one. */
  readonly isToBeNamed: boolean;
}

/** What is installed where, and whether it can work. Reads, and only reads. */
export async function hooksStatus(question: StatusQuestion): Promise<HooksStatus> {
  const { adapter, settings, hostVersion, machine, folder, version, stubs } = question;
  const looked = await readSettings(settings, machine, folder, hostVersion);
  const inForce = looked.filter(({ view }) => view.problem === undefined);
  const ours = oursInForce(looked);
  const doubled = doubledEvents(ours);
  const places = looked.map((one) => toPlace(one, version));
  const scripts: ScriptStatus[] = [];
  for (const { scope, view } of inForce)
    for (const { file, role } of view.ours)
      if (!scripts.some((script) => script.file === file))
        scripts.push({ file, scope, ...(await scriptState(file, stubs[role], question)) });
  const events = settings.eventsFor(hostVersion);
  const shadows = shadowsIn(inForce);
  const impatient = impatientIn(inForce, await question.longestWaitMs());
  const unapproved = await unapprovedIn(question, inForce);
  const status = {
    host: adapter.host,
    hostTitle: adapter.title,
    ...(question.isToBeNamed && { isToBeNamed: true as const }),
    hostVersion: hostVersion ?? null,
    ...{ version, events, places, shadows, doubled },
    beforeCalls: beforeCalls(settings, ours),
    ...{ impatient, unapproved, scripts },
  };
  const loaded = await checkLoaded(question, inForce, status);
  return {
    ...status,
    loaded,
    isComplete:
      loaded.state !== 'not-loaded' &&
      events.length > 0 &&
      shadows.length === 0 &&
      impatient.length === 0 &&
      unapproved.length === 0 &&
      doubled.length === 0 &&
      places.every(({ changed }) => changed.length === 0) &&
      events.every((event) => ours.some((hook) => hook.event === event)) &&
      ours.every((hook) => hook.version === version) &&
      scripts.every(({ state }) => state === 'ours'),
  };
}

async function checkLoaded(
  question: StatusQuestion,
  inForce: readonly Looked[],
  status: LoadFacts['status'],
): Promise<HooksLoaded> {
  const { adapter, settings, hostVersion, machine, folder, findEvidence } = question;
  const { isBeforeCalls } = settings;
  const role = roleOf(status);
  const guarding = inForce.filter(({ view }) =>
    view.ours.some((hook) => hook.role === role && isBeforeCalls(hook.event)),
  );
  const times = await Promise.all(guarding.map(({ file }) => installedAt(question, file)));
  const since = times.length === 0 ? undefined : Math.min(...times);
  const commands = status.beforeCalls.map(({ command }) => command);
  const obstacles = (await settings.obstacles?.({ machine, folder, version: hostVersion, commands })) ?? [];
  // Hooks in the person's own settings run everywhere; those of a project only there.
  const isEverywhere = guarding.some(({ scope }) => scope === 'user' || scope === 'managed');
  const where = isEverywhere ? undefined : folder;
  const evidence: Evidence =
    since === undefined || role === null
      ? { heard: [], unheard: undefined }
      : await findEvidence({ host: adapter.host, since, role, folder: where, isBeforeCalls });
  const refusal = hostVersion === undefined ? undefined : whyRefused(question, hostVersion);
  return decideLoaded({
    status,
    installedAt: since,
    refusals: refusal ? [refusal] : [],
    // Once its program says its version, sessions from before the installation say nothing about it.
    obstacles: obstacles.filter(({ at }) => hostVersion === undefined || at === undefined || at >= (since ?? 0)),
    isBeforeCalls,
    evidence,
  });
}

/** Why this version of the host would not run what we install. */
export function whyRefused({ adapter, settings }: HookedHost, version: string): LoadReason | undefined {
  if (settings.eventsFor(version).some(settings.isBeforeCalls)) return undefined;
  const text = `${adapter.title} ${version} is too old: it has no hooks that troupe can use.`;
  return reason('version', text, `Update ${adapter.title}.`);
}

/** When we last wrote the file; where nobody kept that, when anybody did. */
async function installedAt({ state }: StatusQuestion, file: string): Promise<number> {
  const [newest] = await readBackups(state, file);
  return newest && newest.at > 0 ? newest.at : modifiedAt(file);
}

/** Each once, as hosts run them. */
function beforeCalls(settings: HookSettingsCapability, ours: readonly SettingsHook[]): HooksStatus['beforeCalls'] {
  const found = ours.filter(({ event }) => settings.isBeforeCalls(event));
  return [...new Map(found.map(({ role, command }) => [command, { role, command }])).values()];
}

function toPlace({ scope, file, exists, view }: Looked, version: string): SettingsStatus {
  return {
    scope,
    file,
    exists,
    problem: view.problem ?? null,
    tooNew: view.tooNew ?? [],
    events: view.ours.map(({ event }) => event),
    guard: view.ours.some(({ role }) => role === 'guard'),
    changed: view.ours.flatMap((hook) =>
      // Those of another version may be written otherwise, and are told of as such.
      hook.changed === undefined || hook.version !== version ? [] : [{ event: hook.event, how: hook.changed }],
    ),
    versions: [...new Set(view.ours.map(({ version }) => version))],
    othersBeforeCalls: view.othersBeforeCalls,
  };
}

/** The guard needs a moment before it waits, and one after. */
const AROUND_WAIT_SECONDS = 15;

function impatientIn(looked: readonly Looked[], waitMs: number): readonly ImpatientGuard[] {
  const waitSeconds = Math.ceil(waitMs / 1_000);
  if (waitSeconds === 0) return [];
  return looked.flatMap(({ scope, file, view }) =>
    view.ours
      .filter(({ role, seconds }) => role === 'guard' && seconds < waitSeconds + AROUND_WAIT_SECONDS)
      .map(({ seconds }) => ({ scope, file, seconds, waitSeconds })),
  );
}

/** What was agreed to in a file that cannot be read is not known to be. */
async function unapprovedIn(
  { settings: { approval }, machine, hostVersion }: StatusQuestion,
  looked: readonly Looked[],
): Promise<readonly UnapprovedHooks[]> {
  if (!approval) return [];
  const textOf = async (file: string): Promise<string> => (await readText(file).catch(() => undefined)) ?? '';
  const agreed = await Promise.all(approval.files(machine).map(textOf));
  const found: UnapprovedHooks[] = [];
  for (const { file, scope, view } of looked) {
    if (scope === 'managed' || view.ours.length === 0) continue;
    const events = approval.missing({ file, text: await textOf(file) }, agreed, hostVersion);
    if (events.length > 0) found.push({ file, events, how: approval.how });
  }
  return found;
}

/** Of several files that turn all hooks off or on, the strongest counts: they come weakest first. */
function shadowsIn(looked: readonly Looked[]): readonly HookShadow[] {
  const shadows: HookShadow[] = [];
  const off = looked.findLast(({ view }) => view.allOff !== undefined);
  if (off?.view.allOff) shadows.push({ file: off.file, reason: 'all-off' });
  const managed = looked.find(({ scope, view }) => scope === 'managed' && view.onlyManaged);
  if (managed) shadows.push({ file: managed.file, reason: 'only-managed' });
  return shadows;
}

/** Our scripts say in their second line which troupe wrote them. */
async function scriptState(
  file: string,
  wanted: string,
  { version, isOwnStub = async () => true }: HooksControlOptions,
): Promise<ScriptState> {
  let text: string;
  try {
    text = await readScript(file);
  } catch (error) {
    if (isWrongFile(error)) return { state: 'not-ours', version: null };
    return { state: isSystemError(error) && error.code === 'EACCES' ? 'not-runnable' : 'missing', version: null };
  }
  const found = /^#!.*\n# troupe (\S+):/.exec(text)?.[1];
  if (found === undefined) return { state: 'not-ours', version: null };
  if (!(await canRun(file))) return { state: 'not-runnable', version: found };
  // It keeps what it is told where nobody of ours looks.
  if (!(await isSamePlace(file, wanted))) return { state: 'elsewhere', version: found };
  if (found !== version) return { state: 'other-version', version: found };
  return { state: (await isOwnStub(text)) ? 'ours' : 'not-ours', version: found };
}

type ScriptState = Pick<ScriptStatus, 'state' | 'version'>;

function canRun(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isSamePlace(file: string, other: string): Promise<boolean> {
  const real = (place: string): Promise<string> => realpath(place).catch(() => place);
  return file === other || (await real(file)) === (await real(other));
}

export interface Looked extends Pick<SettingsStatus, 'scope' | 'file' | 'exists'> {
  readonly view: SettingsView;
}

/** Every settings file that counts for somebody who works in this folder, the strongest last. */
export async function readSettings(
  settings: HookSettingsCapability,
  machine: Machine,
  folder: string,
  hostVersion: string | undefined,
): Promise<readonly Looked[]> {
  const looked: Looked[] = [];
  for (const { scope, path: file } of settings.files(machine, folder)) {
    // In the home folder the person's own settings are the project's as well.
    if (looked.some((one) => one.file === file)) continue;
    try {
      const text = await readText(file);
      looked.push({ scope, file, exists: text !== undefined, view: settings.inspect(text ?? '', hostVersion) });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      looked.push({ scope, file, exists: true, view: { problem: error.message, ours: [], othersBeforeCalls: [] } });
    }
  }
  return looked;
}

/** What the host does not read does not count. */
export function oursInForce(looked: readonly Looked[]): readonly SettingsHook[] {
  return looked.filter(({ view }) => view.problem === undefined).flatMap(({ view }) => view.ours);
}

/** Hosts run a command once, however often it is entered; another one for the same event comes on top. */
export function doubledEvents(ours: readonly SettingsHook[]): readonly string[] {
  const commands = new Map<string, Set<string>>();
  for (const { event, command } of ours) commands.set(event, (commands.get(event) ?? new Set()).add(command));
  return [...commands].flatMap(([event, different]) => (different.size > 1 ? [event] : []));
}
