// What a line parser knows beside its line, and the few ways in which it speaks.

import {
  type AgentEvent,
  type AgentId,
  type EventOrigin,
  type PromptFact,
  type SessionId,
  type ToolCallId,
  toAgentId,
  toToolCallId,
} from '../../core/index.ts';
import { digestText } from '../../lib/digest.ts';
import type { AskedCommands } from '../shared/index.ts';
import type { RolloutRecord } from './record.ts';
import type { ThreadHead } from './thread-head.ts';
import { firstLine } from './tools.ts';

export const HOST = 'codex';

export const agentIdOf = (thread: string): AgentId => toAgentId(HOST, thread);
export const callIdOf = (native: string): ToolCallId => toToolCallId(native);

export interface LineContext {
  readonly session: SessionId;
  /** Whose rollout it is. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: RolloutRecord;
  readonly origin: EventOrigin;
  /** The reply that the line belongs to, where it is part of one. */
  readonly reply?: string;
  readonly thread: ThreadState;
  emit(event: WithoutPlace<AgentEvent>): void;
}

/** Events without what the context adds: session and place. */
type WithoutPlace<E> = E extends AgentEvent ? Omit<E, 'session' | 'origin'> : never;

/** What has to be remembered from line to line of one rollout. */
export interface ThreadState {
  head?: ThreadHead;
  /** Turns of its own so far. */
  turns: number;
  /** What was last said in the turn: versions up to 0.14x do not say that a turn ended in an error. */
  lastInTurn?: 'prompt' | 'result' | 'reply';
  lastReply?: string;
  isPrompted: boolean;
  model?: string;
  /** Tools of calls whose results say something about agents. */
  readonly toolOf: Map<ToolCallId, string>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** What was last told, so that only changes are. */
  readonly told: Map<string, unknown>;
}

/** `commands` is handed in: what hooks load of this file must not load the shell's grammar. */
export function createThreadState(commands: AskedCommands): ThreadState {
  return { turns: 0, isPrompted: false, toolOf: new Map(), commands, told: new Map() };
}

/** A parser of one kind of line. Never throws on data. */
export type LineParser = (context: LineContext) => void;

/** The optional time of an event, spelled for `exactOptionalPropertyTypes`. */
export function atOf({ record }: LineContext): { readonly at?: number } {
  return record.at === undefined ? {} : { at: record.at };
}

/** An id for what has none: the place where it stands stays the same as the file grows. */
export function idByPlace({ agent, record }: Pick<LineContext, 'agent' | 'record'>): string {
  return `${agent.slice(HOST.length + 1)}@${record.offset}`;
}

export function promptFact(text: string): PromptFact {
  return { head: firstLine(text) ?? '', digest: digestText(text) };
}

export function notePrompt(text: string, context: LineContext): void {
  const { agent, isMain, thread } = context;
  context.emit({ kind: 'entry-added', agent, entry: 'prompt', id: idByPlace(context), ...atOf(context) });
  thread.lastInTurn = 'prompt';
  if (thread.isPrompted || text.trim() === '') return;
  thread.isPrompted = true;
  context.emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(context) });
  const title = firstLine(text);
  if (isMain && title !== undefined)
    context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
}
