// What the parsers of all lines share.

import { type AgentId, mainAgentOf, type SessionId, type ToolCallId, toAgentId } from '../../core/index.ts';
import { asText } from '../../lib/json.ts';
import { type AskedCommands, changesIn, emitTimed, type FactPlace } from '../shared/index.ts';
import type { EventRecord } from './record.ts';

export const HOST = 'copilot';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

export interface LineContext extends FactPlace {
  /** All agents of a session write into one file. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: EventRecord;
  /** Of the record. */
  readonly at?: number;
  readonly data: EventRecord['data'];
  readonly state: AgentState;
  /** The last call that wrote to an agent, by the agent. */
  readonly writtenTo: Map<AgentId, ToolCallId>;
}

/** State of one agent, kept from line to line. */
export interface AgentState {
  isPrompted: boolean;
  /** It has ended: the next message resumes it. */
  isOver: boolean;
  isResumed: boolean;
  /** Tools of open calls. */
  readonly toolOf: Map<ToolCallId, string>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** The last value of each field that many lines repeat, to emit only changes. */
  readonly lastSeen: Map<string, unknown>;
}

/**
 * Sub-agents have ids of their own from about 1.0.8x on. Before, an agent has the id of the call that made it, and up to
 * about 1.0.3x its lines name it only as `parentToolCallId`.
 */
export function agentOf({ type, agentId, data }: EventRecord, session: SessionId): AgentId {
  const byCall = type.startsWith('subagent.') ? data['toolCallId'] : data['parentToolCallId'];
  const native = agentId ?? asText(byCall);
  return native === undefined ? mainAgentOf(session) : agentIdOf(native);
}

/** The event's own id, or its position, which stays the same as the file grows. */
export function eventId({ id, offset }: EventRecord): string {
  return id ?? `@${offset}`;
}

interface Settings {
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly contextWindow?: number | undefined;
}

/** Every reply and every request repeats these settings: only changes are emitted. */
export function emitChanges(context: LineContext, settings: Settings): void {
  const changes = changesIn(settings, context.state.lastSeen);
  if (changes) emitTimed(context, { kind: 'agent-seen', ...changes });
}
