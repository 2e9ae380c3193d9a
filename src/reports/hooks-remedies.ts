// What to type so that hooks are heard again: with the scope and the guard of the entries concerned.
import type { HooksStatus, SettingsStatus } from './hooks-shapes.ts';

/** The command that enters ours anew where they stand. Nothing where they are not ours to change. */
export function installAgain({ scope, guard }: Pick<SettingsStatus, 'scope' | 'guard'>): string | undefined {
  if (scope === 'managed') return undefined;
  return `troupe hooks install${scope === 'user' ? '' : ` --scope ${scope}`}${guard ? ' --guard' : ''}`;
}

/** Where ours stand, whether the host reads them or not; in no place: where they are installed by default. */
export function installWhereOursAre({ places }: Pick<HooksStatus, 'places'>): string {
  const ours = places.filter(({ events }) => events.length > 0);
  const place = ours.find(({ problem }) => problem === null) ?? ours[0];
  return (place && installAgain(place)) ?? 'troupe hooks install';
}
