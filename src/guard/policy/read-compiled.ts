// What a hook decides by. No YAML here: whether the compiled policy is that of the files can be told without reading them as such.
import { utimesSync } from 'node:fs';
import path from 'node:path';
import type { Policy } from '../policy.ts';
import { NO_POLICY, withCaution } from './caution.ts';
import {
  type CompiledFile,
  type CompiledSource,
  compiledPath,
  type IsWanted,
  type ReadFile,
  readCompiledFile,
  restateSources,
} from './compiled-file.ts';
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
  | {
      readonly state: 'current';
      readonly policy: Policy;
      readonly compiled: CompiledFile;
      readonly rulesOf: ReadFile['rulesOf'];
    }
  | { readonly state: 'stale' | 'bad'; readonly policy: Policy; readonly reason: string }
  | { readonly state: 'none'; readonly policy: Policy };

/** Never throws. Who says which rules are wanted gets no others, at first. */
export function readCompiled(where: WhereCompiledIs, isWanted?: IsWanted): ReadCompiled {
  const places = policyPlaces(where);
  const file = compiledPath(where.stateFolder, places);
  const read = readCompiledFile(file, isWanted);
  if (read === 'bad') return distrusted('bad', places[0], 'what was compiled of it cannot be read');
  if (read === 'other') return distrusted('stale', places[0], 'it was compiled by another troupe');
  if (read === undefined) {
    const there = places.find(({ file }) => lookAtSource(file) !== undefined);
    return there ? distrusted('stale', there, 'it was not compiled yet') : { state: 'none', policy: NO_POLICY };
  }
  const { compiled, at, rulesOf } = read;
  const distrustedNow = (place: PolicyPlace | undefined, why: string): ReadCompiled => {
    try {
      return distrusted('stale', place, why, { ...compiled.policy, rules: rulesOf(() => true) });
    } catch {
      return distrusted('bad', place, 'what was compiled of it cannot be read');
    }
  };
  if (compiled.home !== where.home) return distrustedNow(places[0], 'it was compiled for another home folder');
  const now = Date.now();
  const looks = places.map((place, index) => lookForChange(place, compiled.sources[index], at));
  const changed = places[looks.indexOf('changed')];
  if (changed) return distrustedNow(changed, 'it has changed and was not compiled yet');
  if (looks.some((look) => look !== 'same')) renew(file, now, looks);
  return { state: 'current', policy: compiled.policy, compiled, rulesOf };
}

/** The next need not read the sources again. Whether it can be said does not matter. */
function renew(file: string, at: number, looks: readonly Look[]): void {
  try {
    // Files that were written again as they were: a checkout does that.
    if (looks.some((look) => typeof look === 'object')) restateSources(file, looks);
    utimesSync(file, at / 1_000, at / 1_000);
  } catch {
    // Not ours, or a disk that takes nothing.
  }
}

/** Within this time two writes may have left the same times on a file. */
const TICK_MS = 2_000;

/** `read again`: it is as it was, and could only be told by its text. With a state: that is another now. */
type Look = 'same' | 'read again' | 'changed' | { readonly state: string };

function lookForChange({ file }: PolicyPlace, before: CompiledSource | undefined, knownAt: number): Look {
  if (before?.file !== file) return 'changed';
  const now = lookAtSource(file);
  if (now === undefined || before.state === undefined) return now?.state === before.state ? 'same' : 'changed';
  if (now.state === before.state && now.changedAt < knownAt - TICK_MS) return 'same';
  const read = readSource(file);
  if (read === undefined || read.digest !== before.digest) return 'changed';
  return read.state === before.state ? 'read again' : { state: read.state };
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
