// What a line parser knows beside its line, and the few ways in which it speaks.

import {
  type AgentEvent,
  type AgentId,
  type EventOrigin,
  mainAgentOf,
  type PromptFact,
  type SessionId,
  type ToolCallId,
  toAgentId,
  toToolCallId,
} from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asText } from '../../lib/json.ts';
import type { AskedCommands } from '../shared/index.ts';
import type { EventRecord } from './record.ts';
import { firstLine } from './tools.ts';

export const HOST = 'copilot';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);
export const callIdOf = (native: string): ToolCallId => toToolCallId(native);

export interface LineContext {
  readonly session: SessionId;
  /** Whose line it is: all agents of a session write into one file. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: EventRecord;
  readonly origin: EventOrigin;
  readonly state: AgentState;
  /** The last call that wrote to an agent, by the agent. */
  readonly writtenTo: Map<AgentId, ToolCallId>;
  emit(event: WithoutPlace<AgentEvent>): void;
}

/** Events without what the context adds: session and place. */
type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

/** What has to be remembered of one agent from line to line. */
export interface AgentState {
  isPrompted: boolean;
  /** It came to its end: what it is told next sets it to work again. */
  isOver: boolean;
  /** It was set to work again since. */
  isResumed: boolean;
  /** Tools of calls that have no result yet. */
  readonly toolOf: Map<ToolCallId, string>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** What was last told, so that only changes are. */
  readonly told: Map<string, unknown>;
}

/** `commands` is handed in: what hooks load of this file must not load the shell's grammar. */
export function createAgentState(commands: AskedCommands): AgentState {
  return {
    isPrompted: false,
    isOver: false,
    isResumed: false,
    toolOf: new Map(),
    commands,
    told: new Map(),
  };
}

/** A parser of one kind of line. Never throws on data. */
export type LineParser = (context: LineContext) => void;

/**
 * Sub-agents have ids of their own from about 1.0.8x on. Before, an agent has the id of the call that made it, and up to
 * about 1.0.3x its lines name it only as `parentToolCallId`.
 */
export function agentOf({ type, agentId, data }: EventRecord, session: SessionId): AgentId {
  const byCall = type.startsWith('subagent.') ? data['toolCallId'] : data['parentToolCallId'];
  const native = agentId ?? asText(byCall);
  return native === undefined ? mainAgentOf(session) : agentIdOf(native);
}

/** The optional time of an event, spelled for `exactOptionalPropertyTypes`. */
export function atOf({ record }: Pick<LineContext, 'record'>): { readonly at?: number } {
  return record.at === undefined ? {} : { at: record.at };
}

/** Of an event without an id, the place where it stands: that stays the same as the file grows. */
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

/** Repeated with every reply and every request: only changes are told. */
export function tellNews(context: LineContext, settings: Settings): void {
  const { told } = context.state;
  const news = Object.entries(settings).filter(([field, value]) => value !== undefined && told.get(field) !== value);
  if (news.length === 0) return;
  for (const [field, value] of news) told.set(field, value);
  context.emit({ kind: 'agent-seen', agent: context.agent, ...atOf(context), ...Object.fromEntries(news) });
}
