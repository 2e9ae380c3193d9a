import { isObject, type JsonObject } from './json.ts';

/** Nothing where it is no JSON. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parseObject(text: unknown): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
