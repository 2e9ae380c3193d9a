// `event_msg`: turns beginning and ending, what the person typed, agents at work. Most others repeat what items say.

import { type EventOf, type RunOutcome, toSessionId } from '../../core/index.ts';
import { asAmount, asObject, asText, known } from '../../lib/json.ts';
import { atOf, emitTimed, firstLine } from '../shared/index.ts';
import { messageOfError } from './host-text.ts';
import { agentIdOf, HOST, idByPlace, type LineContext, type LineParser, notePrompt } from './line-context.ts';
import { noteActivity } from './parse-items.ts';
import { textOf } from './record.ts';
import type { ThreadHead } from './thread-head.ts';

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
    case 'token_count':
      return noteLimits(context);
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
  const { isMain, thread, record } = context;
  thread.turns++;
  delete thread.lastInTurn;
  emitChanges(context, known({ contextWindow: asAmount(record.payload['model_context_window']) }));
  const id = asText(record.payload['turn_id']) ?? idByPlace(context);
  // The first turn is the run that its call began; each one after it was set off by another message.
  if (!isMain && thread.turns > 1) emitTimed(context, { kind: 'run-resumed', id });
}

function endTurn(context: LineContext): void {
  const { thread, record } = context;
  const error = asObject(record.payload['error']);
  const hasAnswer = asText(record.payload['last_agent_message']) !== undefined || thread.lastInTurn === 'reply';
  const id = thread.lastReply;
  if (error || (!hasAnswer && thread.lastInTurn !== undefined)) {
    emitTimed(context, { kind: 'entry-added', entry: 'failure', id: id ?? idByPlace(context) });
    // Up to 0.14x an error is told to the parent and to the screen; here it is a turn that ended without an answer.
    endRun('failed', firstLine(messageOfError(error)) ?? 'its turn ended without an answer', context);
  } else {
    // What the line ends is the last reply: without one (a command of the host's own), there is nothing to end.
    if (id !== undefined) emitTimed(context, { kind: 'entry-added', entry: 'reply', id, end: 'turn' });
    endRun('completed', 'its turn ended', context);
  }
}

function abortTurn(context: LineContext): void {
  emitTimed(context, { kind: 'entry-added', entry: 'interruption', id: idByPlace(context) });
  endRun('stopped', asText(context.record.payload['reason']) ?? 'interrupted', context);
}

/** `codex exec` has one turn, and its process ends with it. */
function endRun(outcome: RunOutcome, reason: string, context: LineContext): void {
  if (!context.isMain) emitTimed(context, { kind: 'run-ended', signal: 'transcript', outcome, reason });
  else if (context.thread.head?.isExec) context.emit({ kind: 'session-closed' });
}

/** Of a ChatGPT plan, as the headers of the last reply said (0.169.0); with an API key, both are null. */
function noteLimits(context: LineContext): void {
  const limits = asObject(context.record.payload['rate_limits']);
  const windows = ['primary', 'secondary'].flatMap((name) => {
    const one = asObject(limits?.[name]);
    const used = asAmount(one?.['used_percent']);
    if (used === undefined) return [];
    const resetsAt = asAmount(one?.['resets_at']);
    const minutes = asAmount(one?.['window_minutes']);
    return { share: used / 100, ...known({ minutes, resetsAt: resetsAt && resetsAt * 1_000 }) };
  });
  const { at } = atOf(context);
  if (windows.length > 0 && at !== undefined) context.emit({ kind: 'limits-told', windows, at });
}

function nameThread(context: LineContext): void {
  const title = asText(context.record.payload['thread_name']) ?? asText(context.record.payload['name']);
  if (title !== undefined && context.isMain)
    context.emit({ kind: 'session-titled', title, titleKind: 'custom', ...atOf(context) });
}

// `session_meta` and `turn_context`: whose thread it is, where it works, and with which model.

/** The thread's own header; `head` is what it says. */
export function parseHeader(head: ThreadHead, context: LineContext): void {
  const { payload } = context.record;
  const { isMain, emit } = context;
  const cwd = asText(payload['cwd']);
  const branch = asText(asObject(payload['git'])?.['branch']);
  emitTimed(context, { kind: 'agent-seen', ...known({ cwd, branch }) });
  if (isMain) {
    const hostVersion = asText(payload['cli_version']);
    emit({ kind: 'session-seen', ...atOf(context), ...known({ cwd, branch, hostVersion }) });
    if (head.forkedFrom !== undefined)
      emit({ kind: 'session-forked', from: toSessionId(HOST, head.forkedFrom), replies: [] });
    // An agent of the program itself, of a version that does not say for which thread: its prompt is the program's, too.
    const title = head.purpose && `Codex's own agent: ${head.purpose}`;
    if (title) emit({ kind: 'session-titled', title, titleKind: 'generated', ...atOf(context) });
  } else introduce(head, context);
}

function introduce(head: ThreadHead, { agent, emit }: LineContext): void {
  const { role, nickname, agentPath, depth, purpose, parent } = head;
  emit({
    kind: 'agent-seen',
    agent,
    // Every agent of version 2 begins with its parent's history: there it says nothing about what it is for.
    agentKind: purpose !== undefined ? 'internal' : head.forkedFrom !== undefined && !head.isVersion2 ? 'fork' : 'task',
    // All of them run beside their parent, which waits by a call of its own if it does.
    background: false,
    ...known({
      type: role,
      // Given by whoever asked for it. The nickname is the host's own invention, and says nothing.
      name: agentPath?.split('/').at(-1) || undefined,
      slug: nickname,
      depth,
      internal: purpose,
    }),
  });
  if (parent !== undefined) emit({ kind: 'agent-linked', agent, evidence: 'own-record', parent: agentIdOf(parent) });
}

export const parseTurnContext: LineParser = (context) => {
  const { payload } = context.record;
  const { thread } = context;
  const mode = asObject(asObject(payload['collaboration_mode'])?.['settings']);
  const [cwd, model] = [asText(payload['cwd']), asText(payload['model'])];
  const effort = asText(payload['effort']) ?? asText(mode?.['reasoning_effort']);
  if (model !== undefined) thread.model = model;
  emitChanges(context, known({ cwd, model, effort }));
};

type Settings = Pick<EventOf<'agent-seen'>, 'cwd' | 'model' | 'effort' | 'contextWindow'>;

/** Settings are repeated at every turn, up to 0.10x at every request: only changes are told. */
function emitChanges(context: LineContext, settings: Settings): void {
  const { told } = context.thread;
  const news = Object.entries(settings).filter(([field, value]) => told.get(field) !== value);
  if (news.length === 0) return;
  for (const [field, value] of news) told.set(field, value);
  emitTimed(context, { kind: 'agent-seen', ...Object.fromEntries(news) });
}
