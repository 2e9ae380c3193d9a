// `gemini -p … -o stream-json`: the main agent's calls and results. An agent is visible only as its call and the end of it.

import { mainAgentOf, toToolCallId, toUnnamedAgentId } from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import type { StreamCapability, StreamResult } from '../index.ts';
import { createRecordStream, firstLine, promptFact, type StreamPlace, summarise } from '../shared/index.ts';
import { INVOKE, promptIn } from './calls.ts';
import { HOST } from './record.ts';

export const stream: StreamCapability = {
  recognise(record) {
    const session = asText(record['session_id']);
    return record['type'] === 'init' && session !== undefined && 'model' in record ? { session } : undefined;
  },
  leavesToDisk: true,
  // A call succeeds even if its agent failed.
  resultsAreUnsure: true,
  createReader(session, source) {
    const agents = new Set<string>();
    return createRecordStream(
      session,
      source,
      (record, place) => {
        if (record['type'] === 'tool_use') readCall(record, agents, place);
        else if (record['type'] === 'tool_result') readEnd(record, agents, place);
      },
      toResult,
    );
  },
};

function readCall(record: JsonObject, agents: Set<string>, { session, prompts, emit }: StreamPlace): void {
  const id = asText(record['tool_id']);
  const tool = asText(record['tool_name']);
  if (id === undefined || tool === undefined) return;
  const agent = mainAgentOf(session);
  const call = toToolCallId(id);
  const input = asObject(record['parameters']) ?? {};
  emit({ kind: 'tool-started', agent, call, tool, ...known({ summary: summarise(tool, input) }) });
  if (tool !== INVOKE) return;
  agents.add(id);
  const prompt = promptIn(input);
  const asked = prompt === undefined ? undefined : promptFact(prompt);
  emit({ kind: 'spawn-requested', agent, call, ...known({ type: asText(input['agent_name']), prompt: asked }) });
  if (prompt !== undefined) prompts.push({ call, prompt });
}

/** Only the result shows that there was an agent: an unknown name makes none. */
function readEnd(record: JsonObject, agents: Set<string>, { session, emit }: StreamPlace): void {
  const id = asText(record['tool_id']);
  if (id === undefined) return;
  const agent = mainAgentOf(session);
  const call = toToolCallId(id);
  const isError = record['status'] !== 'success';
  const reason = isError ? firstLine(asText(asObject(record['error'])?.['message'])) : undefined;
  emit({ kind: 'tool-ended', agent, call, outcome: isError ? 'error' : 'ok', ...known({ reason }) });
  if (agents.delete(id) && !isError)
    emit({ kind: 'agent-linked', agent: toUnnamedAgentId(HOST, call), evidence: 'stream', call, parent: agent });
}

function toResult(record: JsonObject): StreamResult {
  const stats = asObject(record['stats']);
  return { isError: record['status'] !== 'success', ...known({ durationMs: asAmount(stats?.['duration_ms']) }) };
}
