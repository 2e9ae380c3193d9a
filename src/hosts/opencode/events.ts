// Recorded events of the server (`/event`, `/global/event`): those of one folder, whatever sessions are at work in it.

import { type AgentEvent, type DiagnosticCode, nativeId } from '../../core/index.ts';
import { asAmount, asObject, asText, isObject, type JsonObject, known, parseJson } from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';
import {
  answeredFact,
  askedFact,
  createdAtOf,
  messageFacts,
  type QuestionPlace,
  sessionFacts,
} from './parse-messages.ts';
import { partFacts } from './parse-parts.ts';
import { type Door, originOf, toSessionInfo } from './record.ts';

interface MessageNote {
  readonly isTold: boolean;
  readonly createdAt?: number;
}

/** What has to be remembered from event to event. */
interface EventsState {
  readonly door: Door;
  /** The session and those of its agents, as far as they were seen. */
  readonly tree: Set<string>;
  readonly messages: Map<string, MessageNote>;
  /** By our own clock, or the server's where it says it. */
  at?: number;
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

/** A kind that the server sends: what is none of these is no event. */
const KIND = /^[a-z-]+(?:\.[a-z-]+)+$/;

export function createEventsReader(door: Door): SourceReader {
  const state = createEventsState(door);
  return {
    read(line) {
      const { record, problem } = recordIn(line, door);
      if (!record) return problem;
      const at = asAmount(record['at']);
      if (at !== undefined) state.at = at;
      const event = eventOf(record);
      const type = asText(event['type']);
      if (type === undefined || (!KIND.test(type) && type !== 'sync')) {
        const origin = { source: door.source, offset: line.offset, length: line.length };
        const diagnostic = { code: 'unknown-record', detail: type ?? 'no type', origin } as const;
        return [{ kind: 'problem-found', session: door.session, origin, diagnostic }];
      }
      return readEvent({ type, properties: asObject(event['properties']) ?? {} }, state);
    },
  };
}

export function createEventsState(door: Door): EventsState {
  return { door, tree: new Set([nativeId(door.session)]), messages: new Map() };
}

interface ServerEvent {
  readonly type: string;
  readonly properties: JsonObject;
}

/** Events that tell nothing about the tree give no facts. */
export function readEvent({ type, properties }: ServerEvent, state: EventsState): readonly AgentEvent[] {
  return READERS.get(type)?.(properties, state) ?? [];
}

/** With or without the time of the recording (`{at, data}`) and the folder (`{directory, payload}`) around it. */
export function eventOf(record: JsonObject): JsonObject {
  const event = asObject(record['data']) ?? record;
  return asObject(event['payload']) ?? event;
}

function readSession(properties: JsonObject, { door, tree }: EventsState): readonly AgentEvent[] {
  const info = toSessionInfo(asObject(properties['info']));
  if (!info) return [];
  if (info.parent !== undefined && tree.has(info.parent)) tree.add(info.id);
  return tree.has(info.id) ? sessionFacts(info, door) : [];
}

function readMessage(properties: JsonObject, { door, tree, messages }: EventsState): readonly AgentEvent[] {
  const info = asObject(properties['info']);
  const [id, session] = [asText(info?.['id']), asText(info?.['sessionID'])];
  if (!info || id === undefined || session === undefined || !tree.has(session)) return [];
  messages.set(id, { isTold: info['role'] === 'user', ...known({ createdAt: createdAtOf(info) }) });
  return messageFacts({ id, session }, info, door);
}

function readPart(properties: JsonObject, { door, tree, messages }: EventsState): readonly AgentEvent[] {
  const part = asObject(properties['part']);
  const [id, session] = [asText(part?.['id']), asText(part?.['sessionID'])];
  if (!part || id === undefined || session === undefined || !tree.has(session)) return [];
  const note = messages.get(asText(part['messageID']) ?? '') ?? { isTold: false };
  return partFacts({ id, session, ...note }, part, door);
}

function readAsk(properties: JsonObject, state: EventsState): readonly AgentEvent[] {
  const place = questionIn(properties, properties['id'], state);
  return place ? [askedFact(place)] : [];
}

/** `permissionID` up to 0.15. */
function readReply(properties: JsonObject, state: EventsState): readonly AgentEvent[] {
  const place = questionIn(properties, properties['requestID'] ?? properties['permissionID'], state);
  return place ? [answeredFact(place)] : [];
}

function questionIn(properties: JsonObject, id: unknown, { door, tree, at }: EventsState): QuestionPlace | undefined {
  const [by, question] = [asText(properties['sessionID']), asText(id)];
  if (by === undefined || question === undefined || !tree.has(by) || at === undefined) return undefined;
  return { session: door.session, origin: originOf(door, at, true), question, by, at };
}

interface RecordInLine {
  readonly record?: JsonObject;
  /** What is wrong with a line without one; nothing where it is blank. */
  readonly problem: readonly AgentEvent[];
}

export function recordIn(line: Line, { session, source }: Door): RecordInLine {
  const text = Buffer.from(line.bytes).toString('utf8');
  if (text.trim() === '' && !line.tooLong) return { problem: [] };
  const value = line.tooLong ? undefined : parseJson(text);
  if (isObject(value)) return { record: value, problem: [] };
  const origin = { source, offset: line.offset, length: line.length };
  const code = codeOf(line, value);
  return {
    problem: [{ kind: 'problem-found', session, origin, diagnostic: { code, detail: text.slice(0, 80), origin } }],
  };
}

function codeOf({ tooLong, torn }: Line, value: unknown): DiagnosticCode {
  if (tooLong) return 'line-too-long';
  if (value !== undefined) return 'not-a-record';
  return torn ? 'torn-line' : 'invalid-json';
}
