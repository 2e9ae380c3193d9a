// What somebody really asked: the title of a session whose host gave it none.

import { shortenTitle } from '../../core/index.ts';
import { asText, parseObject } from '../../lib/json.ts';

/** What programs put in front of a request: open files, selections, reminders, the folder, instructions, the output of hooks. */
const WRAPPERS = [
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'system-reminder',
  'local-command-caveat',
  'user-prompt-submit-hook',
  'session-start-hook',
  'fork-boilerplate',
  'environment_context',
  'user_instructions',
  'permissions instructions',
  'INSTRUCTIONS',
  'session_context',
  'hook_context',
  'current_datetime',
  'uploaded_files',
].join('|');
const WRAPPED = new RegExp(`^<(${WRAPPERS})\\b[^>]*>[\\s\\S]*?</\\1>\\s*`);
/** A long one may be cut before its end. */
const OPENED = new RegExp(`^<(?:${WRAPPERS})\\b`);
const LETTER =
  /^(?:Another Claude session sent a message:\s*)?<teammate-message\b[^>]*>\s*([\s\S]*?)\s*<\/teammate-message>/;
/** Codex in an editor puts what is open there before the request, its app the files that were added. */
const HEADING = /^# [^\n]+:\n/;
const IDE_CONTEXT = /^# Context from my IDE setup:/;
const IDE_REQUEST = /^## My request for [^\n:]*:\s*/m;
/** What `troupe attach` tells a new session of the agent that it goes on from (`control/handover.ts`). */
const HANDOVER = /^You go on where another agent stopped\./;
const HANDED_AGENT = /^- Agent: (?:.* › )?(.+)$/m;
const HANDED_MESSAGE =
  /^## What is asked of you now\s+(?=\S)(?!Say in one sentence that you know where things stand\.)([\s\S]+)$/m;
/** Nothing was asked: the person stopped it or ran a command, or these are words of the program or of the project. */
const NO_REQUEST = new RegExp(
  `^(?:${[
    '\\[Request interrupted',
    '# AGENTS\\.md instructions',
    'Caveat: The messages below',
    'This session is being continued from a previous conversation',
    'Base directory for this skill:',
    '\\[Image: [^\\]]*\\]$',
    '<(?:command-name|command-message|local-command-stdout|local-command-stderr|bash-input|bash-stdout|bash-stderr|user-memory-input)>',
    '<(?:task-notification|subagent_notification|turn_aborted|user_shell_command|user_action|skill)>',
  ].join('|')})`,
);
const PLAN = /^Implement the following plan:\s*/;
/** Things that were put into the text, and stand in front of the words. */
const ATTACHED = /^(?:\[(?:Image|Pasted text)[^\]]*\]\s*)+(?=\S)/;
/** Headings, lists, quotes and emphasis of Markdown. */
const MARKS = /^(?:#{1,6}\s+|[-*>]\s+|\d+\.\s+|\*\*|__)+/;
const LINK = /\[([^[\]]+)\]\([^()\s]*\)/g;
/** A line with nothing but a tag. */
const TAG = /^<\/?[\w-]+(?:\s[^<>]*)?>$/;
/** A line, or all that was asked, within one tag: of a message from a chat, or of the person's own. */
const TAGGED = /^<([\w-]+)(?:\s[^<>]*)?>([\s\S]*)<\/\1>$/;
const FENCE = /^\s*```/;
/** Headings that say what kind of text follows, and nothing about it. */
const FORM =
  /^#{1,6}\s+\W*(?:your )?(?:task|goal|context|background|objective|overview|instruction|request|problem|description|issue|prompt|summary|mission|role|introduction)s?\W*$/i;

/** In one line of at most 80 characters. Undefined if the text holds no request: then a later one may. */
export function requestIn(text: string): string | undefined {
  const request = withoutEnvelope(text);
  if (request === undefined) return undefined;
  const lines = untagged(request).split('\n');
  const spoken = withoutCode(lines).filter((line) => !FORM.test(line));
  const line = [...spoken, ...lines.filter((one) => !FENCE.test(one))].find((one) => hasWords(plain(one)));
  return line === undefined ? undefined : shortenTitle(plain(line));
}

function untagged(text: string): string {
  return TAGGED.exec(text)?.[2]?.trim() ?? text;
}

function withoutCode(lines: readonly string[]): readonly string[] {
  let isCode = false;
  return lines.filter((line) => {
    if (!FENCE.test(line)) return !isCode;
    isCode = !isCode;
    return false;
  });
}

/** Without the marks of Markdown. */
function plain(line: string): string {
  return untagged(
    line
      .replace(MARKS, '')
      .replace(/(?:\*\*|__)$/, '')
      .replace(LINK, '$1')
      .trim(),
  );
}

function hasWords(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !TAG.test(line);
}

/** What was asked, without what programs put around it. Undefined if nothing was. */
export function withoutEnvelope(text: string): string | undefined {
  let rest = text.trim();
  for (let wrapped = WRAPPED.exec(rest); wrapped; wrapped = WRAPPED.exec(rest)) rest = rest.slice(wrapped[0].length);
  if (NO_REQUEST.test(rest) || OPENED.test(rest)) return undefined;
  const request = HEADING.test(rest) ? IDE_REQUEST.exec(rest) : null;
  if (request || IDE_CONTEXT.test(rest)) {
    return request ? withoutEnvelope(rest.slice(request.index + request[0].length)) : undefined;
  }
  if (HANDOVER.test(rest)) return HANDED_MESSAGE.exec(rest)?.[1] ?? HANDED_AGENT.exec(rest)?.[1];
  const letter = LETTER.exec(rest)?.[1];
  if (letter !== undefined) return withoutEnvelope(letter);
  if (rest.startsWith('{')) return assignmentIn(rest);
  rest = rest.replace(PLAN, '').replace(ATTACHED, '');
  return rest === '' ? undefined : rest;
}

/** What teammates tell each other without words is JSON: a task has a subject. */
function assignmentIn(text: string): string | undefined {
  const message = parseObject(text);
  if (!message) return text;
  return asText(message['subject']) ?? asText(message['description']) ?? asText(message['prompt']);
}
