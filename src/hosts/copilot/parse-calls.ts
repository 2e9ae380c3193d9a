// Lines about tool calls, permissions and sub-agents.

import { type AgentId, mainAgentOf, type RunOutcome, type ToolCallId, toToolCallId } from '../../core/index.ts';
import { asObject, asText, known } from '../../lib/json.ts';
import { firstLine } from '../shared/index.ts';
import { agentIdOf, atOf, emitChanges, eventId, type LineContext, promptFact } from './line-context.ts';
import {
  fileWrittenBy,
  isAsking,
  isLost,
  isShell,
  isSpawning,
  isWaiting,
  outcomeOf,
  readerOf,
  summarise,
  textOfResult,
} from './tools.ts';

function startCall(native: string, tool: string, input: unknown, context: LineContext): void {
  const { agent, state } = context;
  const call = toToolCallId(native);
  context.emit({
    kind: 'tool-started',
    agent,
    call,
    tool,
    ...atOf(context),
    ...known({ summary: summarise(tool, input), writes: fileWrittenBy(tool, input) }),
    ...(isWaiting(tool, input) && { awaitsAgents: true }),
  });
  state.toolOf.set(call, tool);
  if (isShell(tool)) state.commands.ask(call, asObject(input)?.['command']);
  if (isSpawning(tool)) requestAgent(call, input, context);
  const reader = readerOf(tool, input);
  if (reader !== undefined) context.writtenTo.set(agentIdOf(reader), call);
}

function requestAgent(call: ToolCallId, input: unknown, context: LineContext): void {
  const fields = asObject(input);
  const prompt = asText(fields?.['prompt']);
  context.emit({
    kind: 'spawn-requested',
    agent: context.agent,
    call,
    ...known({
      type: asText(fields?.['agent_type']),
      name: asText(fields?.['name']),
      description: asText(fields?.['description']),
      prompt: prompt === undefined ? undefined : promptFact(prompt),
      background: fields?.['mode'] === 'background' ? true : undefined,
    }),
  });
}

export function parseCallStart(context: LineContext): void {
  const { agent, record } = context;
  const native = asText(record.data['toolCallId']);
  const tool = asText(record.data['toolName']);
  if (native === undefined || tool === undefined) return;
  startCall(native, tool, record.data['arguments'], context);
  if (isAsking(tool) && record.at !== undefined)
    context.emit({ kind: 'agent-asked', agent, id: native, at: record.at, about: 'input' });
}

export function parseCallEnd(context: LineContext): void {
  const { agent, state, record } = context;
  const native = asText(record.data['toolCallId']);
  if (native === undefined || isLost(record.data)) return;
  const call = toToolCallId(native);
  const tool = state.toolOf.get(call);
  // Up to about 1.0.3x the replies of a sub-agent name no model.
  emitChanges(context, { model: asText(record.data['model']) });
  const text = textOfResult(record.data);
  const { outcome, unrun } = outcomeOf(record.data);
  context.emit({
    kind: 'tool-ended',
    agent,
    call,
    outcome,
    ...atOf(context),
    ...(outcome === 'ok' && isSpawning(tool) && LAUNCHED.test(text) && { launched: true }),
    ...(unrun && { unrun }),
    ...(outcome !== 'ok' && known({ reason: firstLine(text) })),
  });
  context.emit({ kind: 'entry-added', agent, entry: 'result', id: eventId(record), ...atOf(context) });
  if (isAsking(tool)) context.emit({ kind: 'agent-answered', agent, id: native });
  state.toolOf.delete(call);
  for (const printed of state.commands.printed(call, text))
    context.emit({ kind: 'session-printed', agent, call, printed });
}

/** The result of a call whose agent runs in the background. */
const LAUNCHED = /^Agent started in background with agent_id: /;

export function parsePermissionAsked(context: LineContext): void {
  const { agent, record } = context;
  const id = asText(record.data['requestId']);
  if (id === undefined || record.at === undefined || record.data['resolvedByHook'] === true) return;
  context.emit({ kind: 'agent-asked', agent, id, at: record.at, about: 'permission' });
}

export function parsePermissionGiven(context: LineContext): void {
  const id = asText(context.record.data['requestId']);
  if (id !== undefined) context.emit({ kind: 'agent-answered', agent: context.agent, id });
}

export function parseAgentStarted(context: LineContext): void {
  const { agent, isMain, state, record } = context;
  const { data } = record;
  if (isMain) return;
  state.isOver = false;
  const mode = asText(data['executionMode']);
  context.emit({
    kind: 'agent-seen',
    agent,
    agentKind: 'task',
    ...atOf(context),
    // Name and description are in the call: up to about 1.0.8x these fields hold the vendor's description of the type.
    ...known({ type: asText(data['agentType']) ?? asText(data['agentName']) }),
    ...(mode === 'background' && { background: true }),
  });
  emitChanges(context, { model: asText(data['model']) });
  const call = asText(data['toolCallId']);
  context.emit({
    kind: 'agent-linked',
    agent,
    evidence: 'own-record',
    ...(call !== undefined && { call: toToolCallId(call) }),
    ...known({ parent: parentOf(context) }),
  });
}

/** Versions with `executionMode` also name the parent, unless it is the main agent. Before, only the call links them. */
function parentOf({ record, session }: LineContext): AgentId | undefined {
  const named = asText(record.data['parentId']);
  if (named !== undefined) return agentIdOf(named);
  return asText(record.data['executionMode']) === undefined ? undefined : mainAgentOf(session);
}

export function parseAgentConfigured(context: LineContext): void {
  const { data } = context.record;
  emitChanges(context, { model: asText(data['model']), effort: asText(data['reasoningEffort']) });
}

export function parseAgentCompleted(context: LineContext): void {
  endAgent(context, context.record.data['cancelled'] === true ? 'stopped' : 'completed');
}

export function parseAgentFailed(context: LineContext): void {
  endAgent(context, 'failed', asText(context.record.data['error']));
}

export function endAgent(context: LineContext, outcome: RunOutcome, reason?: string): void {
  const { agent, isMain, state, emit } = context;
  if (isMain) return;
  state.isOver = true;
  emit({ kind: 'run-ended', agent, signal: 'transcript', outcome, ...atOf(context), ...known({ reason }) });
}
