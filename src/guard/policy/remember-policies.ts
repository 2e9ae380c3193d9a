import type { Clock } from '../../lib/clock.ts';
import type { Policy } from '../policy.ts';
import { loadPolicy } from './load-policy.ts';
import { policyPlaces } from './policy-places.ts';
import type { WhereCompiledIs } from './read-compiled.ts';
import { lookAtSource } from './read-source.ts';

interface Remembered {
  readonly policy: Policy;
  readonly state: string;
  /** Epoch milliseconds: before the files were looked at. */
  readonly at: number;
}

/** Within this time two writes may have left the same times on a file. */
const TICK_MS = 2_000;
const MAX_REMEMBERED = 100;

/** For a process that stays: a policy is loaded again where one of its files has changed, came or went, or may have. */
export function rememberPolicies(clock: Clock): (where: WhereCompiledIs) => Promise<Policy> {
  const remembered = new Map<string, Remembered>();
  return async (where) => {
    const at = clock();
    const looks = policyPlaces(where).map(({ file }) => ({ file, ...lookAtSource(file) }));
    const state = JSON.stringify(looks.map(({ file, state: seen }) => [file, seen]));
    const known = remembered.get(where.folder);
    const isSettled = looks.every(({ changedAt = 0 }) => known && changedAt < known.at - TICK_MS);
    if (known?.state === state && isSettled) return known.policy;
    const { policy } = await loadPolicy(where);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(where.folder, { policy, state, at });
    return policy;
  };
}
