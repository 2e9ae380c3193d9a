// Tokens: of a request, added up, by model.

import { known } from '../lib/json.ts';

/** Tokens of one request, or of many added up. `cacheWrite` is all cache writes; the two below it split them by life. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

export interface ModelUsage {
  readonly model: string;
  readonly usage: Usage;
  /**
   * What of it the host itself put a price on; left out where it did for nothing. In billionths of a dollar: whole numbers
   * add up to the same sum in any order.
   */
  readonly billed?: Billed;
  /** What of it was used by requests that cost more because their context was large; left out if none was. */
  readonly long?: Usage;
}

export interface Billed extends Pick<ModelUsage, 'usage' | 'long'> {
  readonly nanoUsd: number;
}

/** Usage of the quarter of an hour that begins at `at`, in epoch milliseconds; 0 if no time is known. */
export interface TimedUsage extends ModelUsage {
  readonly at: number;
  /** How many replies; left out if that is not known. */
  readonly requests?: number;
  /** Only the numbers of the start of some message are known. */
  readonly isLowerBound?: true;
}

const SLOT_MS = 15 * 60_000;

/** Every time zone begins its days at one of these. */
export function slotOf(at: number | undefined): number {
  return at === undefined ? 0 : Math.floor(at / SLOT_MS) * SLOT_MS;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/**
 * The lines of one message repeat its usage, the earlier ones as the placeholder of the message's start: the largest
 * value of each field is the last known one (100 % of the multi-line groups of the recorded corpus).
 */
export function largestUsage(a: Usage, b: Usage): Usage {
  return combine(a, b, Math.max);
}

export function smallestUsage(a: Usage, b: Usage): Usage {
  return combine(a, b, Math.min);
}

function combine(a: Usage, b: Usage, pick: (one: number, other: number) => number): Usage {
  return {
    input: pick(a.input, b.input),
    output: pick(a.output, b.output),
    cacheRead: pick(a.cacheRead, b.cacheRead),
    cacheWrite: pick(a.cacheWrite, b.cacheWrite),
    cacheWrite5m: pick(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: pick(a.cacheWrite1h, b.cacheWrite1h),
  };
}

/** Added to in place: a sum of its own for each of a hundred thousand messages would be most of the garbage. */
export type UsageSum = { -readonly [Key in keyof Usage]: Usage[Key] };

/** `times` -1 takes off what was added. */
export function addTo(sum: UsageSum, usage: Usage, times: 1 | -1): UsageSum {
  sum.input += times * usage.input;
  sum.output += times * usage.output;
  sum.cacheRead += times * usage.cacheRead;
  sum.cacheWrite += times * usage.cacheWrite;
  sum.cacheWrite5m += times * usage.cacheWrite5m;
  sum.cacheWrite1h += times * usage.cacheWrite1h;
  return sum;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return addTo({ ...a }, b, 1);
}

/** What the request filled of the context window. */
export function contextOf(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Of several agents together, model by model. */
export function addByModel(a: readonly ModelUsage[], b: readonly ModelUsage[]): readonly ModelUsage[] {
  if (a.length === 0) return b;
  const sums = new Map(a.map((one) => [one.model, one]));
  for (const one of b) {
    const sum = sums.get(one.model);
    sums.set(one.model, sum ? addModel(sum, one) : one);
  }
  return [...sums.values()].sort((one, other) => (one.model < other.model ? -1 : 1));
}

export function sumByModel(timed: readonly TimedUsage[]): readonly ModelUsage[] {
  const byModel = timed.map(({ at: _, isLowerBound: __, requests: ___, ...one }): readonly ModelUsage[] => [one]);
  return byModel.reduce(addByModel, []);
}

function addModel(a: ModelUsage, b: ModelUsage): ModelUsage {
  const { model, billed: one } = a;
  const other = b.billed;
  const both = one && other && { nanoUsd: one.nanoUsd + other.nanoUsd, ...addParts(one, other) };
  return { model, ...addParts(a, b), ...known({ billed: both ?? one ?? other }) };
}

function addParts(a: Omit<Billed, 'nanoUsd'>, b: Omit<Billed, 'nanoUsd'>): Omit<Billed, 'nanoUsd'> {
  const long = a.long && b.long ? addUsage(a.long, b.long) : (a.long ?? b.long);
  return { usage: addUsage(a.usage, b.usage), ...known({ long }) };
}
