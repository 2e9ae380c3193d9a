/**
 * Tolerant access to JSON that somebody else wrote. The hosts change their formats from one version to the next,
 * so a missing or mistyped field is `undefined`, never an exception.
 */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** A string with something in it. The hosts write empty strings where they mean "not known". */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count or an amount: a finite number, not below zero. */
export function asAmount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function asFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Epoch milliseconds of an ISO 8601 text. */
export function asInstant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * The same value, cut where it is nested deeper than anything of use: `JSON.parse` takes a hundred thousand brackets,
 * and nearly everything behind it, `JSON.stringify` first, runs out of stack.
 */
export function withinDepth(value: unknown, levels = 100): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  const entries = Object.entries(value);
  let isSame = true;
  const within = entries.map(([key, one]): [string, unknown] => {
    const kept = withinDepth(one, levels - 1);
    isSame &&= kept === one;
    return [key, kept];
  });
  if (isSame) return value;
  return Array.isArray(value) ? within.map(([, one]) => one) : Object.fromEntries(within);
}

/** By hand, not by recursion: it asks because recursion may not end. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  const open: { readonly value: unknown; readonly level: number }[] = [{ value, level: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.level >= levels) return true;
    for (const one of Object.values(next.value)) open.push({ value: one, level: next.level + 1 });
  }
  return false;
}

/** The fields that have a value. `exactOptionalPropertyTypes` tells "left out" from "undefined", and so do we. */
export function known<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) result[key] = value as Exclude<T[typeof key], undefined>;
  }
  return result;
}
