// What line parsers of all hosts have in common.

import type { AgentEvent, AgentId, EventOrigin, PromptFact, SessionId, SourceId, ToolEnded } from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import {
  isObject,
  type JsonObject,
  known,
  type LineProblem,
  parseJsonBytes,
  recordInLine,
  shortenStrings,
} from '../../lib/json.ts';
import { createLineSplitter } from '../../lib/lines.ts';
import type { ByteRange, CallPrompt, StreamReader, StreamResult } from '../index.ts';
import { requestIn, withoutEnvelope } from './request.ts';

/** An event without its session and place, which the reader adds. */
export type Fact<E = AgentEvent> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

/** What parsers get of the place that they read: their facts are about it. */
export interface FactPlace {
  readonly session: SessionId;
  readonly origin: EventOrigin;
  emit(fact: Fact): void;
}

/** The facts that `parse` emits about one place in a source. */
export function factsAt(
  session: SessionId,
  source: SourceId,
  { offset, length }: ByteRange,
  parse: (place: FactPlace) => void,
): readonly AgentEvent[] {
  const facts: AgentEvent[] = [];
  const place = { session, origin: { source, offset, length } };
  parse({ ...place, emit: (fact) => facts.push(Object.assign(fact, place) as AgentEvent) });
  return facts;
}

/** What is wrong with a line, and the facts of its record, which may be a part of it. */
export function factsInLine<R>(
  session: SessionId,
  source: SourceId,
  line: ByteRange,
  found: ByteRange & { readonly record?: R; readonly problem?: LineProblem },
  parse: (record: R, place: FactPlace) => void,
): readonly AgentEvent[] {
  const { record, problem } = found;
  const facts = record === undefined ? [] : factsAt(session, source, found, (place) => parse(record, place));
  if (!problem) return facts;
  const origin = { source, offset: line.offset, length: line.length };
  return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }, ...facts];
}

/** Facts are in short strings; nine tenths of a conversation are a few long ones. */
const LONG_STRINGS = { longerThan: 4096, head: 2048, tail: 1024 };

/** Long strings are cut in the middle. `undefined` if the bytes are not JSON. */
export function parseShort(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes.length > LONG_STRINGS.longerThan ? shortenStrings(bytes, LONG_STRINGS) : bytes);
}

/** Whether one of the first lines of a file is a record of this kind. */
export function hasRecord(head: Uint8Array, isOwn: (record: JsonObject) => boolean): boolean {
  return createLineSplitter()
    .push(head)
    .some(({ bytes }) => {
      const record = parseJsonBytes(bytes);
      return isObject(record) && isOwn(record);
    });
}

/** How a call ended; `unrun`: it was never started. */
export type CallEnd = Pick<ToolEnded, 'outcome' | 'unrun'>;

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
  return { head: firstLine(withoutEnvelope(shown) ?? shown) ?? '', digest: digestText(text) };
}

/** The prompt of an agent. The main agent's is the title of the session as well. */
export function emitPrompt(context: FactContext & { readonly isMain: boolean }, text: string): void {
  emitTimed(context, { kind: 'agent-prompted', prompt: promptFact(text) });
  emitTitle(context, text);
}

/** The first prompt of main's that asks for something is the title. */
export function emitTitle(context: FactContext & { readonly isMain: boolean }, text: string): void {
  const title = context.isMain ? requestIn(text) : undefined;
  if (title !== undefined) context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
}

/** The fields that differ from those last seen, which it keeps: many lines repeat them. Undefined if none differs. */
export function changesIn<T extends object>(fields: T, lastSeen: Map<string, unknown>): Known<T> | undefined {
  const changed = Object.entries(fields).filter(
    ([field, value]) => value !== undefined && lastSeen.get(field) !== value,
  );
  for (const [field, value] of changed) lastSeen.set(field, value);
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Known<T>);
}

type Known<T extends object> = ReturnType<typeof known<T>>;

/** The first line that is not blank. */
export function firstLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : /\S[^\n]*/.exec(text)?.[0].trimEnd();
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

// What Gemini CLI and Qwen Code print with `-o stream-json`, one JSON object a line.

export interface StreamPlace extends FactPlace {
  /** Prompts of the line's calls, whole. */
  readonly prompts: CallPrompt[];
}

export function createRecordStream(
  session: SessionId,
  source: SourceId,
  parse: (record: JsonObject, place: StreamPlace) => void,
  toResult: (record: JsonObject) => StreamResult,
): StreamReader {
  return {
    read(line) {
      const prompts: CallPrompt[] = [];
      const found = recordInLine(line, parseJsonBytes);
      const facts = factsInLine(session, source, line, found, (record, place) => parse(record, { ...place, prompts }));
      const result = found.record?.['type'] === 'result' ? toResult(found.record) : undefined;
      return { facts, ...(prompts.length > 0 && { prompts }), ...known({ result }) };
    },
  };
}
