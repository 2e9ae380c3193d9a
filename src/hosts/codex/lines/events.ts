// `event_msg`: turns beginning and ending, what the person typed, agents at work. Most others repeat what items say.
import { asAmount, asObject, asText, known } from '../../../lib/json.ts';
import { noteActivity } from '../agents.ts';
import { atOf, idByPlace, type LineContext, type LineParser } from '../line-context.ts';
import { messageOfError } from '../provider-error.ts';
import { textOf } from '../record.ts';
import { firstLine } from '../tools.ts';
import { tellNews } from './header.ts';
import { notePrompt } from './prompt.ts';

export const parseEvent: LineParser = (context) => {
  const { payload } = context.record;
  switch (payload['type']) {
    case 'task_started':
      return beginTurn(context);
    case 'task_complete':
      return endTurn(context);
    case 'turn_aborted':
      return abortTurn(context);
    case 'user_message':
      return notePrompt(asText(payload['message']) ?? '', context);
    case 'item_completed':
      return parseThreadItem(context);
    case 'sub_agent_activity':
      return noteActivity(payload, asText(payload['event_id']), context);
    case 'thread_name_updated':
      return nameThread(context);
    default:
  }
};

/** `item_completed` (0.15x and later) takes the place of an event for each kind of item. */
function parseThreadItem(context: LineContext): void {
  const item = asObject(context.record.payload['item']);
  if (item?.['type'] === 'UserMessage') notePrompt(textOf(item['content']), context);
  else if (item?.['type'] === 'SubAgentActivity') noteActivity(item, asText(item['id']), context);
}

function beginTurn(context: LineContext): void {
  const { agent, isMain, thread, record } = context;
  thread.turns++;
  delete thread.lastInTurn;
  tellNews(context, { contextWindow: asAmount(record.payload['model_context_window']) });
  const id = asText(record.payload['turn_id']) ?? idByPlace(context);
  // The first turn is the run that its call began; each one after it was set off by another message.
  if (!isMain && thread.turns > 1) context.emit({ kind: 'run-resumed', agent, id, ...atOf(context) });
}

function endTurn(context: LineContext): void {
  const { agent, isMain, thread, record } = context;
  const error = asObject(record.payload['error']);
  const hasAnswer = asText(record.payload['last_agent_message']) !== undefined || thread.lastInTurn === 'reply';
  if (error || (!hasAnswer && thread.lastInTurn !== undefined)) {
    failTurn(firstLine(messageOfError(error)), context);
    return;
  }
  const id = thread.lastReply;
  // What the line ends is the last reply: without one (a command of the host's own), there is nothing to end.
  if (id !== undefined) context.emit({ kind: 'entry-added', agent, entry: 'reply', id, ...atOf(context), end: 'turn' });
  if (!isMain) {
    const reason = 'its turn ended';
    context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome: 'completed', ...atOf(context), reason });
  }
  noteEndOfProcess(context);
}

/** Up to 0.14x an error is told to the parent and to the screen; here it is a turn that ended without an answer. */
const WITHOUT_ANSWER = 'its turn ended without an answer';

function failTurn(reason: string | undefined, context: LineContext): void {
  const { agent, isMain, thread } = context;
  const id = thread.lastReply ?? idByPlace(context);
  context.emit({ kind: 'entry-added', agent, entry: 'failure', id, ...atOf(context) });
  if (!isMain)
    context.emit({
      kind: 'run-ended',
      agent,
      signal: 'transcript',
      outcome: 'failed',
      ...atOf(context),
      reason: reason ?? WITHOUT_ANSWER,
    });
  noteEndOfProcess(context);
}

function abortTurn(context: LineContext): void {
  const { agent, isMain, record } = context;
  const reason = asText(record.payload['reason']) ?? 'interrupted';
  context.emit({ kind: 'entry-added', agent, entry: 'interruption', id: idByPlace(context), ...atOf(context) });
  if (!isMain)
    context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome: 'stopped', ...atOf(context), reason });
  noteEndOfProcess(context);
}

/** `codex exec` has one turn, and its process ends with it. */
function noteEndOfProcess(context: LineContext): void {
  if (context.isMain && context.thread.head?.isExec) context.emit({ kind: 'session-closed' });
}

function nameThread(context: LineContext): void {
  const title = asText(context.record.payload['thread_name']) ?? asText(context.record.payload['name']);
  if (title !== undefined && context.isMain)
    context.emit({ kind: 'session-titled', title, titleKind: 'custom', ...known(atOf(context)) });
}
