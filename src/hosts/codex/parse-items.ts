// `response_item`: what the model said and called, what it was told, and what came of its calls.

import { NO_USAGE, type RunOutcome, type ToolCallId, toToolCallId } from '../../core/index.ts';
import { asObject, asText, type JsonObject, known, parseObject } from '../../lib/json.ts';
import { emitTimed, firstLine, promptFact } from '../shared/index.ts';
import { isHostText, isSealed, outputIn, taskIn } from './host-text.ts';
import { agentIdOf, idByPlace, type LineContext, type LineParser, notePrompt } from './line-context.ts';
import { textOf } from './record.ts';
import { type Call, callIn, commandIn, fileWrittenBy, isSpawning, isWaiting, outcomeOf, summarise } from './tools.ts';

export const parseItem: LineParser = (context) => {
  const { payload } = context.record;
  if (context.reply !== undefined) return parseSpoken(context.reply, context);
  switch (payload['type']) {
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'tool_search_output':
      return parseOutput(context);
    case 'agent_message':
      return parseAgentMessage(context);
    case 'message':
      return parseUserMessage(context);
    default:
      if (!IGNORED_ITEMS.has(String(payload['type']))) noteUnknown(context);
  }
};

/** Known, and of no use for the tree: states of the folder, and what stands in for a compacted history. */
const IGNORED_ITEMS = new Set(['ghost_snapshot', 'compaction', 'compaction_summary', 'context_compaction', 'other']);

/** Part of the conversation, and nobody knows what it says. Events of new kinds are not counted: most repeat an item. */
function noteUnknown({ record, origin, emit }: LineContext): void {
  const detail = `response_item ${record.payload['type']}`.slice(0, 80);
  emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail, origin } });
}

function parseSpoken(id: string, context: LineContext): void {
  const { thread, record } = context;
  const call = callIn(record.payload);
  // Versions that say when a turn ends: until they do, it goes on, whatever the reply looks like.
  const goesOn = thread.turns > 0 || (call !== undefined && !call.isOver);
  emitTimed(context, { kind: 'entry-added', entry: 'reply', id, ...(goesOn && { end: 'tools' }) });
  thread.lastInTurn = 'reply';
  thread.lastReply = id;
  // These versions write no tokens at all.
  if (record.isBare) emitTimed(context, { kind: 'usage-counted', message: id, usage: NO_USAGE, final: false });
  if (call) parseCall(call, toToolCallId(call.id ?? idByPlace(context)), context);
  // Versions without a word about turns (up to about 0.9x): words without a call are the last ones, if no line follows.
  else if (context.isMain && thread.head?.isExec && thread.turns === 0) context.emit({ kind: 'session-closed' });
}

function parseCall({ tool, input, isOver }: Call, call: ToolCallId, context: LineContext): void {
  const { thread } = context;
  emitTimed(context, {
    kind: 'tool-started',
    call,
    tool,
    ...known({ summary: summarise(tool, input), writes: fileWrittenBy(tool, input) }),
    ...(isWaiting(tool) && { awaitsAgents: true }),
  });
  thread.toolOf.set(call, tool);
  thread.commands.ask(call, commandIn(tool, input));
  if (isSpawning(tool)) requestAgent(call, input, context);
  if (isOver) emitTimed(context, { kind: 'tool-ended', call, outcome: 'ok' });
}

function parseOutput(context: LineContext): void {
  const { agent, thread, record } = context;
  const native = asText(record.payload['call_id']);
  if (native === undefined) return;
  const call = toToolCallId(native);
  const tool = thread.toolOf.get(call);
  const text = textOf(record.payload['output']);
  const { outcome, unrun } = outcomeOf(tool, text);
  const isLaunch = outcome === 'ok' && isSpawning(tool);
  emitTimed(context, {
    kind: 'tool-ended',
    call,
    outcome,
    ...(isLaunch && { launched: true }),
    ...(unrun && { unrun }),
    ...(outcome !== 'ok' && known({ reason: firstLine(text) })),
  });
  emitTimed(context, { kind: 'entry-added', entry: 'result', id: idByPlace(context) });
  thread.lastInTurn = 'result';
  thread.toolOf.delete(call);
  for (const printed of thread.commands.printed(call, outputIn(text)))
    context.emit({ kind: 'session-printed', agent, call, printed });
  // In version 1 of the tools the result names the agent; in version 2, `noteActivity` does.
  if (isLaunch) linkAgent(parseObject(text)?.['agent_id'], call, context);
}

