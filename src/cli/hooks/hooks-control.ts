import { rm } from 'node:fs/promises';
import {
  formatHookCommand,
  type HookRole,
  type HookScope,
  type HooksStatus,
  type LoadReason,
  type SettingsChange,
} from '../../core/index.ts';
import type { HookCommands, HookSettingsCapability, Machine, SettingsFile, SourceAdapter } from '../../hosts/index.ts';
import { type EditOptions, editText, readText } from '../../lib/edit-file.ts';
import { known } from '../../lib/json.ts';
import { findVersion } from '../../lib/processes.ts';
import { UserError } from '../../lib/user-error.ts';
import { keepBackup, readBackups, removeFolderOfOurs, removeOurs } from './backups.ts';
import {
  doubledEvents,
  type HookedHost,
  type HooksControlOptions,
  hooksStatus,
  oursInForce,
  readSettings,
  whyRefused,
} from './hooks-status.ts';
import { reason } from './loaded-state.ts';

export function createHooksControl(options: HooksControlOptions): HooksControl {
  return {
    planInstall: (request) => planInstall(options, request),
    planStatusLine: (request) => planStatusLine(options, request),
    planUninstall: (request) => planUninstall(options, request),
    status: async ({ host }) => {
      const { adapter, settings } = hostOf(options.adapters, host);
      const hostVersion = await versionOf(settings, options.machine);
      const isDefault = adapter === hostOf(options.adapters, undefined).adapter;
      return hooksStatus({ ...options, adapter, settings, hostVersion, isToBeNamed: !isDefault });
    },
  };
}

async function planInstall(options: HooksControlOptions, request: InstallRequest): Promise<InstallPlan> {
  const { adapter, settings } = hostOf(options.adapters, request.host);
  const hostVersion = request.hostVersion ?? (await versionOf(settings, options.machine));
  if (settings.eventsFor(hostVersion).length === 0)
    throw new UserError(
      'host-too-old',
      `${adapter.title} ${hostVersion} has no hooks.`,
      `Update ${adapter.title}, or say its version with --host-version.`,
    );
  const commands = commandsFor(options, adapter.host, request.guard);
  const [place] = filesOf(options, settings, request.scope);
  if (!place)
    throw new UserError(
      'no-such-scope',
      `${adapter.title} has no place for hooks of the scope ${request.scope}.`,
      'Use --scope user or --scope project.',
    );
  const change = (text = ''): string => {
    const problem = text.trim() === '' ? undefined : settings.problemIn(text);
    if (problem !== undefined) throw unfit(place.file, problem);
    return settings.install(text, hostVersion, commands);
  };
  const plan = await planFor(options, adapter, [{ ...place, change }]);
  const looked = await readSettings(settings, options.machine, options.folder, hostVersion);
  const elsewhere = oursInForce(looked.filter(({ file }) => file !== place.file));
  return {
    ...plan,
    doubled: doubledEvents([...elsewhere, ...settings.inspect(settings.install('', hostVersion, commands)).ours]),
    dropsGuard:
      !request.guard &&
      looked.some(({ file, view }) => file === place.file && view.ours.some(({ role }) => role === 'guard')),
    hostVersion: hostVersion ?? null,
    ...known({
      approval: settings.approval?.how,
      notLoaded: await whyNotLoaded(options, { adapter, settings }, { hostVersion, scope: request.scope, commands }),
    }),
    events: settings.eventsFor(hostVersion),
    apply: async () => {
      await options.writeStubs();
      return plan.apply();
    },
  };
}

async function planStatusLine(options: HooksControlOptions, request: StatusLineRequest): Promise<StatusLinePlan> {
  const { adapter, settings } = hostOf(options.adapters, request.host);
  const { statusLine } = settings;
  if (!statusLine)
    throw new UserError(
      'no-status-line',
      `${adapter.title} has no status line that a command writes.`,
      'Name another host with --host.',
    );
  const [place] = filesOf(options, settings, request.scope);
  if (!place)
    throw new UserError(
      'no-such-scope',
      `${adapter.title} has no such settings.`,
      'Use --scope user or --scope project.',
    );
  let wraps: string | undefined;
  const change = (text = ''): string => {
    const problem = text.trim() === '' ? undefined : settings.problemIn(text);
    if (problem !== undefined) throw unfit(place.file, problem);
    const next = statusLine.install(text, options.stubs.statusLine);
    wraps = statusLine.wraps(next);
    return next;
  };
  const plan = await planFor(options, adapter, [{ ...place, change }]);
  return {
    ...plan,
    ...known({ wraps }),
    apply: async () => {
      await options.writeStubs();
      return plan.apply();
    },
  };
}

/** What is known beforehand to keep the host from running what would be installed. */
async function whyNotLoaded(
  { machine, folder }: HooksControlOptions,
  host: HookedHost,
  request: { readonly hostVersion: string | undefined; readonly scope: HookScope; readonly commands: HookCommands },
): Promise<LoadReason | undefined> {
  const { hostVersion: version, scope, commands } = request;
  const refusal = version === undefined ? undefined : whyRefused(host, version);
  if (refusal) return refusal;
  const question = { machine, folder, version, commands: [commands.guard ?? commands.observe] };
  const found = (await host.settings.obstacles?.(question)) ?? [];
  // Without a version, the last session is the best that is known of it.
  const first = found.find(
    ({ scopes, at }) => (scopes?.includes(scope) ?? true) && (at === undefined || version === undefined),
  );
  return first && reason('obstacle', first.text, first.remedy);
}

