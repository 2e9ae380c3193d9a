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
  /** What of it the host itself put a price on; left out where it did for nothing. */
  readonly billed?: Billed;
}

/** What the host says some requests cost. */
export interface Billed {
  /** Billionths of a dollar: whole numbers add up to the same sum in any order. */
  readonly nanoUsd: number;
  readonly usage: Usage;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/**
 * The lines of one message repeat its usage, the earlier ones as the placeholder of the message's start: the largest
 * value of each field is the last known one (100 % of the multi-line groups of the recorded corpus).
 */
export function largestUsage(a: Usage, b: Usage): Usage {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWrite5m: Math.max(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: Math.max(a.cacheWrite1h, b.cacheWrite1h),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return addTimes(a, b, 1);
}

/** Takes off what was added. */
export function subtractUsage(a: Usage, b: Usage): Usage {
  return addTimes(a, b, -1);
}

function addTimes(a: Usage, b: Usage, times: 1 | -1): Usage {
  return {
    input: a.input + times * b.input,
    output: a.output + times * b.output,
    cacheRead: a.cacheRead + times * b.cacheRead,
    cacheWrite: a.cacheWrite + times * b.cacheWrite,
    cacheWrite5m: a.cacheWrite5m + times * b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + times * b.cacheWrite1h,
  };
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

function addModel(a: ModelUsage, b: ModelUsage): ModelUsage {
  const billed = addBilled(a.billed, b.billed);
  return { model: a.model, usage: addUsage(a.usage, b.usage), ...(billed && { billed }) };
}

function addBilled(a: Billed | undefined, b: Billed | undefined): Billed | undefined {
  if (!a || !b) return a ?? b;
  return { nanoUsd: a.nanoUsd + b.nanoUsd, usage: addUsage(a.usage, b.usage) };
}
