import type { SettingsStatus } from '../../core/index.ts';
import type { HookSettingsCapability, Machine, SettingsHook, SettingsView } from '../../hosts/index.ts';
import { readText } from '../../lib/edit-file.ts';
import { UserError } from '../../lib/user-error.ts';

export interface Looked extends Pick<SettingsStatus, 'scope' | 'file' | 'exists'> {
  readonly view: SettingsView;
}

/** Every settings file that counts for somebody who works in this folder, the strongest last. */
export async function lookAtSettings(
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
