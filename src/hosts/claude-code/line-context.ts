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
import { asInstant, asText } from '../../lib/json.ts';
import type { AskedCommands } from '../shared/index.ts';
import type { RawRecord } from './record.ts';
import type { InlineAgents } from './speaker.ts';
import { firstLine } from './tools.ts';

export const HOST = 'claude-code';

export interface LineContext {
  readonly session: SessionId;
  /** Whose line it is. */
  readonly agent: AgentId;
  readonly origin: EventOrigin;
  readonly at?: number;
  /** The line stands in another agent's file (`progress`, 2.1.9 to 2.1.83). */
  readonly copied: boolean;
  readonly file: FileState;
  emit(event: WithoutPlace<AgentEvent>): void;
}

/** Events without what the context adds: session and place. */
type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

/** What has to be remembered from line to line of one file. */
export interface FileState {
  /** Tools of calls whose results say something about agents. */
  readonly toolOf: Map<ToolCallId, string>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  readonly prompted: Set<AgentId>;
  /** A fork's file begins with lines of its parent; they end with the directive. */
  inherited: boolean;
  /** What was last told of each agent, so that only changes are. */
  readonly told: Map<AgentId, Map<string, string>>;
  /** Agents that calls in this file set to work in the background: the only ones of which a notice may come. */
  readonly launched: Set<AgentId>;
  /** Agents on side branches of this very file. */
  readonly inline: InlineAgents;
  /** Of the program that wrote the last line. */
  version?: string;
}

/** `commands` is handed in: what hooks load of this file must not load the shell's grammar. */
export function createFileState(commands: AskedCommands): FileState {
  return {
    toolOf: new Map(),
    commands,
    prompted: new Set(),
    inherited: false,
    told: new Map(),
    inline: new Map(),
    launched: new Set(),
  };
}

/** A parser of one kind of line. Never throws on data. */
export type LineParser = (record: RawRecord, context: LineContext) => void;

export const agentIdOf = (native: string): AgentId => toAgentId(HOST, native);

export function callIdOf(value: unknown): ToolCallId | undefined {
  const text = asText(value);
  return text === undefined ? undefined : toToolCallId(text);
}

export function isMain(context: LineContext): boolean {
  return context.agent === mainAgentOf(context.session);
}

export function instantOf(record: RawRecord): { readonly at?: number } {
  const at = asInstant(record['timestamp']);
  return at === undefined ? {} : { at };
}

/** The optional time of an event, spelled for `exactOptionalPropertyTypes`. */
export function atOf(context: LineContext): { readonly at?: number } {
  return context.at === undefined ? {} : { at: context.at };
}

export function promptFact(text: string, shown = text): PromptFact {
  return { head: firstLine(shown) ?? '', digest: digestText(text) };
}
