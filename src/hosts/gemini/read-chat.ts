// A chat record by record: of the main agent, or of a sub-agent.

import path from 'node:path';
import { type AgentEvent, mainAgentOf, nativeId } from '../../core/index.ts';
import {
  asInstant,
  asText,
  type ElementPlace,
  isObject,
  type JsonObject,
  known,
  type LineProblem,
  placesOfElements,
  recordInLine,
} from '../../lib/json.ts';
import type { Line } from '../../lib/lines.ts';
import type { LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import { agentIdOf, atOf, type MessageContext } from './line-context.ts';
import { readMessage } from './read-message.ts';
import { BEGINNINGS, parseShort, toRecord } from './record.ts';

export function createChatReader(session: LocatedSession, source: LocatedSource): SourceReader {
  const say = createSpeaker(session, source);
  return { read: (line) => (source.shape === 'document' ? readDocument(line, say) : readLine(line, say)) };
}

function readLine(line: Line, say: Speaker): readonly AgentEvent[] {
  const { record, problem, ...place } = recordInLine(line, parseShort, BEGINNINGS);
  return [...(problem ? [say.problem(line, problem)] : []), ...(record ? say.record(record, place) : [])];
}

/** The messages of a document have places of their own: what a document says is in order like what lines say. */
function readDocument(line: Line, say: Speaker): readonly AgentEvent[] {
  const { record, problem } = recordInLine(line, parseShort);
  if (problem) return [say.problem(line, problem)];
  if (!record) return [];
  const { messages, ...head } = record;
  const list = Array.isArray(messages) ? messages : [];
  const places = placesOfElements(line.bytes, 'messages');
  return [
    ...say.record(head, line),
    ...list.flatMap((message, index) => (isObject(message) ? say.record(message, places[index] ?? line) : [])),
  ];
}

interface Speaker {
  record(value: JsonObject, place: ElementPlace): readonly AgentEvent[];
  problem(place: ElementPlace, problem: LineProblem): AgentEvent;
}

function createSpeaker({ id: session }: LocatedSession, source: LocatedSource): Speaker {
  const agent = source.agent ?? mainAgentOf(session);
  const isMain = source.agent === undefined;
  const originOf = ({ offset, length }: ElementPlace) => ({ source: source.id, offset, length });
  return {
    problem(place, problem) {
      const origin = originOf(place);
      return { kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } };
    },
    record(value, place) {
      const events: AgentEvent[] = [];
      const origin = originOf(place);
      const emit: MessageContext['emit'] = (event) =>
        events.push(Object.assign(event, { session, origin }) as AgentEvent);
      const context = { session, agent, isMain, emit };
      const record = toRecord(value);
      switch (record.kind) {
        case 'message':
          readMessage(record.message, record.id, context);
          break;
        case 'change':
          for (const message of record.messages ?? []) {
            const id = asText(message['id']);
            if (id !== undefined) readMessage(message, id, context);
          }
          readHead(record.change, context);
          break;
        case 'head':
          readHead(record.head, context);
          if (!isMain) introduce(source, context);
          break;
        case 'unknown':
          emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: record.name, origin } });
          break;
        case 'rewind':
        // What was taken out of the conversation was said and paid for all the same.
      }
      return events;
    },
  };
}

function readHead(head: JsonObject, { agent, isMain, emit }: MessageContext): void {
  const at = asInstant(head['startTime']);
  const directories = head['directories'];
  const cwd = Array.isArray(directories) ? asText(directories[0]) : undefined;
  if (at !== undefined || cwd !== undefined) {
    emit({ kind: 'agent-seen', agent, ...atOf(at), ...known({ cwd }) });
    if (isMain) emit({ kind: 'session-seen', ...atOf(at), ...known({ cwd }) });
  }
  // Of an agent, this is its answer.
  const title = asText(head['summary']);
  if (isMain && title !== undefined)
    emit({ kind: 'session-titled', title, titleKind: 'generated', ...atOf(asInstant(head['lastUpdated'])) });
}

/** Its folder has the name of whoever asked for it; its lines do not say it. */
function introduce(source: LocatedSource, { session, agent, emit }: MessageContext): void {
  emit({ kind: 'agent-seen', agent, agentKind: 'task', background: false, awaited: true });
  const parent = path.basename(path.dirname(source.path));
  const isOfMain = parent === nativeId(session);
  emit({
    kind: 'agent-linked',
    agent,
    evidence: 'folder',
    parent: isOfMain ? mainAgentOf(session) : agentIdOf(parent),
  });
}
