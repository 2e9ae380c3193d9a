// One line of a conversation, and the context that its parsers share. Versions seen: 0.5.2 to 0.24.4.

import {
  type AgentEvent,
  type AgentId,
  type EventOrigin,
  type PromptFact,
  type SessionId,
  toAgentId,
} from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asInstant, asObject, asText, type JsonObject, parseJsonBytes, shortenStrings } from '../../lib/json.ts';
import { type AskedCommands, firstLine, type PartCall, partsOf } from '../shared/index.ts';

export const HOST = 'qwen';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

/** Events without what the context adds: session and origin. */
export type WithoutOrigin<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

export interface LineContext {
  readonly session: SessionId;
  /** The agent that the conversation belongs to. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: JsonObject;
  readonly origin: EventOrigin;
  readonly state: ConversationState;
  emit(event: WithoutOrigin<AgentEvent>): void;
}

/** State kept from line to line of one file. */
export interface ConversationState {
  /** The reply that further lines without tokens of their own belong to. */
  reply?: string;
  /** Calls about agents: the meaning of their results depends on the call. */
  readonly asked: Map<string, PartCall>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** The last value of each field that every line repeats, to emit only changes. */
  readonly lastSeen: Map<string, unknown>;
}

export function atOf({ record }: Pick<LineContext, 'record'>): { readonly at?: number } {
  const at = asInstant(record['timestamp']);
  return at === undefined ? {} : { at };
}

/** The line's own id, or its position, which stays the same as the file grows. */
export function idOf({ record, origin }: Pick<LineContext, 'record' | 'origin'>): string {
  return asText(record['uuid']) ?? `${origin.source}@${origin.offset}`;
}

export function promptFact(text: string): PromptFact {
  return { head: firstLine(text) ?? '', digest: digestText(text) };
}

/** `user`, `assistant`, `tool_result`, or a note of the program itself such as `system/ui_telemetry`. */
export function kindOf(record: JsonObject): string {
  const type = asText(record['type']) ?? 'no type';
  return type === 'system' ? `system/${asText(record['subtype']) ?? ''}` : type;
}

export function partsIn(record: JsonObject): readonly JsonObject[] {
  return partsOf(asObject(record['message'])?.['parts']);
}

/** How a line begins that follows half of another on the same line. */
export const BEGINNINGS = ['{"uuid":"'];

/** Facts are in short strings; nine tenths of a conversation are a few long ones. */
const LONG_STRINGS = { longerThan: 4096, head: 2048, tail: 1024 };

/** `undefined` if the bytes are not JSON. */
export function parseShort(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes.length > LONG_STRINGS.longerThan ? shortenStrings(bytes, LONG_STRINGS) : bytes);
}
