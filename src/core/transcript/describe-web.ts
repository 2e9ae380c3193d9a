import { asText, isObject, type JsonObject } from '../../lib/json.ts';
import { cleanLine } from '../index.ts';
import type { WebView } from './call-views.ts';

export function describeFetch(input: JsonObject, output: string | undefined): WebView | undefined {
  const target = asText(input['url']);
  if (target === undefined) return undefined;
  return { kind: 'web', target, question: asText(input['prompt']), hits: [], text: output };
}

export function describeWebSearch(input: JsonObject, output: string | undefined): WebView | undefined {
  const target = asText(input['query']);
  return target === undefined ? undefined : { kind: 'web', target, question: undefined, ...hitsIn(output) };
}

/** Some hosts write what was found as one line of JSON, and behind it what the model made of it. */
const LINKS = /^Links: (\[.*\])$/m;

function hitsIn(output: string | undefined): Pick<WebView, 'hits' | 'text'> {
  const match = LINKS.exec(output ?? '');
  const list = match?.[1] === undefined ? undefined : parse(match[1]);
  if (!match || !Array.isArray(list)) return { hits: [], text: output };
  const hits = list.filter(isObject).flatMap((one) => {
    const url = asText(one['url']);
    // Out of JSON once more, which can spell any character out.
    return url === undefined ? [] : [{ title: cleanLine(asText(one['title']) ?? url), url: cleanLine(url) }];
  });
  return { hits, text: output?.replace(match[0], '').trim() };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
