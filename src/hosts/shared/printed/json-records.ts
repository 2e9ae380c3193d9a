import { asObject, type JsonObject } from '../../../lib/json.ts';

/** Longer lines are whole conversations: the ids stand in short ones, too. */
const MAX_LENGTH = 1_000_000;

/** JSON objects in what a program printed, between whatever else it printed: one a line, a list on a line, one over many lines. */
export function jsonRecordsIn(text: string): readonly JsonObject[] {
  const lines = text.split('\n').filter((line) => /^(\{.*\}|\[\{.*\}\])\s*$/.test(line));
  // As `JSON.stringify(…, null, 2)` prints it: what begins at the margin ends there.
  const blocks = [...text.matchAll(/^\{\n(?: .*\n)+\}/gm)].map(([block]) => block);
  return [...lines, ...blocks].filter(({ length }) => length <= MAX_LENGTH).flatMap(parse);
}

function parse(text: string): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one): readonly JsonObject[] => {
      const record = asObject(one);
      return record ? [record] : [];
    });
  } catch {
    return [];
  }
}
