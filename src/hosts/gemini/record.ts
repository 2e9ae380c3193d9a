// The records of a chat. Versions seen: 0.8.2 to 0.61.0. A chat is a file of lines (0.4x and later), or one document.

import { type AgentId, toAgentId } from '../../core/index.ts';
import { asObject, asText, isObject, type JsonObject } from '../../lib/json.ts';

type ChatRecord =
  /** The first line, or the fields of a document beside its messages. */
  | { readonly kind: 'head'; readonly head: JsonObject }
  /** A later one with the same id replaces it. */
  | { readonly kind: 'message'; readonly message: JsonObject; readonly id: string }
  /** Changes of the head. `messages` replace the model's context from here on; most were written before. */
  | { readonly kind: 'change'; readonly change: JsonObject; readonly messages?: readonly JsonObject[] }
  /** The message with this id and all after it are removed from the conversation. */
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

/** How a record begins that follows half of another on the same line. */
export const BEGINNINGS = ['{"id":"', '{"$set":', '{"sessionId":"'];

export const HOST = 'gemini';

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

// What the program says in the person's place.

/** A text by the program in the user's place. */
export function isHostText(text: string): boolean {
  return text.startsWith('<session_context>');
}

export function contextIn(text: string): string {
  return text.replace(/^<session_context>\n?/, '').replace(/\n*<\/session_context>\s*$/, '');
}

/** The session's folder: the first of the list. */
export function folderIn(text: string): string | undefined {
  return /^- \*\*Workspace Directories:\*\*\n {2}- (.+)$/m.exec(text)?.[1];
}
