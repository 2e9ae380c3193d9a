// What to type so that hooks are heard again: with the scope and the guard of the entries concerned.
import type { HooksLoaded, HooksStatus, SettingsStatus } from './hooks-shapes.ts';

/** The command that enters ours anew where they stand. Nothing where they are not ours to change. */
export function installAgain(
  { scope, guard }: Pick<SettingsStatus, 'scope' | 'guard'>,
  status: NamedHost,
): string | undefined {
  if (scope === 'managed') return undefined;
  return `${install(status)}${scope === 'user' ? '' : ` --scope ${scope}`}${guard ? ' --guard' : ''}`;
}

type NamedHost = Pick<HooksStatus, 'host' | 'isToBeNamed'>;

function install(status: NamedHost): string {
  return `troupe hooks install${hostFlag(status)}`;
}

function hostFlag({ host, isToBeNamed }: NamedHost): string {
  return isToBeNamed ? ` --host ${host}` : '';
}

/** Where ours stand, best there where the host reads them; in no place: where they are installed by default. */
export function installWhereOursAre(
  status: NamedHost & Pick<HooksStatus, 'places'>,
  scope?: SettingsStatus['scope'],
): string {
  const { places } = status;
  const ours = places.filter((place) => place.events.length > 0 && (scope === undefined || place.scope === scope));
  const place = ours.find(({ problem }) => problem === null) ?? ours[0];
  return (place && installAgain(place, status)) ?? install(status);
}

/**
 * Where different entries tell of the same event: those that tell least are taken out. Within one file, installing
 * leaves one.
 */
export function tellOnce(status: NamedHost & Pick<HooksStatus, 'places' | 'doubled' | 'version'>): string {
  const { places, doubled, version } = status;
  const telling = places.filter(
    ({ problem, events }) => problem === null && doubled.some((one) => events.includes(one)),
  );
  const worth = ({ guard, versions, scope }: SettingsStatus): number =>
    (scope === 'managed' ? 8 : 0) + (guard ? 4 : 0) + (versions.includes(version) ? 2 : 0) + (scope === 'user' ? 1 : 0);
  const [least, ...others] = telling.toSorted((a, b) => worth(a) - worth(b));
  return least && others.length > 0
    ? `troupe hooks uninstall${hostFlag(status)} --scope ${least.scope}`
    : installWhereOursAre(status, least?.scope);
}

export function thingOf({ role }: Pick<HooksLoaded, 'role'>): string {
  return role === 'guard' ? 'the guard' : 'our hooks';
}

/** The same words wherever it is said. */
export function notLoadedWords({ role }: Pick<HooksLoaded, 'role'>): string {
  return role === 'guard'
    ? 'GUARD NOT LOADED, tool calls run UNGUARDED:'
    : 'HOOKS NOT LOADED, troupe is told of no tool call:';
}
