import type { Decision, Rule } from './policy.ts';

/** What became of one part of a call that is asked about as a whole. */
export interface AskedPart {
  readonly decision: Decision;
  /** Whoever asks about it, where it is asked about; null: the default does. */
  readonly asking: readonly (Pick<Rule, 'wait'> | null)[];
}

/**
 * How long a call waits for an answer. Only where every rule that asks waits, and as long as the most impatient one: the
 * question of a rule without `wait`, or of a default, is the host's to ask (null). Without an answer it is allowed only where
 * all of them say so and nothing else in the call is left to the host.
 */
export function waitOf(parts: readonly AskedPart[]): Rule['wait'] {
  const asking = parts.flatMap((part) => part.asking);
  const waits = asking.flatMap((rule) => rule?.wait ?? []);
  if (waits.length === 0 || waits.length < asking.length) return null;
  const mayAllow =
    waits.every(({ otherwise }) => otherwise === 'allow') && parts.every(({ decision }) => decision !== 'none');
  return { ms: Math.min(...waits.map(({ ms }) => ms)), otherwise: mayAllow ? 'allow' : 'deny' };
}
