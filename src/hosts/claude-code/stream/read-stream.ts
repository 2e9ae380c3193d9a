// `claude -p --output-format stream-json`, line by line. Messages are those of the transcript, by the same ids, but for a few
// names; agents are told apart by the call that made them. Versions seen: 1.0.60 to 2.1.325.

import {
  type AgentEvent,
  type AgentId,
  mainAgentOf,
  type SessionId,
  type SourceId,
  toUnnamedAgentId,
} from '../../../core/index.ts';
import { asAmount, asFlag, asObject, asText, known } from '../../../lib/json.ts';
import type { Line } from '../../../lib/lines.ts';
import type { StreamNews, StreamReader, StreamResult } from '../../index.ts';
import { createAskedCommands } from '../../shared/index.ts';
import { agentIdOf, callIdOf, createFileState, HOST, type LineContext } from '../line-context.ts';
import { parseAssistant } from '../lines/assistant.ts';
import { parseUser } from '../lines/user.ts';
import { blocksOf, parseLine, type RawRecord, textOf } from '../record.ts';
import { recordsIn } from '../records-in-line.ts';
import { isSpawning } from '../tools.ts';
import { promptsIn } from './prompts.ts';
import { printedIn } from './recognise.ts';
import { createStreamState, type StreamState } from './state.ts';
import { readTask } from './tasks.ts';

/** Most lines of a stream with partial messages: pieces of what follows as a whole. */
const PIECE = Buffer.from('{"type":"stream_event"');
const TASK = /^task_(?:started|updated|notification)$/;

export function createStreamReader(session: SessionId, source: SourceId): StreamReader {
  const state = createStreamState();
  const file = createFileState(createAskedCommands());
  return {
    read(line) {
      if (isPiece(line)) return NOTHING;
      const { records, problem } = recordsIn(line, parseLine);
      const origin = { source, offset: line.offset, length: line.length };
      const facts: AgentEvent[] = [];
      if (problem) facts.push({ kind: 'problem-found', session, origin, diagnostic: { ...problem, origin } });
      let result: StreamResult | undefined;
      for (const { record } of records) {
        const printed = printedIn(record);
        if (!printed) continue;
        const emit: LineContext['emit'] = (event) =>
          facts.push(Object.assign(event, { session, origin }) as AgentEvent);
        const context = { session, origin, copied: false, file, emit };
        if (printed['type'] === 'result') result = toResult(printed);
        else readMessage(printed, state, context);
      }
      const prompts = records.length === 0 ? [] : promptsIn(line);
      return { facts, ...known({ result }), ...(prompts.length > 0 && { prompts }) };
    },
  };
}

const NOTHING: StreamNews = { facts: [] };

function isPiece({ bytes }: Line): boolean {
  return bytes.length > PIECE.length && PIECE.equals(bytes.subarray(0, PIECE.length));
}

type StreamContext = Omit<LineContext, 'agent'>;

function readMessage(record: RawRecord, state: StreamState, context: StreamContext): void {
  const main = mainAgentOf(context.session);
  if (record['type'] === 'system') {
    const subtype = asText(record['subtype']) ?? '';
    if (subtype === 'init') readInit(record, context);
    else if (TASK.test(subtype)) readTask(record, state, { ...context, agent: main });
    return;
  }
  const agent = speakerOf(record, state, context) ?? main;
  const spoken = { ...context, agent };
  // Lines of 1.0.60 have no id.
  const id = asText(record['uuid']) ?? `${context.origin.source}@${context.origin.offset}`;
  if (record['type'] === 'assistant') {
    parseAssistant({ ...record, uuid: id }, spoken);
  } else if (record['type'] === 'user') {
    const toolUseResult = record['tool_use_result'];
    parseUser({ ...record, uuid: id, ...(toolUseResult !== undefined && { toolUseResult }) }, spoken);
    for (const block of blocksOf(asObject(record['message'])))
      if (block['type'] === 'tool_result') noteReport(block, toolUseResult, state, spoken);
  }
}

function readInit(record: RawRecord, { emit, file }: StreamContext): void {
  const hostVersion = asText(record['claude_code_version']);
  if (hostVersion !== undefined) file.version = hostVersion;
  emit({ kind: 'session-seen', ...known({ cwd: asText(record['cwd']), hostVersion }) });
}

/** Whose line it is. One of an agent that was not announced is the first that is heard of it (up to 2.1.5x). */
function speakerOf(record: RawRecord, state: StreamState, context: StreamContext): AgentId | undefined {
  const call = callIdOf(record['parent_tool_use_id']);
  if (call === undefined) return undefined;
  const told = asText(record['agent_id']);
  const known = told === undefined ? state.agentOf.get(call) : agentIdOf(told);
  if (known !== undefined && state.agentOf.has(call)) return known;
  const agent = known ?? toUnnamedAgentId(HOST, call);
  state.name(call, agent);
  context.file.prompted.add(agent);
  context.emit({ kind: 'agent-linked', agent, evidence: 'stream', call });
  return agent;
}

/** Up to 2.1.305 at the least, an agent that died of it hands the provider's error to its parent as if it were its report. */
const API_ERROR = /^API Error: (?:\d{3}\b|Connection error|Request timed out)/;

/** The result of a call that asked for an agent: who it was, where nobody said so before, and whether it went wrong. */
function noteReport(block: RawRecord, details: unknown, state: StreamState, context: LineContext): void {
  const call = callIdOf(block['tool_use_id']);
  const tool = call === undefined ? undefined : context.file.toolOf.get(call);
  if (call === undefined || tool === undefined || !isSpawning(tool) || block['is_error'] === true) return;
  const named = asText(asObject(details)?.['agentId']);
  const known = state.agentOf.get(call);
  const agent = named === undefined ? (known ?? toUnnamedAgentId(HOST, call)) : agentIdOf(named);
  if (agent !== known) {
    state.name(call, agent);
    context.file.prompted.add(agent);
    context.emit({ kind: 'agent-linked', agent, evidence: 'stream', call });
  }
  const text = textOf(block['content']);
  if (!API_ERROR.test(text)) return;
  const reason = text.split('\n')[0] ?? text;
  context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome: 'failed', call, reason });
}

function toResult(record: RawRecord): StreamResult {
  return {
    isError: asFlag(record['is_error']) ?? record['subtype'] !== 'success',
    ...known({
      text: asText(record['result']),
      costUsd: asAmount(record['total_cost_usd']),
      durationMs: asAmount(record['duration_ms']),
    }),
  };
}
