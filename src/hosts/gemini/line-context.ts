// What a parser knows beside its message, and the few ways in which it speaks.

import { type AgentEvent, type AgentId, type PromptFact, type SessionId, toAgentId } from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import { firstLine } from '../shared/index.ts';

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
