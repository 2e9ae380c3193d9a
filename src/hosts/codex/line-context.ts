// What a line parser knows beside its line, and the few ways in which it speaks.

import { type AgentId, type EventOrigin, type SessionId, type ToolCallId, toAgentId } from '../../core/index.ts';
import { type AskedCommands, atOf, emitTimed, type Fact, promptFact, requestIn } from '../shared/index.ts';
import type { RolloutRecord } from './record.ts';
import type { ThreadHead } from './thread-head.ts';

export const HOST = 'codex';

export const agentIdOf = (thread: string): AgentId => toAgentId(HOST, thread);

export interface LineContext {
  readonly session: SessionId;
  /** Whose rollout it is. */
  readonly agent: AgentId;
  readonly isMain: boolean;
  readonly record: RolloutRecord;
  /** Of the record. */
  readonly at?: number;
  readonly origin: EventOrigin;
  /** The reply that the line belongs to, where it is part of one. */
  readonly reply?: string;
  readonly thread: ThreadState;
  emit(fact: Fact): void;
}

/** What has to be remembered from line to line of one rollout. */
export interface ThreadState {
  head?: ThreadHead;
  /** Turns of its own so far. */
  turns: number;
  /** What was last said in the turn: versions up to 0.14x do not say that a turn ended in an error. */
  lastInTurn?: 'prompt' | 'result' | 'reply';
  lastReply?: string;
  isPrompted: boolean;
  /** Some prompt asked for something. */
  isTitled?: true;
  model?: string;
  /** Tools of calls whose results say something about agents. */
  readonly toolOf: Map<ToolCallId, string>;
  /** Commands that may start a session of some host. */
  readonly commands: AskedCommands;
  /** What was last told, so that only changes are. */
  readonly told: Map<string, unknown>;
}

/** A parser of one kind of line. Never throws on data. */
export type LineParser = (context: LineContext) => void;

/** An id for what has none: the place where it stands stays the same as the file grows. */
export function idByPlace({ agent, record }: Pick<LineContext, 'agent' | 'record'>): string {
  return `${agent.slice(HOST.length + 1)}@${record.offset}`;
}

export function notePrompt(text: string, context: LineContext): void {
  const { isMain, thread } = context;
  emitTimed(context, { kind: 'entry-added', entry: 'prompt', id: idByPlace(context) });
  thread.lastInTurn = 'prompt';
  const title = isMain && !thread.isTitled ? requestIn(text) : undefined;
  if (title !== undefined) {
    thread.isTitled = true;
    context.emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
  }
  if (thread.isPrompted || text.trim() === '') return;
  thread.isPrompted = true;
  emitTimed(context, { kind: 'agent-prompted', prompt: promptFact(text) });
}
