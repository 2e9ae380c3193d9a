// What the parsers of all lines share.

import {
  type AgentEvent,
  type AgentId,
  type EventOrigin,
  mainAgentOf,
  type PromptFact,
  type SessionId,
  type ToolCallId,
  toAgentId,
} from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asText } from '../../lib/json.ts';
import { type AskedCommands, firstLine } from '../shared/index.ts';
import type { EventRecord } from './record.ts';

export const HOST = 'copilot';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

export interface LineContext {
  readonly session: SessionId;
  /** All agents of a session write into one file. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: EventRecord;
  readonly origin: EventOrigin;
  readonly state: AgentState;
  /** The last call that wrote to an agent, by the agent. */
  readonly writtenTo: Map<AgentId, ToolCallId>;
  emit(event: WithoutOrigin<AgentEvent>): void;
}

/** Events without what the context adds: session and origin. */
type WithoutOrigin<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

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

export function atOf({ record }: Pick<LineContext, 'record'>): { readonly at?: number } {
  return record.at === undefined ? {} : { at: record.at };
}

/** The event's own id, or its position, which stays the same as the file grows. */
export function eventId({ id, offset }: EventRecord): string {
  return id ?? `@${offset}`;
}

export function promptFact(text: string): PromptFact {
  return { head: firstLine(text) ?? '', digest: digestText(text) };
}

interface Settings {
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly contextWindow?: number | undefined;
}

/** Every reply and every request repeats these settings: only changes are emitted. */
export function emitChanges(context: LineContext, settings: Settings): void {
  const { lastSeen } = context.state;
  const changes = Object.entries(settings).filter(
    ([field, value]) => value !== undefined && lastSeen.get(field) !== value,
  );
  if (changes.length === 0) return;
  for (const [field, value] of changes) lastSeen.set(field, value);
  context.emit({ kind: 'agent-seen', agent: context.agent, ...atOf(context), ...Object.fromEntries(changes) });
}
