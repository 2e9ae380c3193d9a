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
import { asInstant, asObject, asText, type JsonObject, parseJsonBytes, shortenStrings } from '../../lib/json.ts';
import { type AskedCommands, firstLine, type PartCall, partsOf } from '../shared/index.ts';

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

/** `user`, `assistant`, `tool_result`, or what the program itself notes: `system/ui_telemetry` and the like. */
export function kindOf(record: JsonObject): string {
  const type = asText(record['type']) ?? 'no type';
  return type === 'system' ? `system/${asText(record['subtype']) ?? ''}` : type;
}

export function partsIn(record: JsonObject): readonly JsonObject[] {
  return partsOf(asObject(record['message'])?.['parts']);
}

/** How a line begins that may stand behind half of another. */
export const BEGINNINGS = ['{"uuid":"'];

/** Facts stand in short strings; nine tenths of a conversation are a few long ones. */
const BODIES_CUT = { longerThan: 4096, head: 2048, tail: 1024 };

/** `undefined` where the bytes are no JSON. */
export function parseShort(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes.length > BODIES_CUT.longerThan ? shortenStrings(bytes, BODIES_CUT) : bytes);
}
