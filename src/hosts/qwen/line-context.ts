// What a line parser knows beside its line, and the few ways in which it speaks.

import {
  type AgentEvent,
  type AgentId,
  type EventOrigin,
  type PromptFact,
  type SessionId,
  toAgentId,
} from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asInstant, asText, type JsonObject } from '../../lib/json.ts';
import { type AskedCommands, firstLine, type PartCall } from '../shared/index.ts';

export const HOST = 'qwen';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

/** Events without what the context adds: session and place. */
type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

export interface LineContext {
  readonly session: SessionId;
  /** Whose conversation it is. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: JsonObject;
  readonly origin: EventOrigin;
  readonly state: ConversationState;
  emit(event: WithoutPlace<AgentEvent>): void;
}

/** What has to be remembered from line to line of one file. */
export interface ConversationState {
  /** The reply that further lines without tokens of their own belong to. */
  reply?: string;
  /** Calls about agents: what their results mean hangs on what was asked. */
  readonly asked: Map<string, PartCall>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** What was last told, so that only changes are. */
  readonly told: Map<string, unknown>;
}

/** `commands` is handed in: what hooks load of this file must not load the shell's grammar. */
export function createConversationState(commands: AskedCommands): ConversationState {
  return { asked: new Map(), commands, told: new Map() };
}

/** A parser of one kind of line. Never throws on data. */
export type LineParser = (context: LineContext) => void;

/** The optional time of an event, spelled for `exactOptionalPropertyTypes`. */
export function atOf({ record }: Pick<LineContext, 'record'>): { readonly at?: number } {
  const at = asInstant(record['timestamp']);
  return at === undefined ? {} : { at };
}

/** The line's own id; the place where it stands, where a line has none, stays the same as the file grows. */
export function idOf({ record, origin }: Pick<LineContext, 'record' | 'origin'>): string {
  return asText(record['uuid']) ?? `${origin.source}@${origin.offset}`;
}

export function promptFact(text: string): PromptFact {
  return { head: firstLine(text) ?? '', digest: digestText(text) };
}
