// What a provider answered in place of a reply: JSON inside of a message, as a rule.
import { asObject, asText } from '../../lib/json.ts';
import { parseJson } from './record.ts';

/** In the provider's own words, without what is around them. */
export function messageOfError(error: unknown): string | undefined {
  const text = asText(asObject(error)?.['message']);
  const inner = text?.startsWith('{') ? asObject(parseJson(text)) : undefined;
  return asText(asObject(inner?.['error'])?.['message']) ?? text;
}