/** What a person said stands in an event as well, which is surer; up to 0.3x there are no events. */
function parseUserMessage(context: LineContext): void {
  const { payload, isBare } = context.record;
  if (payload['role'] !== 'user') return;
  const text = textOf(payload['content']);
  if (!isBare) {
    if (mayBeNotice(payload)) parseNotification(text, context);
  } else if (isHostText(text)) noteFolder(text, context);
  else notePrompt(text, context);
}

/** Up to 0.3x the folder stands in no other place. */
function noteFolder(text: string, context: LineContext): void {
  const cwd = /^<environment_context>[\s\S]*?<cwd>([^<]+)<\/cwd>/.exec(text)?.[1];
  if (cwd === undefined) return;
  context.emit({ kind: 'agent-seen', agent: context.agent, cwd });
  if (context.isMain) context.emit({ kind: 'session-seen', cwd });
}

/** Anybody can type the words of a notice. From 0.15x on the host says beside a message whose words they are. */
function mayBeNotice(payload: JsonObject): boolean {
  const kinds = asObject(payload['internal_chat_message_metadata_passthrough'])?.['content_item_kinds'];
  return !Array.isArray(kinds) || kinds.some((kind) => String(kind).endsWith('subagent_notification'));
}

// What the lines of one thread say about others: who was asked for, who came of it, and how they ended.

function requestAgent(call: ToolCallId, input: unknown, context: LineContext): void {
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

function linkAgent(native: unknown, call: ToolCallId, { agent, emit }: LineContext): void {
  const thread = asText(native);
  if (thread === undefined) return;
  emit({ kind: 'agent-linked', agent: agentIdOf(thread), evidence: 'result', call, parent: agent });
}

/** Version 2: an agent started, was talked to, or came to its end. The event has the id of the call that did it. */
export function noteActivity(activity: JsonObject, id: string | undefined, context: LineContext): void {
  const thread = asText(activity['agent_thread_id']);
  if (thread === undefined) return;
  if (activity['kind'] === 'started' && id !== undefined) linkAgent(thread, id as ToolCallId, context);
  const outcome = OUTCOMES.get(activity['kind']);
  if (outcome) emitReportedEnd(thread, outcome, undefined, context);
}

/** What a word for an agent's state says about its end; nothing where it is at work. */
export const OUTCOMES: ReadonlyMap<unknown, RunOutcome> = new Map([
  ['completed', 'completed'],
  ['errored', 'failed'],
  ['failed', 'failed'],
  ['shutdown', 'stopped'],
  ['interrupted', 'stopped'],
  ['not_found', 'stopped'],
]);

/** `{"agent_path":<thread>,"status":"shutdown"}`, or the status as a key with what the agent said last. */
const NOTIFICATION = /^<subagent_notification>\s*\{"agent_path":"([\w-]+)","status":(?:"(\w+)"|\{"(\w+)":)/;

/** The host tells the parent about an agent's end when it next speaks to the model: the time is not that of the end. */
function parseNotification(text: string, context: LineContext): void {
  const [, thread, word, key] = NOTIFICATION.exec(text) ?? [];
  const outcome = OUTCOMES.get(word ?? key);
  const message = outcome === 'failed' ? /\\"message\\":\\"((?:[^"\\]|\\\\.)*)\\"/.exec(text)?.[1] : undefined;
  if (thread !== undefined && outcome) emitReportedEnd(thread, outcome, firstLine(message), context);
}

function emitReportedEnd(thread: string, outcome: RunOutcome, reason: string | undefined, context: LineContext): void {
  const agent = agentIdOf(thread);
  emitTimed(context, {
    kind: 'run-ended',
    agent,
    signal: 'notification',
    outcome,
    hearsay: true,
    ...known({ reason }),
  });
}

/** Version 2: agents write to each other. The task of an agent comes as the first such message. */
function parseAgentMessage(context: LineContext): void {
  const { record } = context;
  const task = taskIn(record.payload);
  if (task !== undefined) notePrompt(task, context);
  else emitTimed(context, { kind: 'entry-added', entry: 'note', id: idByPlace(context) });
}
