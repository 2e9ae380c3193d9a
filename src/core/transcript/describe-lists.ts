import { asText, isObject, type JsonObject } from '../../lib/json.ts';
import type { Check, ChecksView, FoundView } from './call-views.ts';

export function describeFound(input: JsonObject, output: string | undefined): FoundView | undefined {
  const [pattern, where] = [asText(input['pattern']), asText(input['path']) ?? asText(input['dir_path'])];
  if (pattern === undefined && where === undefined) return undefined;
  return { kind: 'found', pattern: pattern ?? '', where: asText(input['glob']) ?? where, text: output };
}

const STATES: ReadonlyMap<string, Check['state']> = new Map([
  ['in_progress', 'doing'],
  ['completed', 'done'],
  ['cancelled', 'dropped'],
  ['deleted', 'dropped'],
]);

export function describeChecks(input: JsonObject): ChecksView | undefined {
  const list = input['todos'] ?? input['plan'];
  if (!Array.isArray(list)) return undefined;
  const checks = list.filter(isObject).flatMap((one): readonly Check[] => {
    const text = asText(one['content']) ?? asText(one['subject']) ?? asText(one['step']) ?? asText(one['description']);
    return text === undefined ? [] : [{ text, state: stateOf(one) }];
  });
  return checks.length < list.length ? undefined : { kind: 'checks', checks };
}

/** One thing to do, made or moved on. */
export function describeTask(input: JsonObject): ChecksView | undefined {
  const id = asText(input['taskId']);
  const text = asText(input['subject']) ?? (id === undefined ? undefined : `Task ${id}`);
  return text === undefined ? undefined : { kind: 'checks', checks: [{ text, state: stateOf(input) }] };
}

function stateOf(input: JsonObject): Check['state'] {
  return STATES.get(asText(input['status']) ?? '') ?? 'open';
}
