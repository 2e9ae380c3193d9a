import { isObject } from '../../lib/json.ts';
import { cleanBlock } from '../index.ts';
import type { Field } from './call-views.ts';

/** The input of a tool that we know nothing about: what it was given, by name. */
export function formatFields(input: unknown): readonly Field[] {
  if (isObject(input)) return Object.entries(input).map(([name, value]) => ({ name, text: formatValue(value) }));
  return input === undefined || input === null ? [] : [{ name: 'input', text: formatValue(input) }];
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, undefined, 2) ?? 'undefined';
}

/** Longer ones are data for a program, and shown as they are. */
const MAX_PRETTY = 200_000;

/** JSON on one line becomes JSON on many; any other text stays as it is. */
export function prettyJson(text: string): string {
  if (text.length > MAX_PRETTY || !/^\s*[[{]/.test(text)) return text;
  try {
    // JSON can spell characters out (`\u202e`): what was cleaned before is hostile again.
    return cleanBlock(JSON.stringify(JSON.parse(text), undefined, 2));
  } catch {
    return text;
  }
}
