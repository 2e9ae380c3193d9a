// `qwen -p … -o stream-json`: messages as Claude Code prints them, with task events inside `data` (0.24.4).

import { type AgentId, mainAgentOf, type ToolCallId, toToolCallId } from '../../core/index.ts';
import { asAmount, asFlag, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { StreamCapability, StreamResult } from '../index.ts';
import { createRecordStream, firstLine, type StreamPlace, summarise } from '../shared/index.ts';
import { LAUNCHED, outcomeOfStatus, readSpawn, SPAWNING } from './agents.ts';
import { agentIdOf } from './record.ts';

interface Reading extends StreamPlace {
  /** Calls that request an agent, with its type. */
  readonly asked: Map<ToolCallId, string>;
  readonly made: Set<ToolCallId>;
}

export const stream: StreamCapability = {
  recognise(record) {
    const session = asText(record['session_id']);
    return session !== undefined && 'qwen_code_version' in record ? { session } : undefined;
  },
  leavesToDisk: true,
  createReader(session, source) {
    const state = { asked: new Map<ToolCallId, string>(), made: new Set<ToolCallId>() };
    const parse = (record: JsonObject, place: StreamPlace): void => readRecord(record, { ...place, ...state });
    return createRecordStream(session, source, parse, toResult);
  },
};

function readRecord(record: JsonObject, reading: Reading): void {
  const { session, emit } = reading;
  if (record['type'] === 'system') {
    const data = asObject(record['data']);
    if (record['subtype'] === 'init')
      emit({
        kind: 'session-seen',
        ...known({ cwd: asText(record['cwd']), hostVersion: asText(record['qwen_code_version']) }),
      });
    else if (data) readTask(data, reading);
    return;
  }
  const message = asObject(record['message']);
  const above = asText(record['parent_tool_use_id']);
  if (!message || (record['type'] !== 'assistant' && record['type'] !== 'user')) return;
  const agent = above === undefined ? mainAgentOf(session) : makeAgent(toToolCallId(above), reading);
  const content = message['content'];
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const id = asText(message['id']);
  const isCalling = blocks.some(({ type }) => type === 'tool_use');
  if (record['type'] === 'assistant' && id !== undefined)
    emit({ kind: 'entry-added', agent, entry: 'reply', id, ...(isCalling && { end: 'tools' }) });
  for (const block of blocks) {
    if (block['type'] === 'tool_use') readCall(block, agent, reading);
    else if (block['type'] === 'tool_result') readResult(block, agent, reading);
  }
}

/** All versions build the id of an agent from type and call. */
function makeAgent(call: ToolCallId, { asked, made, emit }: Reading): AgentId {
  const agent = agentIdOf(`${asked.get(call) ?? 'general-purpose'}-${call}`);
  if (!made.has(call)) emit({ kind: 'agent-linked', agent, evidence: 'stream', call });
  made.add(call);
  return agent;
}

function readTask(data: JsonObject, reading: Reading): void {
  const id = asText(data['tool_use_id']);
  const agent = asText(data['task_id']);
  if (id === undefined || agent === undefined) return;
  const call = toToolCallId(id);
  makeAgent(call, reading);
  const outcome = outcomeOfStatus(asText(data['status']));
  if (outcome) reading.emit({ kind: 'run-ended', agent: agentIdOf(agent), signal: 'notification', outcome, call });
}

function readCall(block: JsonObject, agent: AgentId, { asked, prompts, emit }: Reading): void {
  const id = asText(block['id']);
  const tool = asText(block['name']);
  if (id === undefined || tool === undefined) return;
  const call = toToolCallId(id);
  const input = asObject(block['input']) ?? {};
  emit({ kind: 'tool-started', agent, call, tool, ...known({ summary: summarise(tool, input) }) });
  if (!SPAWNING.has(tool)) return;
  const spawn = readSpawn(input);
  const prompt = asText(input['prompt']);
  asked.set(call, spawn.type ?? 'general-purpose');
  emit({ kind: 'spawn-requested', agent, call, ...spawn });
  if (prompt !== undefined) prompts.push({ call, prompt });
}

/** The host reports the call as successful although its agent failed. */
const FAILED = /^Subagent execution failed\b/;

function readResult(block: JsonObject, agent: AgentId, reading: Reading): void {
  const id = asText(block['tool_use_id']);
  if (id === undefined) return;
  const call = toToolCallId(id);
  const { asked, emit } = reading;
  const text = asText(block['content']) ?? '';
  const spawns = asked.has(call);
  const isError = block['is_error'] === true || (spawns && FAILED.test(text));
  const launched = spawns && LAUNCHED.test(text);
  const facts = known({ launched: launched || undefined, reason: isError ? firstLine(text) : undefined });
  emit({ kind: 'tool-ended', agent, call, outcome: isError ? 'error' : 'ok', ...facts });
  emit({ kind: 'entry-added', agent, entry: 'result', id });
  if (spawns && block['is_error'] !== true) makeAgent(call, reading);
}

function toResult(record: JsonObject): StreamResult {
  return {
    isError: asFlag(record['is_error']) ?? false,
    ...known({ text: asText(record['result']), durationMs: asAmount(record['duration_ms']) }),
  };
}
