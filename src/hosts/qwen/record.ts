// One line of a conversation, and the context that its parsers share. Versions seen: 0.5.2 to 0.24.4.

import { type AgentId, type SessionId, toAgentId } from '../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../lib/json.ts';
import { type AskedCommands, type FactPlace, type PartCall, partsOf } from '../shared/index.ts';

export const HOST = 'qwen';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

export interface LineContext extends FactPlace {
  /** The agent that the conversation belongs to. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: JsonObject;
  /** Of the record. */
  readonly at?: number;
  readonly state: ConversationState;
}

/** State kept from line to line of one file. */
export interface ConversationState {
  /** The reply that further lines without tokens of their own belong to. */
  reply?: string;
  /** Calls about agents: the meaning of their results depends on the call. */
  readonly asked: Map<string, PartCall>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** The session that the lines before this one were copied from. */
  copiedFrom?: SessionId;
  /** The last value of each field that every line repeats, to emit only changes. */
  readonly lastSeen: Map<string, unknown>;
}

/** The line's own id, or its position, which stays the same as the file grows. */
export function idOf({ record, origin }: Pick<LineContext, 'record' | 'origin'>): string {
  return asText(record['uuid']) ?? `${origin.source}@${origin.offset}`;
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
