// The parts of a message, as Google's API writes them.
import { asFlag, asObject, asText, isObject, type JsonObject } from '../../../lib/json.ts';

/** A plain text, one part, or a list of them: all three are written. */
export function partsOf(content: unknown): readonly JsonObject[] {
  const list = Array.isArray(content) ? content : [content];
  return list.flatMap((part) => (isObject(part) ? [part] : typeof part === 'string' ? [{ text: part }] : []));
}

/** What was said, without thoughts. */
export function spokenIn(parts: readonly JsonObject[]): string {
  return parts
    .filter((part) => asFlag(part['thought']) !== true)
    .flatMap((part) => asText(part['text']) ?? [])
    .join('\n');
}

export interface PartCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly input: JsonObject;
}

export function callsIn(parts: readonly JsonObject[]): readonly PartCall[] {
  return parts.flatMap((part) => {
    const call = asObject(part['functionCall']);
    if (!call) return [];
    return [{ id: asText(call['id']), tool: asText(call['name']) ?? 'unknown', input: asObject(call['args']) ?? {} }];
  });
}

export interface PartResponse {
  readonly id: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

export function responsesIn(parts: readonly JsonObject[]): readonly PartResponse[] {
  return parts.flatMap((part) => {
    const given = asObject(part['functionResponse']);
    if (!given) return [];
    const response = asObject(given['response']);
    const error = asText(response?.['error']);
    return [{ id: asText(given['id']), text: error ?? textOf(response), isError: error !== undefined }];
  });
}

function textOf(response: JsonObject | undefined): string {
  const output = response?.['output'] ?? response?.['content'];
  if (typeof output === 'string') return output;
  return response === undefined ? '' : JSON.stringify(output ?? response, null, 2);
}
