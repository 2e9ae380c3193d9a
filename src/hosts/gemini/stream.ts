// `gemini -p … -o stream-json`: the main agent's calls and results. An agent is visible only as its call and the end of it.

import { type AgentEvent, mainAgentOf, toToolCallId, toUnnamedAgentId } from '../../core/index.ts';
import { asAmount, asObject, asText, type JsonObject, known, parseJsonBytes, recordInLine } from '../../lib/json.ts';
import type { CallPrompt, StreamCapability, StreamResult } from '../index.ts';
import { firstLine, summarise } from '../shared/index.ts';
import { INVOKE, promptIn } from './calls.ts';
import { HOST, type MessageContext, promptFact } from './record.ts';

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
    const main = mainAgentOf(session);
    return {
      read(line) {
        const { record, problem } = recordInLine(line, parseJsonBytes);
        const origin = { source, offset: line.offset, length: line.length };
        const facts: AgentEvent[] = [];
        const emit: MessageContext['emit'] = (event) =>
          facts.push(Object.assign(event, { session, origin }) as AgentEvent);
        if (problem) emit({ kind: 'problem-found', diagnostic: { ...problem, origin } });
        if (!record) return { facts };
        const prompts: CallPrompt[] = [];
        const context = { session, agent: main, isMain: true, emit };
        if (record['type'] === 'tool_use') prompts.push(...readCall(record, agents, context));
        else if (record['type'] === 'tool_result') readEnd(record, agents, context);
        const result = record['type'] === 'result' ? toResult(record) : undefined;
        return { facts, ...(prompts.length > 0 && { prompts }), ...known({ result }) };
      },
    };
  },
};

function readCall(record: JsonObject, agents: Set<string>, { agent, emit }: MessageContext): readonly CallPrompt[] {
  const id = asText(record['tool_id']);
  const tool = asText(record['tool_name']);
  if (id === undefined || tool === undefined) return [];
  const call = toToolCallId(id);
  const input = asObject(record['parameters']) ?? {};
  emit({ kind: 'tool-started', agent, call, tool, ...known({ summary: summarise(tool, input) }) });
  if (tool !== INVOKE) return [];
  agents.add(id);
  const prompt = promptIn(input);
  const asked = prompt === undefined ? undefined : promptFact(prompt);
  emit({ kind: 'spawn-requested', agent, call, ...known({ type: asText(input['agent_name']), prompt: asked }) });
  return prompt === undefined ? [] : [{ call, prompt }];
}

/** Only the result shows that there was an agent: an unknown name makes none. */
function readEnd(record: JsonObject, agents: Set<string>, { agent, emit }: MessageContext): void {
  const id = asText(record['tool_id']);
  if (id === undefined) return;
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
