// What was said: by a person or another agent, by the model, by the host in between.

import { mainAgentOf, NO_USAGE, nativeId } from '../../../core/index.ts';
import { asAmount, asText, isObject, type JsonObject, known } from '../../../lib/json.ts';
import { agentIdOf, atOf, eventId, type LineContext, type LineParser, promptFact } from '../line-context.ts';
import type { EventRecord } from '../record.ts';
import { firstLine } from '../tools.ts';
import { tellNews } from './news.ts';

export const parsePrompt: LineParser = (context) => {
  const { agent, isMain, state, record } = context;
  const { data } = record;
  const id = messageIdOf(record);
  if (state.isOver) {
    state.isOver = false;
    state.isResumed = true;
    context.emit({
      kind: 'run-resumed',
      agent,
      id,
      ...known({ call: context.writtenTo.get(agent) }),
      ...atOf(context),
    });
  }
  context.emit({ kind: 'entry-added', agent, entry: 'prompt', id, ...atOf(context) });
  const text = asText(data['content']) ?? '';
  if (state.isPrompted || text.trim() === '' || isHostPrompt(data)) return;
  state.isPrompted = true;
  context.emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(context) });
  const title = firstLine(text);
  if (isMain && title !== undefined)
    context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
  if (!isMain) noteSender(data, context);
};

/** `agent-<id>`: who gave an agent its task (about 1.0.9x and later). The main agent has the session's id. */
function noteSender(data: JsonObject, { agent, session, emit }: LineContext): void {
  const native = /^agent-(.+)$/.exec(asText(data['source']) ?? '')?.[1];
  if (native === undefined) return;
  const parent = native === nativeId(session) ? mainAgentOf(session) : agentIdOf(native);
  emit({ kind: 'agent-linked', agent, evidence: 'own-record', parent });
}

/** Put into the conversation by the program itself: a skill's text, a push to go on. */
export function isHostPrompt(data: JsonObject): boolean {
  const source = asText(data['source']);
  const isFromSomebody = source === undefined || source === 'user' || source.startsWith('agent-');
  return !isFromSomebody || data['isAutopilotContinuation'] === true;
}

export const parseReply: LineParser = (context) => {
  const { agent, record } = context;
  const { data } = record;
  const id = messageIdOf(record);
  const end = hasCalls(data) || !isLastChunk(data) ? 'tools' : 'turn';
  context.emit({ kind: 'entry-added', agent, entry: 'reply', id, end, ...atOf(context) });
  tellNews(context, { model: asText(data['model']) });
  noteOutput(id, data, context);
  if (end === 'turn' && context.state.isResumed) endAgain(context);
};

/** An agent that was set to work again comes to its end without an event: its last words are all there is. */
function endAgain(context: LineContext): void {
  context.state.isOver = true;
  const { agent } = context;
  context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome: 'completed', ...atOf(context) });
}

/** All parts of one answer of the model share the id of its request; what the host says in the model's place has none. */
export function messageIdOf(record: EventRecord): string {
  return asText(record.data['apiCallId']) ?? asText(record.data['messageId']) ?? eventId(record);
}

/** Each of them has a line of its own when it begins: there it stands in the order of the calls. */
function hasCalls(data: JsonObject): boolean {
  return Array.isArray(data['toolRequests']) && data['toolRequests'].some(isObject);
}

function isLastChunk(data: JsonObject): boolean {
  const count = asAmount(data['chunkCount']);
  return count === undefined || asAmount(data['chunkIndex']) === count - 1;
}

/**
 * Up to about 1.0.8x the reply says how much was said, and nobody how much was read; after that nobody says either, until
 * `session.usage_record` came: until a surer number is there, all of it is a least. Without a model the number stays out of
 * the fill of the context, which it says nothing about.
 */
function noteOutput(message: string, data: JsonObject, context: LineContext): void {
  const output = asAmount(data['outputTokens']);
  // What the host says in the model's place (a call of its own) costs nothing.
  if (output === undefined && asText(data['model']) === undefined) return;
  const usage = { ...NO_USAGE, output: output ?? 0 };
  context.emit({ kind: 'usage-counted', agent: context.agent, message, usage, final: false, ...atOf(context) });
}

/** The host tells the model about something in the background. */
export const parseNotification: LineParser = (context) => {
  const { agent, record } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'note', id: eventId(record), ...atOf(context) });
};
