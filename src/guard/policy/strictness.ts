import type { Decision } from '../policy.ts';

/** Loosest first: an allowed call is not even asked about by the host, one without an opinion may be. */
const LOOSEST_FIRST: readonly Decision[] = ['allow', 'none', 'ask', 'deny'];

export function isLooser(decision: Decision, than: Decision): boolean {
  return LOOSEST_FIRST.indexOf(decision) < LOOSEST_FIRST.indexOf(than);
}

export function stricterOf(a: Decision, b: Decision): Decision {
  return isLooser(a, b) ? b : a;
}
