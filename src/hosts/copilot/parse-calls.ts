// Lines about tool calls, permissions and sub-agents.

import { type AgentId, mainAgentOf, type RunOutcome, type ToolCallId, toToolCallId } from '../../core/index.ts';
import { asObject, asText, known } from '../../lib/json.ts';
import { emitTimed, firstLine, promptFact } from '../shared/index.ts';
import { agentIdOf, emitChanges, eventId, type LineContext } from './line-context.ts';
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
  const { agent, at, data, state, emit } = context;
  const native = asText(data['toolCallId']);
  const tool = asText(data['toolName']);
  if (native === undefined || tool === undefined) return;
  const call = toToolCallId(native);
  const input = data['arguments'];
  emitTimed(context, {
    kind: 'tool-started',
    call,
    tool,
    ...known({ summary: summarise(tool, input), writes: fileWrittenBy(tool, input) }),
    ...(isWaiting(tool, input) && { awaitsAgents: true }),
  });
  state.toolOf.set(call, tool);
  if (isShell(tool)) state.commands.ask(call, asObject(input)?.['command']);
  if (isSpawning(tool)) requestAgent(call, input, context);
  const reader = readerOf(tool, input);
  if (reader !== undefined) context.writtenTo.set(agentIdOf(reader), call);
  if (isAsking(tool) && at !== undefined) emit({ kind: 'agent-asked', agent, id: native, at, about: 'input' });
}

export function parseCallEnd(context: LineContext): void {
  const { agent, state, record, data, emit } = context;
  const native = asText(data['toolCallId']);
  if (native === undefined || isLost(data)) return;
  const call = toToolCallId(native);
  const tool = state.toolOf.get(call);
  // Up to about 1.0.3x the replies of a sub-agent name no model.
  emitChanges(context, { model: asText(data['model']) });
  const text = textOfResult(data);
  const ended = outcomeOf(data);
  const isOk = ended.outcome === 'ok';
  emitTimed(context, {
    kind: 'tool-ended',
    call,
    ...ended,
    ...(isOk && isSpawning(tool) && LAUNCHED.test(text) && { launched: true }),
    ...(!isOk && known({ reason: firstLine(text) })),
  });
  emitTimed(context, { kind: 'entry-added', entry: 'result', id: eventId(record) });
  if (isAsking(tool)) emit({ kind: 'agent-answered', agent, id: native });
  state.toolOf.delete(call);
  for (const printed of state.commands.printed(call, text)) emit({ kind: 'session-printed', agent, call, printed });
}

/** The result of a call whose agent runs in the background. */
const LAUNCHED = /^Agent started in background with agent_id: /;

export function parsePermissionAsked({ agent, at, data, emit }: LineContext): void {
  const id = asText(data['requestId']);
  if (id === undefined || at === undefined || data['resolvedByHook'] === true) return;
  emit({ kind: 'agent-asked', agent, id, at, about: 'permission' });
}

export function parsePermissionGiven({ agent, data, emit }: LineContext): void {
  const id = asText(data['requestId']);
  if (id !== undefined) emit({ kind: 'agent-answered', agent, id });
}

export function parseAgentStarted(context: LineContext): void {
  const { agent, isMain, state, data } = context;
  if (isMain) return;
  state.isOver = false;
  emitTimed(context, {
    kind: 'agent-seen',
    agentKind: 'task',
    // Name and description are in the call: up to about 1.0.8x these fields hold the vendor's description of the type.
    ...known({ type: asText(data['agentType']) ?? asText(data['agentName']) }),
    ...(data['executionMode'] === 'background' && { background: true }),
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
function parentOf({ data, session }: LineContext): AgentId | undefined {
  const named = asText(data['parentId']);
  if (named !== undefined) return agentIdOf(named);
  return asText(data['executionMode']) === undefined ? undefined : mainAgentOf(session);
}

export function parseAgentConfigured(context: LineContext): void {
  const { data } = context;
  emitChanges(context, { model: asText(data['model']), effort: asText(data['reasoningEffort']) });
}

export function parseAgentCompleted(context: LineContext): void {
  endAgent(context, context.data['cancelled'] === true ? 'stopped' : 'completed');
}

export function parseAgentFailed(context: LineContext): void {
  endAgent(context, 'failed', asText(context.data['error']));
}

export function endAgent(context: LineContext, outcome: RunOutcome, reason?: string): void {
  if (context.isMain) return;
  context.state.isOver = true;
  emitTimed(context, { kind: 'run-ended', signal: 'transcript', outcome, ...known({ reason }) });
}
