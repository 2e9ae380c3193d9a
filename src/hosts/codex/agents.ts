// What the lines of one thread say about others: who was asked for, who came of it, and how they ended.

import type { RunOutcome, ToolCallId } from '../../core/index.ts';
import { asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import { isSealed, taskIn } from './host-text.ts';
import { agentIdOf, atOf, idByPlace, type LineContext, promptFact } from './line-context.ts';
import { notePrompt } from './lines/prompt.ts';
import { parseJson, textOf } from './record.ts';
import { firstLine } from './tools.ts';

export function requestAgent(call: ToolCallId, input: unknown, context: LineContext): void {
  const fields = asObject(input);
  const message = asText(fields?.['message']) ?? textOf(fields?.['items']);
  const isReadable = message !== '' && !isSealed(message);
  context.emit({
    kind: 'spawn-requested',
    agent: context.agent,
    call,
    ...known({
      type: asText(fields?.['agent_type']),
      name: asText(fields?.['task_name']),
      prompt: isReadable ? promptFact(message) : undefined,
    }),
  });
}

/** The result of a call names the agent in version 1 of the tools; in version 2, `noteActivity` does. */
export function startedAgent(call: ToolCallId, text: string, context: LineContext): void {
  const thread = asText(asObject(parseJson(text))?.['agent_id']);
  if (thread !== undefined) linkAgent(thread, call, context);
}

function linkAgent(thread: string, call: ToolCallId, { agent, emit }: LineContext): void {
  emit({ kind: 'agent-linked', agent: agentIdOf(thread), evidence: 'result', call, parent: agent });
}

/** Version 2: an agent started, was talked to, or came to its end. The event has the id of the call that did it. */
export function noteActivity(activity: JsonObject, id: string | undefined, context: LineContext): void {
  const thread = asText(activity['agent_thread_id']);
  if (thread === undefined) return;
  if (activity['kind'] === 'started' && id !== undefined) linkAgent(thread, id as ToolCallId, context);
  const outcome = outcomeOfStatus(String(activity['kind']));
  if (outcome) endHeard(thread, outcome, undefined, context);
}

const OUTCOMES: ReadonlyMap<string, RunOutcome> = new Map([
  ['completed', 'completed'],
  ['errored', 'failed'],
  ['failed', 'failed'],
  ['shutdown', 'stopped'],
  ['interrupted', 'stopped'],
  ['not_found', 'stopped'],
]);

/** What a word for an agent's state says about its end; nothing where it is at work. */
export function outcomeOfStatus(status: string): RunOutcome | undefined {
  return OUTCOMES.get(status);
}

/** `{"agent_path":<thread>,"status":"shutdown"}`, or the status as a key with what the agent said last. */
const NOTIFICATION = /^<subagent_notification>\s*\{"agent_path":"([\w-]+)","status":(?:"(\w+)"|\{"(\w+)":)/;

/** The host tells the parent about an agent's end when it next speaks to the model: the time is not that of the end. */
export function parseNotification(text: string, context: LineContext): void {
  const [, thread, word, key] = NOTIFICATION.exec(text) ?? [];
  const outcome = outcomeOfStatus(word ?? key ?? '');
  if (thread !== undefined && outcome)
    endHeard(thread, outcome, outcome === 'failed' ? reasonIn(text) : undefined, context);
}

function reasonIn(text: string): string | undefined {
  return firstLine(/\\"message\\":\\"((?:[^"\\]|\\\\.)*)\\"/.exec(text)?.[1]);
}

function endHeard(thread: string, outcome: RunOutcome, reason: string | undefined, context: LineContext): void {
  const agent = agentIdOf(thread);
  context.emit({
    kind: 'run-ended',
    agent,
    signal: 'notification',
    outcome,
    hearsay: true,
    ...atOf(context),
    ...known({ reason }),
  });
}

/** Version 2: agents write to each other. The task of an agent comes as the first such message. */
export function parseAgentMessage(context: LineContext): void {
  const { agent, record } = context;
  const task = taskIn(record.payload);
  if (task !== undefined) notePrompt(task, context);
  else context.emit({ kind: 'entry-added', agent, entry: 'note', id: idByPlace(context), ...atOf(context) });
}
