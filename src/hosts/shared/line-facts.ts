// What line parsers of all hosts have in common.

import type { AgentEvent, AgentId, PromptFact } from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';

/** An event without its session and place, which the reader adds. */
export type Fact<E = AgentEvent> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

/** A fact with a time; about the agent whose line it is where it names no other. */
type TimedFact<E = AgentEvent> = E extends { readonly agent: AgentId }
  ? 'at' extends keyof E
    ? Omit<E, 'session' | 'origin' | 'agent' | 'at'> & { readonly agent?: AgentId }
    : never
  : never;

interface FactContext {
  readonly agent: AgentId;
  readonly at?: number;
  emit(fact: Fact): void;
}

/** Adds the line's agent and time. To the fact itself: every fact is a new object, and copying it costs more. */
export function emitTimed(context: FactContext, fact: TimedFact): void {
  const agent = fact.agent ?? context.agent;
  context.emit(Object.assign(fact, context.at === undefined ? { agent } : { agent, at: context.at }) as Fact);
}

/** `shown`: the prompt without the envelope it came in; compared with calls is all of `text`. */
export function promptFact(text: string, shown = text): PromptFact {
  return { head: firstLine(shown) ?? '', digest: digestText(text) };
}

/** The first line that is not blank. */
export function firstLine(text: string | undefined): string | undefined {
  return text
    ?.split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}

const MAX_SUMMARY = 400;

/** One line of what a call is about. */
export function toSummary(subject: string | undefined): string | undefined {
  return firstLine(subject)?.slice(0, MAX_SUMMARY);
}

export function sizeOfBase64(data: string): number {
  return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}

/** An empty last line does not count. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** The optional time of an event, spelled for `exactOptionalPropertyTypes`. */
export function atOf({ at }: { readonly at?: number }): { readonly at?: number } {
  return at === undefined ? {} : { at };
}
