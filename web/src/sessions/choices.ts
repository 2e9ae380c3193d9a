import type { LiveSnapshot } from '../../../src/core/index.ts';

// What there is to choose from: only what the data holds.

export function hostsIn(picture: LiveSnapshot | undefined): readonly string[] {
  return sorted([...(picture?.sessions ?? []), ...(picture?.older ?? [])].map(({ host }) => host));
}

export function projectsIn(picture: LiveSnapshot | undefined): readonly string[] {
  return sorted((picture?.sessions ?? []).flatMap(({ project }) => project ?? []));
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort((a, b) => a.localeCompare(b));
}
