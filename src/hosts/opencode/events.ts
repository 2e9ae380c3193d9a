// Events of the server (`/event`, `/global/event`, `/api/event` since 2.0), live or recorded: those of one folder, with all its sessions.

import { type AgentEvent, type DiagnosticCode, nativeId } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseJson } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';
import {
  answeredFact,
  askedFact,
  type MessageNote,
  messageFacts,
  noteOf,
  type PermissionRequest,
  sessionFacts,
} from './parse-messages.ts';
import { partFacts } from './parse-parts.ts';
import { isSessionId, objectsIn, originOf, problemFact, type RecordContext, toSessionInfo } from './record.ts';
import {
  applyEvent,
  createSecondMessages,
  isSecondEvent,
  isUnknownEvent,
  type SecondMessages,
} from './second/events.ts';
import { toSecondInfo } from './second/messages.ts';
import { createTeller, type Teller } from './second/tell.ts';

/** State kept from event to event. */
interface EventsState {
  readonly context: RecordContext;
  /** The session and its agents seen so far. */
  readonly tree: Set<string>;
  readonly messages: Map<string, MessageNote>;
  readonly second: SecondMessages;
  readonly teller: Teller;
  /** Types of events that no recorded version has. */
  readonly unknown: Set<string>;
  /** By our clock, or the server's if it is in the event. */
  at?: number | undefined;
}

const READERS: ReadonlyMap<string, (properties: JsonObject, state: EventsState) => readonly AgentEvent[]> = new Map([
  ['session.created', readSession],
  ['session.updated', readSession],
  ['message.updated', readMessage],
  ['message.part.updated', readPart],
  ['permission.asked', readAsk],
  ['permission.replied', readReply],
  // Up to 0.15.
  ['permission.updated', readAsk],
]);

export const EVENT_TYPE = /^[a-z-]+(?:\.[a-z-]+)+$/;

export function createEventsReader(context: RecordContext): SourceReader {
  const state = createEventsState(context);
  return {
    read(line) {
      const { record, problem } = recordIn(line, context);
      if (!record) return problem;
      const at = asAmount(record['at']);
      if (at !== undefined) state.at = at;
      const event = eventOf(record);
      const type = asText(event['type']);
      if (isSecondEvent(event)) return [...readSecondEvent(event, state), ...unknownFacts(event, line, state)];
      if (type === undefined || (!EVENT_TYPE.test(type) && type !== 'sync')) {
        return [problemFact(context, 'unknown-record', type ?? 'no type', line)];
      }
      return readEvent(type, asObject(event['properties']) ?? {}, state);
    },
  };
}

export function createEventsState(context: RecordContext): EventsState {
  return {
    context,
    tree: new Set([nativeId(context.session)]),
    messages: new Map(),
    second: createSecondMessages(),
    teller: createTeller(context),
    unknown: new Set(),
  };
}

export function readEvent(type: string, properties: JsonObject, state: EventsState): readonly AgentEvent[] {
  return READERS.get(type)?.(properties, state) ?? [];
}

export function readSecondEvent(event: JsonObject, state: EventsState): readonly AgentEvent[] {
  const { second, teller, tree } = state;
  const type = asText(event['type']) ?? '';
  const question = QUESTIONS.get(type);
  if (question)
    return question(asObject(event['data']) ?? {}, {
      ...state,
      ...known({ at: asAmount(event['created']) ?? state.at }),
    });
  const change = applyEvent(second, event);
  if (!change) return [];
  const { session, message } = change;
  if (message) {
    if (!tree.has(session)) return [];
    for (const made of agentsMadeBy(message)) tree.add(made);
    return teller.message(session, message);
  }
  const info = toSecondInfo(second.sessions.get(session));
  if (info?.parent !== undefined && tree.has(info.parent)) tree.add(info.id);
  if (!info || !tree.has(info.id)) return [];
  const facts = [...teller.session(info)];
  if (change.reverted) facts.push(...teller.reverted(session, change.reverted, asAmount(event['created'])));
  for (const copy of change.copies ?? []) facts.push(...teller.message(session, copy));
  return [...facts, ...teller.leftover(session)];
}

/** Once for each type: later versions may say it with every word. */
function unknownFacts(event: JsonObject, line: Line, { context, tree, unknown }: EventsState): readonly AgentEvent[] {
  const type = asText(event['type']) ?? '';
  const session = asText(asObject(event['data'])?.['sessionID']);
  if (session === undefined || !tree.has(session) || unknown.has(type) || !isUnknownEvent(type)) return [];
  unknown.add(type);
  return [problemFact(context, 'unknown-record', `event of type ${type}`, line)];
}

