// The records of a chat. Versions seen: 0.8.2 to 0.61.0. A chat is a file of lines (0.4x and later), or one document.

import { type AgentEvent, type AgentId, type PromptFact, type SessionId, toAgentId } from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { asObject, asText, isObject, type JsonObject, parseJsonBytes, shortenStrings } from '../../lib/json.ts';
import { firstLine } from '../shared/index.ts';

export type ChatRecord =
  /** The first line, or what a document says beside its messages. */
  | { readonly kind: 'head'; readonly head: JsonObject }
  /** A later one with the same id takes its place. */
  | { readonly kind: 'message'; readonly message: JsonObject; readonly id: string }
  /** Changes of the head. With `messages`, these are what the model is told from now on; most were told before. */
  | { readonly kind: 'change'; readonly change: JsonObject; readonly messages?: readonly JsonObject[] }
  /** The message of this id and everything behind it are taken out of the conversation. */
  | { readonly kind: 'rewind'; readonly to: string }
  | { readonly kind: 'unknown'; readonly name: string };

export function toRecord(value: JsonObject): ChatRecord {
  const change = asObject(value['$set']);
  if (change) {
    const messages = change['messages'];
    return { kind: 'change', change, ...(Array.isArray(messages) && { messages: messages.filter(isObject) }) };
  }
  const to = asText(value['$rewindTo']);
  if (to !== undefined) return { kind: 'rewind', to };
  const id = asText(value['id']);
  if (id !== undefined && MESSAGES.has(String(value['type']))) return { kind: 'message', message: value, id };
  if (isHead(value)) return { kind: 'head', head: value };
  return { kind: 'unknown', name: asText(value['type']) ?? Object.keys(value)[0] ?? 'no type' };
}

const MESSAGES = new Set(['user', 'gemini', 'info', 'warning', 'error']);

/** No other host writes these two together. */
export function isHead(value: JsonObject): boolean {
  return asText(value['sessionId']) !== undefined && asText(value['projectHash']) !== undefined;
}

/** How records begin that may stand behind half of another. */
export const BEGINNINGS = ['{"id":"', '{"$set":', '{"sessionId":"'];

/** Facts stand in short strings; nine tenths of a chat are a few long ones. */
const BODIES_CUT = { longerThan: 4096, head: 2048, tail: 1024 };

/** `undefined` where the bytes are no JSON. */
export function parseShort(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes.length > BODIES_CUT.longerThan ? shortenStrings(bytes, BODIES_CUT) : bytes);
}

export const HOST = 'gemini';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

/** Events without what the context adds: session and place. */
type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

export interface MessageContext {
  readonly session: SessionId;
  /** Whose conversation it is. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  emit(event: WithoutPlace<AgentEvent>): void;
}

/** The optional time of an event, spelled for `exactOptionalPropertyTypes`. */
export function atOf(at: number | undefined): { readonly at?: number } {
  return at === undefined ? {} : { at };
}

export function promptFact(text: string): PromptFact {
  return { head: firstLine(text) ?? '', digest: digestText(text) };
}

// What the program says in the person's place.

export function isHostText(text: string): boolean {
  return text.startsWith('<session_context>');
}

export function contextIn(text: string): string {
  return text.replace(/^<session_context>\n?/, '').replace(/\n*<\/session_context>\s*$/, '');
}

/** The folder that the session works in: the first of its list. */
export function folderIn(text: string): string | undefined {
  return /^- \*\*Workspace Directories:\*\*\n {2}- (.+)$/m.exec(text)?.[1];
}
