// Prices and context windows by model: data, as of the dates below.

import { addTo, type ModelUsage, type Usage } from '../usage.ts';
import type { CostReport } from './shapes.ts';

/** US dollars for a million tokens, and the context window. Writing to the cache for an hour costs twice the input. */
interface ModelData {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly window: number;
}

/** Most cost five times as much to write as to read, and a tenth of the input to read from the cache. */
function model(input: number, window: number, cacheRead = input / 10): ModelData {
  return { input, output: input * 5, cacheRead, window };
}

export const PRICES_AS_OF = '2026-11-16';

const SMALL = 200_000;
const LARGE = 1_000_000;

/**
 * List prices and context windows by the exact name. A model that is not here has no price, and UIs say so: a new model
 * often costs something else than the one before it. From 4-5 on, what Claude Code 2.1.325 itself counts with (`costUSD` and
 * `contextWindow` of recorded runs); older ones from the published price list.
 */
const MODELS: Readonly<Record<string, ModelData>> = {
  'claude-fable-5': model(10, LARGE),
  'claude-fable-5-1': model(10, LARGE, 0.25),
  'claude-fable-5-2': model(8, LARGE, 0.2),
  'claude-mythos-5': model(10, LARGE),
  'claude-mythos-5-1': model(10, LARGE, 0.25),
  'claude-mythos-5-2': model(8, LARGE, 0.2),
  'claude-opus-5-5': model(4, LARGE, 0.2),
  'claude-opus-5': model(5, LARGE),
  'claude-opus-4-8': model(5, LARGE),
  'claude-opus-4-7': model(5, LARGE),
  'claude-opus-4-6': model(5, SMALL),
  'claude-opus-4-5': model(5, SMALL),
  'claude-opus-4-1': model(15, SMALL),
  'claude-opus-4-0': model(15, SMALL),
  'claude-opus-4': model(15, SMALL),
  'claude-3-opus': model(15, SMALL),
  'claude-sonnet-5-5': model(2, LARGE, 0.1),
  'claude-sonnet-5': model(2, LARGE),
  'claude-sonnet-4-6': model(3, SMALL),
  'claude-sonnet-4-5': model(3, SMALL),
  'claude-sonnet-4-0': model(3, SMALL),
  'claude-sonnet-4': model(3, SMALL),
  'claude-3-7-sonnet': model(3, SMALL),
  'claude-3-5-sonnet': model(3, SMALL),
  'claude-haiku-5-5': model(0.1, LARGE),
  'claude-haiku-4-5': model(1, SMALL),
  'claude-3-5-haiku': model(0.8, SMALL),
  'claude-3-haiku': { ...model(0.25, SMALL), cacheRead: 0.03 },
};

/** The same model under a date, `latest`, or the name that a cloud provider gives it. */
const MODEL_NAME = /^(?:.*[./])?(claude-[a-z0-9-]+?)(?:[-@](?:\d{8}|latest))?(?:-v\d+(?::\d+)?)?(?:\[1m\])?$/;

function dataOf(name: string | undefined): ModelData | undefined {
  const known = MODEL_NAME.exec(name ?? '')?.[1];
  return known !== undefined && Object.hasOwn(MODELS, known) ? MODELS[known] : undefined;
}

const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

/** What requests cost: what the host itself says, and by the price list where it says nothing. */
export function computeCost(used: readonly ModelUsage[], isLowerBound: boolean): CostReport {
  let usd = 0;
  const unpricedModels: string[] = [];
  for (const { model, usage, billed } of used) {
    const rest = billed ? addTo({ ...usage }, billed.usage, -1) : usage;
    const price = dataOf(model);
    if (billed) usd += billed.nanoUsd / BILLION;
    if (price) usd += dollars(rest, price);
    else if (isUsed(rest)) unpricedModels.push(model);
  }
  return { usd, isLowerBound: isLowerBound || unpricedModels.length > 0, unpricedModels };
}

/** Of several agents together. */
export function addCosts(costs: readonly CostReport[]): CostReport {
  return {
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
    isLowerBound: costs.some(({ isLowerBound }) => isLowerBound),
    unpricedModels: [...new Set(costs.flatMap(({ unpricedModels }) => unpricedModels))].sort(),
  };
}

/** Where the host does not say how long it keeps what was written to the cache, it is the shorter time. */
function dollars(usage: Usage, { input, output, cacheRead }: ModelData): number {
  const { cacheWrite, cacheWrite1h } = usage;
  const written = (cacheWrite - cacheWrite1h) * (input * 1.25) + cacheWrite1h * (input * 2);
  return (usage.input * input + usage.output * output + usage.cacheRead * cacheRead + written) / MILLION;
}

/** Replies that the host makes up itself name a model that does not exist, and used nothing. */
function isUsed(usage: Usage): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
}

/** A request beyond the table's window was made with a larger one that nobody wrote down. */
export function contextWindowOf(model: string | undefined, contextTokens: number | undefined): number | null {
  const window = model?.endsWith('[1m]') ? LARGE : dataOf(model)?.window;
  return window === undefined || (contextTokens ?? 0) > window ? null : window;
}
