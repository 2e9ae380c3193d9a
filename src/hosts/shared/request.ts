// What somebody really asked: the title of a session whose host gave it none.

import { shortenTitle } from '../../core/index.ts';
import { asText, parseObject } from '../../lib/json.ts';

/** What programs put in front of a request: open files, selections, reminders, the folder, instructions. */
const WRAPPERS = [
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'system-reminder',
  'local-command-caveat',
  'environment_context',
  'user_instructions',
  'INSTRUCTIONS',
];
const WRAPPED = new RegExp(`^<(${WRAPPERS.join('|')})\\b[^>]*>[\\s\\S]*?</\\1>\\s*`);
const LETTER = /^<teammate-message\b[^>]*>\s*([\s\S]*?)\s*<\/teammate-message>/;
/** Codex in an editor puts what is open there before the request. */
const IDE_CONTEXT = /^# Context from my IDE setup:/;
const IDE_REQUEST = /^## My request for [^\n:]*:\s*/m;
/** Nothing was asked: the person stopped it, or these are the project's own rules. */
const NO_REQUEST = /^(?:\[Request interrupted|# AGENTS\.md instructions|Caveat: The messages below)/;
const PLAN = /^Implement the following plan:\s*/;
/** Things that were put into the text, and stand in front of the words. */
const ATTACHED = /^(?:\[(?:Image|Pasted text)[^\]]*\]\s*)+(?=\S)/;
/** Headings, lists, quotes and emphasis of Markdown. */
const MARKS = /^(?:#{1,6}\s+|[-*>]\s+|\d+\.\s+|\*\*|__)+/;

/** In one line of at most 80 characters. Undefined if the text holds no request: then a later one may. */
export function requestIn(text: string): string | undefined {
  let rest = text.trim();
  for (let wrapped = WRAPPED.exec(rest); wrapped; wrapped = WRAPPED.exec(rest)) rest = rest.slice(wrapped[0].length);
  if (NO_REQUEST.test(rest)) return undefined;
  if (IDE_CONTEXT.test(rest)) {
    const request = IDE_REQUEST.exec(rest);
    return request ? requestIn(rest.slice(request.index + request[0].length)) : undefined;
  }
  const letter = LETTER.exec(rest)?.[1];
  if (letter !== undefined) return requestIn(letter);
  if (rest.startsWith('{')) return assignmentIn(rest);
  rest = rest.replace(PLAN, '').replace(ATTACHED, '');
  const line = rest
    .split('\n')
    .map((one) =>
      one
        .replace(MARKS, '')
        .replace(/(?:\*\*|__)$/, '')
        .trim(),
    )
    .find((one) => /[\p{L}\p{N}]/u.test(one));
  return line === undefined ? undefined : shortenTitle(line);
}

/** What teammates tell each other without words is JSON: a task has a subject. */
function assignmentIn(text: string): string | undefined {
  const message = parseObject(text);
  if (!message) return shortenTitle(text);
  const subject = asText(message['subject']) ?? asText(message['description']) ?? asText(message['prompt']);
  return subject === undefined ? undefined : shortenTitle(subject);
}
