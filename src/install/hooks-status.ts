import { readFile } from 'node:fs/promises';
import type { HookSettingsCapability, Machine, SourceAdapter } from '../adapters/adapter.ts';
import type { HookShadow, HooksStatus, ScriptStatus, SettingsStatus } from '../reports/hooks-shapes.ts';
import { doubledEvents, type Looked, lookAtSettings, oursInForce } from './look-at-settings.ts';

export interface StatusQuestion {
  readonly adapter: SourceAdapter;
  readonly settings: HookSettingsCapability;
  readonly hostVersion: string | undefined;
  readonly machine: Machine;
  readonly folder: string;
  readonly version: string;
}

/** What is installed where, and whether it can work. Reads, and only reads. */
export async function hooksStatus(question: StatusQuestion): Promise<HooksStatus> {
  const { adapter, settings, hostVersion, machine, folder, version } = question;
  const looked = await lookAtSettings(settings, machine, folder, hostVersion);
  const inForce = looked.filter(({ view }) => view.problem === undefined);
  const ours = oursInForce(looked);
  const doubled = doubledEvents(ours);
  const scripts: ScriptStatus[] = [];
  for (const file of new Set(ours.map((hook) => hook.file))) scripts.push(await scriptStatus(file, version));
  const events = settings.eventsFor(hostVersion);
  const shadows = shadowsIn(inForce);
  return {
    host: adapter.host,
    hostTitle: adapter.title,
    hostVersion: hostVersion ?? null,
    version,
    events,
    places: looked.map(toPlace),
    shadows,
    doubled,
    scripts,
    isComplete:
      shadows.length === 0 &&
      doubled.length === 0 &&
      events.every((event) => ours.some((hook) => hook.event === event)) &&
      ours.every((hook) => hook.version === version) &&
      scripts.every(({ state }) => state === 'ours'),
  };
}

function toPlace({ scope, file, exists, view }: Looked): SettingsStatus {
  return {
    scope,
    file,
    exists,
    problem: view.problem ?? null,
    tooNew: view.tooNew ?? [],
    events: view.ours.map(({ event }) => event),
    guard: view.ours.some(({ role }) => role === 'guard'),
    versions: [...new Set(view.ours.map(({ version }) => version))],
    othersBeforeCalls: view.othersBeforeCalls,
  };
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
async function scriptStatus(file: string, version: string): Promise<ScriptStatus> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return { file, state: 'missing', version: null };
  }
  const found = /^#!.*\n# troupe (\S+):/.exec(text)?.[1];
  if (found === undefined) return { file, state: 'not-ours', version: null };
  return { file, state: found === version ? 'ours' : 'other-version', version: found };
}
