// The policy of a project, always compiled from the files themselves: a compiled one that was kept could be changed by an agent without a
// trace. The hook without a server does the same, so nothing slow is loaded here.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { type Compiled, compilePolicy } from './compile.ts';
import type { ReadYaml } from './read-policy-file.ts';
import { type CompiledPolicyFolders, type PolicyPlace, policyPlaces, readSource } from './sources.ts';

export interface CompiledSources extends Compiled {
  /** Those that are there, with their texts. */
  readonly sources: readonly (PolicyPlace & Pick<NonNullable<ReturnType<typeof readSource>>, 'content'>)[];
}

/** Never throws: what cannot be read becomes a problem, and a rule that asks. */
export function compileSources(
  where: CompiledPolicyFolders,
  readYaml: ReadYaml,
  places: readonly PolicyPlace[] = policyPlaces(where),
  isBrief = false,
): CompiledSources {
  const sources = places.flatMap((place) => {
    const found = readSource(place.file);
    return found ? [{ ...place, content: found.content }] : [];
  });
  const { home, configFolder, stateFolder } = where;
  const ownFolders = [configFolder, stateFolder].map(resolveFolder);
  return { sources, ...compilePolicy({ sources, home, ownFolders, resolve: resolveFolder, readYaml, isBrief }) };
}

/** The part before the first `*`, as far as it is there, with its links followed. */
function resolveFolder(pattern: string): string {
  const parts = pattern.split(path.sep);
  const fixed = parts.findIndex((part) => part.includes('*'));
  for (let length = fixed === -1 ? parts.length : fixed; length > 1; length--) {
    try {
      return path.join(realpathSync(parts.slice(0, length).join(path.sep)), ...parts.slice(length));
    } catch {
      // Not there (yet): the folder above may be.
    }
  }
  return pattern;
}
