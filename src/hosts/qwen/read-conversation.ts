// A conversation line by line: of the main agent, or of a sub-agent.

import { type AgentEvent, mainAgentOf } from '../../core/index.ts';
import { asText, type JsonObject, known, parseJsonBytes, recordInLine } from '../../lib/json.ts';
import type { ByteRange, LocatedSession, LocatedSource, SourceReader } from '../index.ts';
import { createAskedCommands } from '../shared/index.ts';
import { atOf, createConversationState, type LineContext, type LineParser } from './line-context.ts';
import { parseReply } from './lines/reply.ts';
import { parseCompression, parseTelemetry, parseTitle } from './lines/system.ts';
import { parseResult, parseTold } from './lines/told.ts';
import { BEGINNINGS, isKnownKind, kindOf, parseShort } from './record.ts';

const PARSERS: ReadonlyMap<string, LineParser> = new Map([
  ['user', parseTold],
  ['assistant', parseReply],
  ['tool_result', parseResult],
  ['system/custom_title', parseTitle],
  ['system/chat_compression', parseCompression],
  ['system/ui_telemetry', parseTelemetry],
]);

export function createConversationReader({ id: session }: LocatedSession, source: LocatedSource): SourceReader {
  const agent = source.agent ?? mainAgentOf(session);
  const isMain = source.agent === undefined;
  const state = createConversationState(createAskedCommands());
  const readRecord = (record: JsonObject, place: ByteRange): readonly AgentEvent[] => {
    const events: AgentEvent[] = [];
    const origin = { source: source.id, offset: place.offset, length: place.length };
    const emit: LineContext['emit'] = (event) => events.push(Object.assign(event, { session, origin }) as AgentEvent);
    const context = { session, agent, isMain, record, origin, state, emit };
    const kind = kindOf(record);
    if (isKnownKind(kind)) {
      tellNews(context);
      PARSERS.get(kind)?.(context);
    } else emit({ kind: 'problem-found', diagnostic: { code: 'unknown-record', detail: kind.slice(0, 80), origin } });
    return events;
  };
  return {
    read(line) {
      const { record, problem, ...place } = recordInLine(
        line,
        state.commands.areNamedIn(line.bytes) ? parseJsonBytes : parseShort,
        BEGINNINGS,
      );
      const events = record ? readRecord(record, place) : [];
      if (!problem) return events;
      const origin = { source: source.id, offset: line.offset, length: line.length };
      return [{ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } }, ...events];
    },
  };
}

/** Every line repeats where the agent works: only changes are told. */
function tellNews(context: LineContext): void {
  const { record, agent, isMain, state, emit } = context;
  const news = known({
    cwd: changed('cwd', record, state.told),
    branch: changed('gitBranch', record, state.told),
    hostVersion: changed('version', record, state.told),
  });
  if (Object.keys(news).length === 0) return;
  const { hostVersion: _version, ...ofAgent } = news;
  emit({ kind: 'agent-seen', agent, ...atOf(context), ...ofAgent, ...(!isMain && { agentKind: 'task' }) });
  if (isMain) emit({ kind: 'session-seen', ...atOf(context), ...news });
}

function changed(field: string, record: JsonObject, told: Map<string, unknown>): string | undefined {
  const value = asText(record[field]);
  if (value === undefined || told.get(field) === value) return undefined;
  told.set(field, value);
  return value;
}