async function planUninstall(options: HooksControlOptions, { host, scope }: UninstallRequest): Promise<HooksPlan> {
  const { adapter, settings } = hostOf(options.adapters, host);
  const edits: PlannedEdit[] = [];
  for (const place of filesOf(options, settings, scope)) {
    const backups = await readBackups(options.state, place.file);
    edits.push({ ...place, change: (text) => text && removeOurs(text, backups, settings) });
  }
  return planFor(options, adapter, edits);
}

type Place = Pick<SettingsChange, 'scope' | 'file'>;
type PlannedEdit = Place & Pick<EditOptions, 'change'>;

async function planFor(
  { state, clock }: HooksControlOptions,
  adapter: SourceAdapter,
  edits: readonly PlannedEdit[],
): Promise<HooksPlan> {
  const changes: SettingsChange[] = [];
  for (const { scope, file, change } of edits) {
    const before = await readText(file);
    const after = change(before);
    if (after !== before) changes.push({ scope, file, before: before ?? null, after: after ?? null });
  }
  return {
    host: adapter.host,
    hostTitle: adapter.title,
    changes,
    async apply() {
      const kept: string[] = [];
      for (const { file, change } of edits.filter((edit) => changes.some(({ file }) => file === edit.file))) {
        let folder = '';
        const { before, after } = await editText(file, {
          change,
          keep: async (edit) => {
            const made = await keepBackup(state, file, edit, clock());
            folder = made;
            return () => rm(made, { recursive: true, force: true });
          },
        });
        if (before !== after && before !== undefined) kept.push(folder);
        if (after === undefined) await removeFolderOfOurs(state, file);
      }
      return kept;
    },
  };
}

function commandsFor({ stubs, version, policy }: HooksControlOptions, host: string, guard: boolean): HookCommands {
  const command = (role: HookRole): string =>
    formatHookCommand({ role, file: stubs[role], version, ...(role === 'guard' && { policy }) }, host);
  return { observe: command('observe'), ...(guard && { guard: command('guard') }) };
}

function filesOf(
  { machine, folder }: HooksControlOptions,
  settings: HookSettingsCapability,
  scope: HookScope | undefined,
): readonly Place[] {
  const seen = new Set<string>();
  return settings.files(machine, folder).flatMap(({ scope: own, path }: SettingsFile) => {
    // In the home folder the person's own settings are the project's as well.
    if (own === 'managed' || (scope !== undefined && own !== scope) || seen.has(path)) return [];
    seen.add(path);
    return [{ scope: own, file: path }];
  });
}

function hostOf(adapters: readonly SourceAdapter[], host: string | undefined): HookedHost {
  for (const adapter of adapters)
    if (adapter.hookSettings && (host === undefined || adapter.host === host))
      return { adapter, settings: adapter.hookSettings };
  const able = adapters.filter(({ hookSettings }) => hookSettings).map((adapter) => adapter.host);
  throw new UserError('unknown-host', `troupe installs no hooks for «${host}».`, `It does for: ${able.join(', ')}`);
}

async function versionOf(settings: HookSettingsCapability, machine: Machine): Promise<string | undefined> {
  const found = await findVersion(settings.programs(machine));
  return found && settings.versionIn(found.said);
}

function unfit(file: string, problem: string): UserError {
  return new UserError(
    'settings-invalid',
    `${file} was left as it is: ${problem}.`,
    'Mend it, and try again; troupe hooks status tells about every settings file.',
  );
}

/**
 * Plans change the settings files of hosts, and write the scripts that they run; nothing before a plan is applied. Methods throw
 * a `UserError` if the person has to act first.
 */
export interface HooksControl {
  /** Reads which hooks are installed where, and whether the host runs them. */
  status(request: Pick<InstallRequest, 'host'>): Promise<HooksStatus>;
  planInstall(request: InstallRequest): Promise<InstallPlan>;
  /** Only the status line; hooks stay as they are. Throws a `UserError` if the host has none. */
  planStatusLine(request: StatusLineRequest): Promise<StatusLinePlan>;
  /** Hooks and the status line; without a scope, wherever ours are. */
  planUninstall(request: UninstallRequest): Promise<HooksPlan>;
}

interface InstallRequest {
  readonly host?: string;
  readonly scope: HookScope;
  readonly guard: boolean;
  /** In place of what the host's program says of itself. */
  readonly hostVersion?: string;
}

type StatusLineRequest = Pick<InstallRequest, 'host' | 'scope'>;

export interface StatusLinePlan extends HooksPlan {
  /** The command that wrote the line before: ours runs it first. */
  readonly wraps?: string;
}

type UninstallRequest = Partial<Pick<InstallRequest, 'host' | 'scope'>>;

export interface HooksPlan {
  readonly host: string;
  readonly hostTitle: string;
  /** Only files in which something changes. */
  readonly changes: readonly SettingsChange[];
  /** Writes them: by what stands in them by then. Gives the folders in which the old texts lie. */
  apply(): Promise<readonly string[]>;
}

interface InstallPlan extends HooksPlan {
  /** Null: nobody could say it, and only what the oldest version knows is written. */
  readonly hostVersion: string | null;
  readonly events: readonly string[];
  /** Of these we would be told twice: other entries of ours stand in another file that counts here. */
  readonly doubled: readonly string[];
  /** The guard that stands in the file would only observe from then on. */
  readonly dropsGuard: boolean;
  /** What the person has to do in the host before it runs them, in words. */
  readonly approval?: string;
  /** Why this host will not run them, where that is known beforehand. */
  readonly notLoaded?: LoadReason;
}
