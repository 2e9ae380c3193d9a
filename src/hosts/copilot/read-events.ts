// `events.jsonl` line by line: one file for all agents of a session. Every kind of line has its parser in lines/.

import {
  type AgentEvent,
  type AgentId,
  mainAgentOf,
  type SessionId,
  type SourceId,
  type ToolCallId,
} from '../../core/index.ts';
import type { Line } from '../../lib/lines.ts';
import type { SourceReader } from '../index.ts';
import { createAskedCommands } from '../shared/index.ts';
import { type AgentState, agentOf, createAgentState, type LineContext, type LineParser } from './line-context.ts';
import { parseAgentCompleted, parseAgentConfigured, parseAgentFailed, parseAgentStarted } from './lines/agents.ts';
import { parseCallEnd, parseCallStart, parsePermissionAsked, parsePermissionGiven } from './lines/calls.ts';
import { parseNotification, parsePrompt, parseReply } from './lines/conversation.ts';
import {
  parseAbort,
  parseCompaction,
  parseError,
  parseModelChange,
  parseShutdown,
  parseStart,
  parseTruncation,
} from './lines/session.ts';
import { parseUsage } from './lines/usage.ts';
import { type EventRecord, parseLine, parseWhole, recordsIn } from './record.ts';
import { isWithoutNews } from './without-news.ts';

const PARSERS: ReadonlyMap<string, LineParser> = new Map([
  ['session.start', parseStart],
  ['session.resume', parseStart],
  ['session.context_changed', parseStart],
  ['session.model_change', parseModelChange],
  ['session.error', parseError],
  ['session.compaction_complete', parseCompaction],
  ['session.truncation', parseTruncation],
  ['session.usage_record', parseUsage],
  ['session.shutdown', parseShutdown],
  ['user.message', parsePrompt],
  ['assistant.message', parseReply],
  ['system.notification', parseNotification],
  ['abort', parseAbort],
  ['tool.execution_start', parseCallStart],
  ['tool.user_requested', parseCallStart],
  ['tool.execution_complete', parseCallEnd],
  ['permission.requested', parsePermissionAsked],
  ['permission.completed', parsePermissionGiven],
  ['subagent.started', parseAgentStarted],
  ['subagent.configured', parseAgentConfigured],
  ['subagent.completed', parseAgentCompleted],
  ['subagent.failed', parseAgentFailed],
]);

export function isKnownType(type: string): boolean {
  return PARSERS.has(type) || isWithoutNews(type);
}

export function createEventReader(session: SessionId, source: SourceId): SourceReader {
  const main = mainAgentOf(session);
  const states = new Map<AgentId, AgentState>();
  const writtenTo = new Map<AgentId, ToolCallId>();

  const isAwaited = (bytes: Uint8Array): boolean =>
    [...states.values()].some(({ commands }) => commands.areNamedIn(bytes));
  const readRecord = (record: EventRecord): readonly AgentEvent[] => {
    const events: AgentEvent[] = [];
    const origin = { source, offset: record.offset, length: record.length };
    const place = { session, origin };
    const emit: LineContext['emit'] = (event) => events.push(Object.assign(event, place) as AgentEvent);
    const parser = PARSERS.get(record.type);
    if (!parser) {
      if (!isWithoutNews(record.type))
        emit({
          kind: 'problem-found',
          diagnostic: { code: 'unknown-record', detail: record.type.slice(0, 80), origin },
        });
      return events;
    }
    const agent = agentOf(record, session);
    const state = states.get(agent) ?? createAgentState(createAskedCommands());
    states.set(agent, state);
    parser({ session, agent, isMain: agent === main, record, origin, state, writtenTo, emit });
    return events;
  };

  return {
    read(line: Line) {
      const { records, problem } = recordsIn(line, isAwaited(line.bytes) ? parseWhole : parseLine);
      const events = records.flatMap(readRecord);
      if (!problem) return events;
      const origin = { source, offset: line.offset, length: line.length };
      return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }, ...events];
    },
  };
}