/** Of a recording that begins after they did, their calls tell which agents belong to a session. */
export function agentsMadeBy(message: JsonObject): readonly string[] {
  return objectsIn(message['content']).flatMap(({ state }) => {
    const made = asText(asObject(asObject(state)?.['metadata'])?.['sessionID']);
    return made !== undefined && isSessionId(made) ? [made] : [];
  });
}

type Question = (data: JsonObject, state: EventsState) => readonly AgentEvent[];
/** A form is what the tool for questions opens. */
const formFact =
  (settled: boolean): Question =>
  (data, state) => {
    const form = asObject(data['form']) ?? data;
    const requests = requestsIn(
      { sessionID: data['sessionID'] ?? form['sessionID'] },
      form['id'] ?? data['formID'],
      state,
    );
    return settled
      ? requests.map(answeredFact)
      : requests.map((one) => ({ ...askedFact(one), about: 'input' }) as AgentEvent);
  };

const QUESTIONS: ReadonlyMap<string, Question> = new Map([
  ['permission.asked', readAsk],
  ['permission.replied', readReply],
  ['form.created', formFact(false)],
  ['form.replied', formFact(true)],
  ['form.cancelled', formFact(true)],
]);

/** Unwraps the time of the recording (`{at, data}`) and the folder (`{directory, payload}`). */
export function eventOf(record: JsonObject): JsonObject {
  const event = (typeof record['type'] === 'string' ? undefined : asObject(record['data'])) ?? record;
  return asObject(event['payload']) ?? event;
}

function readSession(properties: JsonObject, { context, tree }: EventsState): readonly AgentEvent[] {
  const info = toSessionInfo(asObject(properties['info']));
  if (!info) return [];
  if (info.parent !== undefined && tree.has(info.parent)) tree.add(info.id);
  return tree.has(info.id) ? sessionFacts(info, context) : [];
}

function readMessage(properties: JsonObject, { context, tree, messages }: EventsState): readonly AgentEvent[] {
  const info = asObject(properties['info']);
  const [id, session] = [asText(info?.['id']), asText(info?.['sessionID'])];
  if (!info || id === undefined || session === undefined || !tree.has(session)) return [];
  messages.set(id, noteOf(info));
  return messageFacts({ id, session }, info, context);
}

function readPart(properties: JsonObject, { context, tree, messages }: EventsState): readonly AgentEvent[] {
  const part = asObject(properties['part']);
  const [id, session] = [asText(part?.['id']), asText(part?.['sessionID'])];
  if (!part || id === undefined || session === undefined || !tree.has(session)) return [];
  const note = messages.get(asText(part['messageID']) ?? '') ?? { isPrompt: false };
  return partFacts({ id, session, ...note }, part, context);
}

function readAsk(properties: JsonObject, state: EventsState): readonly AgentEvent[] {
  return requestsIn(properties, properties['id'], state).map(askedFact);
}

/** `permissionID` up to 0.15. */
function readReply(properties: JsonObject, state: EventsState): readonly AgentEvent[] {
  return requestsIn(properties, properties['requestID'] ?? properties['permissionID'], state).map(answeredFact);
}

/** One, or none. */
function requestsIn(
  properties: JsonObject,
  id: unknown,
  { context, tree, at }: EventsState,
): readonly PermissionRequest[] {
  const [by, question] = [asText(properties['sessionID']), asText(id)];
  if (by === undefined || question === undefined || !tree.has(by) || at === undefined) return [];
  return [{ session: context.session, origin: originOf(context, at, true), question, by, at }];
}

/** `problem` is empty for a blank line. */
export function recordIn(
  line: Line,
  context: RecordContext,
): { readonly record?: JsonObject; readonly problem: readonly AgentEvent[] } {
  const text = Buffer.from(line.bytes).toString('utf8');
  if (text.trim() === '' && !line.tooLong) return { problem: [] };
  const value = line.tooLong ? undefined : parseJson(text);
  if (isObject(value)) return { record: value, problem: [] };
  return { problem: [problemFact(context, codeOf(line, value), text.slice(0, 80), line)] };
}

function codeOf({ tooLong, torn }: Line, value: unknown): DiagnosticCode {
  if (tooLong) return 'line-too-long';
  if (value !== undefined) return 'not-a-record';
  return torn ? 'torn-line' : 'invalid-json';
}
