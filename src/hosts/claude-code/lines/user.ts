// `user`: prompts, results of tools, and what the harness says in the user's name.

import { type EntryKind, MESSAGE_DELIVERY } from '../../../core/index.ts';
import { asObject, asText } from '../../../lib/json.ts';
import { INTERRUPTED } from '../harness-text.ts';
import { atOf, isMain, type LineContext, type LineParser, promptFact } from '../line-context.ts';
import { isNotification } from '../notification.ts';
import { blocksOf, type RawRecord, textOf } from '../record.ts';
import { firstLine } from '../tools.ts';
import { endRuns, type Provenance } from './notice.ts';
import { parseResult } from './result.ts';

/** Written by local commands and by the harness; nobody answers them. */
const NOTES = ['<command-name>', '<local-command-', '<bash-input>', '<bash-stdout>', 'Caveat: The messages below'];

export const parseUser: LineParser = (record, context) => {
  const message = asObject(record['message']);
  const id = asText(record['uuid']);
  if (!message || id === undefined) return;
  const blocks = blocksOf(message);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const text = textOf(message['content']);
  if (context.file.inherited && results.length > 0) return beginFork(id, text, context);
  for (const result of results)
    parseResult(result, results.length === 1 ? record['toolUseResult'] : undefined, record, context);
  const { agent } = context;
  const isFirst = !context.file.prompted.has(agent);
  const entry = results.length > 0 ? 'result' : entryOf(record, text, isFirst);
  context.emit({ kind: 'entry-added', agent, entry, id, ...atOf(context), ...(context.copied && { copied: true }) });
  if (entry === 'interruption') noteInterruption(record, context);
  if (results.length === 0 && isNotice(record, text, context)) endRuns(text, provenanceOf(record), context);
  else if (entry === 'prompt') noteTold(id, text, context);
};

/** What a workflow's script asks for comes behind a warning to the agent, each line indented (2.1.325). */
const WORKFLOW_TASK = /^\[Workflow harness[^\n]*\n([\s\S]*)$/;
const TEAM_MESSAGE =
  /^(?:Another Claude session sent a message:\s*)?<teammate-message\b[^>]*>\n?([\s\S]*?)\n?<\/teammate-message>/;

const BY_PERSON = new Set<unknown>(['sdk', 'typed']);

/** The host's notices come with a mark from 2.1.150 on. What a person typed, or an agent was first told, is none. */
function isNotice(record: RawRecord, text: string, { agent, file }: LineContext): boolean {
  if (!isNotification(text)) return false;
  if (provenanceOf(record) === 'host') return true;
  const isMarked = asObject(record['origin']) !== undefined;
  return !isMarked && file.prompted.has(agent) && !BY_PERSON.has(record['promptSource']);
}

function provenanceOf(record: RawRecord): Provenance {
  return asObject(record['origin'])?.['kind'] === 'task-notification' ? 'host' : 'nobody';
}

/** Each message sets a member of a team to work; the first one begins the run that its call asked for. */
function noteTold(id: string, text: string, context: LineContext): void {
  const { agent } = context;
  const envelope = TEAM_MESSAGE.exec(text);
  // Up to 2.1.5x the delivery of a message made an agent's file of its own, which no call asked for.
  if (envelope && !isMain(context) && !context.file.prompted.has(agent)) {
    context.emit({ kind: 'agent-seen', agent, internal: MESSAGE_DELIVERY });
  }
  notePrompt(text, envelope?.[1] ?? WORKFLOW_TASK.exec(text)?.[1] ?? text, context);
  if (envelope && !isMain(context)) context.emit({ kind: 'run-resumed', agent, id, ...atOf(context) });
}

/** `isFirst`: nothing was said to the agent before. What a person typed, or an agent was asked, may quote anything. */
function entryOf(
  record: RawRecord,
  text: string,
  isFirst: boolean,
): Exclude<EntryKind, 'result' | 'reply' | 'failure'> {
  const head = text.trimStart();
  const isQuote = isFirst || BY_PERSON.has(record['promptSource']);
  if (head.startsWith(INTERRUPTED) && !isQuote) return 'interruption';
  if (record['isCompactSummary'] === true || record['queueTranscriptOnly'] === true) return 'note';
  // A message from the agent's parent is written as meta text, too, but it sets the agent to work (2.1.100 and later).
  if (record['isMeta'] === true) return asObject(record['origin'])?.['kind'] === 'coordinator' ? 'prompt' : 'note';
  return NOTES.some((note) => head.startsWith(note)) ? 'note' : 'prompt';
}

/** Text in the user's place that no person and no agent wrote. */
export function isSpokenByHarness(record: RawRecord, text: string): boolean {
  if (isNotification(text)) return !BY_PERSON.has(record['promptSource']);
  return entryOf(record, text, false) !== 'prompt';
}

/** In a terminal it is the Escape key, and the session goes on; elsewhere the same line is written as the process ends. */
function noteInterruption(record: RawRecord, context: LineContext): void {
  if (isMain(context) || record['entrypoint'] !== 'cli') return;
  const { agent } = context;
  context.emit({
    kind: 'run-ended',
    agent,
    signal: 'transcript',
    outcome: 'stopped',
    ...atOf(context),
    reason: 'interrupted',
  });
}

/** `shown`: without the envelope that some prompts come in. Compared with the calls is the whole. */
function notePrompt(text: string, shown: string, context: LineContext): void {
  const { agent, file } = context;
  if (file.prompted.has(agent) || text === '') return;
  file.prompted.add(agent);
  context.emit({ kind: 'agent-prompted', agent, prompt: promptFact(text, shown), ...atOf(context) });
  const title = commandIn(text) ?? firstLine(shown);
  if (isMain(context) && title !== undefined) {
    context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
  }
  // Up to 2.1.5 a session warms up one agent of each built-in type; no call asks for them.
  if (!isMain(context) && text.trim() === 'Warmup') context.emit({ kind: 'agent-seen', agent, internal: 'warm-up' });
}

/** A command of the person's own (`/review src`), as it was typed: its text follows as meta text, and is answered. */
function commandIn(text: string): string | undefined {
  if (!text.startsWith('<command-message>')) return undefined;
  const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1];
  const args = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1];
  return [name, args].flatMap((part) => part?.trim() || []).join(' ') || undefined;
}

/** The last inherited line answers the parent's call («that fork is you») and holds the fork's own directive. */
function beginFork(id: string, text: string, context: LineContext): void {
  context.file.inherited = false;
  const { agent } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'prompt', id, ...atOf(context) });
  const directive = text.slice(text.lastIndexOf('</fork-boilerplate>') + '</fork-boilerplate>'.length);
  notePrompt(text, text.includes('</fork-boilerplate>') ? directive.trim() : text, context);
}
