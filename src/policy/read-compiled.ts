// What a hook decides by. No YAML here: whether the compiled policy is that of the files can be told without reading them as such.
import path from 'node:path';
import type { Policy } from '../guard/policy.ts';
import { NO_POLICY, withCaution } from './caution.ts';
import { COMPILER, type CompiledFile, type CompiledSource, compiledPath, readCompiledFile } from './compiled-file.ts';
import { type PolicyPlace, policyPlaces, type WherePolicyIs } from './policy-places.ts';
import { lookAtSource, readSource } from './read-source.ts';

export interface WhereCompiledIs extends WherePolicyIs {
  readonly stateFolder: string;
  readonly home: string;
}

/**
 * `current`: it is that of the files. `stale`: a file has changed, came or went since, or none was compiled yet. `bad`: what
 * was compiled cannot be read. `none`: there is no policy. In each case `policy` can be used as it is: of a stale or bad one
 * it denies what was denied, and asks about all the rest.
 */
export type ReadCompiled =
  | { readonly state: 'current'; readonly policy: Policy; readonly compiled: CompiledFile }
  | { readonly state: 'stale' | 'bad'; readonly policy: Policy; readonly reason: string }
  | { readonly state: 'none'; readonly policy: Policy };

/** Never throws. */
export function readCompiled(where: WhereCompiledIs): ReadCompiled {
  const places = policyPlaces(where);
  const compiled = readCompiledFile(compiledPath(where.stateFolder, places));
  if (compiled === 'bad') return distrusted('bad', places[0], 'what was compiled of it cannot be read');
  if (compiled === undefined) {
    const there = places.find(({ file }) => lookAtSource(file) !== undefined);
    return there ? distrusted('stale', there, 'it was not compiled yet') : { state: 'none', policy: NO_POLICY };
  }
  if (compiled.compiler !== COMPILER || compiled.home !== where.home)
    return distrusted('stale', places[0], 'it was compiled by another troupe', compiled.policy);
  const changed = places.find((place, index) => isChanged(place, compiled.sources[index], compiled.at));
  if (changed) return distrusted('stale', changed, 'it has changed and was not compiled yet', compiled.policy);
  return { state: 'current', policy: compiled.policy, compiled };
}

/** Within this time two writes may have left the same times on a file. */
const TICK_MS = 2_000;

function isChanged({ file }: PolicyPlace, before: CompiledSource | undefined, compiledAt: number): boolean {
  if (before?.file !== file) return true;
  const now = lookAtSource(file);
  if (now === undefined || before.state === undefined) return now?.state !== before.state;
  if (now.state === before.state && now.changedAt < compiledAt - TICK_MS) return false;
  return readSource(file)?.digest !== before.digest;
}

/** Before anything was compiled nobody knows what the files say, `on_error` included. */
const UNREAD: Policy = { ...NO_POLICY, onError: 'ask' };

function distrusted(
  state: 'stale' | 'bad',
  place: PolicyPlace | undefined,
  why: string,
  policy: Policy = UNREAD,
): ReadCompiled {
  const { file, scope } = place ?? { file: 'policy.yaml', scope: 'user' };
  const reason = `${path.basename(file)} cannot be followed: ${why}. Run: troupe guard check`;
  return {
    state,
    reason,
    policy: withCaution(policy, { id: `${scope}:${state}`, place: { file, line: 1 }, reason }),
  };
}
