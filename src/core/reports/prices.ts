// What tokens cost, by the price table and by the person's own prices.

import { addTo, contextOf, type ModelUsage, type Usage } from '../usage.ts';
import { PRICE_SOURCES, PRICE_TABLE, type PriceRow, type PriceSource, type Rates } from './price-table.ts';

/** By the price table (`price-table.ts` has sources and dates), or the person's own prices. */
export interface CostReport {
  readonly usd: number;
  /** Some of it is not known: tokens that nobody wrote down, or a model without a price. */
  readonly isLowerBound: boolean;
  readonly unpricedModels: readonly string[];
}

/** The newest day on which a source of the table was read. */
export const PRICES_AS_OF = Object.values(PRICE_SOURCES)
  .map(({ readOn }) => readOn ?? '')
  .reduce((a, b) => (a > b ? a : b));

/** A model's prices by the settings: what is left out is as in the table, or as for models without such a price. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly window?: number | undefined;
}

const LARGE_WINDOW = 1_000_000;

/** Claude Code's mark for the same model with a large window. */
const LARGE_MARK = '[1m]';

const TABLE = byName(PRICE_TABLE);
let own: ReadonlyMap<string, PriceRow> = new Map();

function byName(rows: readonly PriceRow[]): ReadonlyMap<string, PriceRow> {
  return new Map(rows.flatMap((row) => row.names.map((name) => [name, row] as const)));
}

/** From now on, in this process. They hold for the exact name, and replace the table's row whole. */
export function setOwnPrices(prices: Readonly<Record<string, OwnPrice>> = {}): void {
  own = byName(Object.entries(prices).map(([name, price]) => toRow(name, price)));
}

function toRow(name: string, price: OwnPrice): PriceRow {
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = price;
  const window = price.window ?? TABLE.get(name)?.window ?? null;
  return { names: [name], input, output, cacheRead, cacheWrite, cacheWrite1h, window, source: 'settings' };
}

export interface PricesReport {
  readonly asOf: string;
  /** The person's own first. */
  readonly rows: readonly PriceReport[];
  readonly sources: readonly { readonly source: PriceSource; readonly text: string; readonly readOn: string | null }[];
}

/** US dollars for a million tokens. */
export interface PriceReport extends Rates {
  readonly model: string;
  /** All names that mean it, and no others. */
  readonly names: readonly string[];
  readonly window: number | null;
  /** For the whole request, if its context is larger than `above` tokens. */
  readonly long: (Rates & { readonly above: number }) | null;
  readonly source: PriceSource;
}

/** `troupe cost --prices`. */
export function computePrices(): PricesReport {
  const rows = [...own.values(), ...PRICE_TABLE.filter(({ names }) => names.some((name) => !own.has(name)))];
  const used = new Set(rows.map(({ source }) => source));
  const sources = Object.entries(PRICE_SOURCES).map(([source, about]) => ({ source: source as PriceSource, ...about }));
  return {
    asOf: PRICES_AS_OF,
    rows: rows.map(({ names: all, window, long, source, ...rates }) => {
      const names = source === 'settings' ? all : all.filter((name) => !own.has(name));
      return { model: names[0] ?? '', names, ...rates, window, long: long ?? null, source };
    }),
    sources: sources.filter(({ source }) => used.has(source)),
  };
}

/** By the exact name: a model that is not in the table has no price, for a new one often costs something else. */
function rowOf(name: string | undefined): PriceRow | undefined {
  if (name === undefined) return undefined;
  const plain = name.endsWith(LARGE_MARK) ? name.slice(0, -LARGE_MARK.length) : name;
  return own.get(name) ?? own.get(plain) ?? TABLE.get(plain);
}

/** Whether the vendor charges more for the whole request, for its context is so large. */
export function isLongRequest(model: string, usage: Usage): boolean {
  const { long } = TABLE.get(model) ?? {};
  return long !== undefined && contextOf(usage) > long.above;
}

const MILLION = 1_000_000;
const BILLION = 1_000_000_000;

/** What requests cost: what the host itself says, and by the price list where it says nothing. */
export function computeCost(used: readonly ModelUsage[], isLowerBound: boolean): CostReport {
  let usd = 0;
  const unpricedModels = new Set<string>();
  for (const one of used) {
    const { billed } = one;
    if (billed) usd += billed.nanoUsd / BILLION;
    const rest = billed ? without(one, billed) : one;
    const listed = listPrice(rest);
    if (listed !== undefined) usd += listed;
    else if (isUsed(rest.usage)) unpricedModels.add(one.model);
  }
  return {
    usd,
    isLowerBound: isLowerBound || unpricedModels.size > 0,
    unpricedModels: [...unpricedModels],
  };
}

function without({ model, usage, long }: ModelUsage, part: Pick<ModelUsage, 'usage' | 'long'>): ModelUsage {
  const rest = long && (part.long ? addTo({ ...long }, part.long, -1) : long);
  return { model, usage: addTo({ ...usage }, part.usage, -1), ...(rest && { long: rest }) };
}

/** Of several agents together. */
export function addCosts(costs: readonly CostReport[]): CostReport {
  return {
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
    isLowerBound: costs.some(({ isLowerBound }) => isLowerBound),
    unpricedModels: [...new Set(costs.flatMap(({ unpricedModels }) => unpricedModels))].sort(),
  };
}

/** By the price list alone, in dollars; undefined if the model is not in it. */
export function listPrice({ model, usage, long }: Omit<ModelUsage, 'billed'>): number | undefined {
  const row = rowOf(model);
  if (!row) return undefined;
  if (!long || !row.long) return dollars(usage, row);
  return dollars(addTo({ ...usage }, long, -1), row) + dollars(long, row.long);
}

/** Where the host does not say how long it keeps what was written to the cache, it is the shorter time. */
function dollars(usage: Usage, rates: Rates): number {
  const { cacheWrite, cacheWrite1h } = usage;
  const written = (cacheWrite - cacheWrite1h) * rates.cacheWrite + cacheWrite1h * rates.cacheWrite1h;
  return (
    (usage.input * rates.input + usage.output * rates.output + usage.cacheRead * rates.cacheRead + written) / MILLION
  );
}

/** Replies that the host makes up itself name a model that does not exist, and used nothing. */
function isUsed(usage: Usage): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
}

/** A request beyond the table's window was made with a larger one that nobody wrote down. */
export function contextWindowOf(model: string | undefined, contextTokens: number | undefined): number | null {
  const window = model?.endsWith(LARGE_MARK) ? LARGE_WINDOW : rowOf(model)?.window;
  return window == null || (contextTokens ?? 0) > window ? null : window;
}
