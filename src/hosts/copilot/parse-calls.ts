// What was called, how it went, and what the person has to allow.

import { mainAgentOf, type ToolCallId } from '../../core/index.ts';
import { asObject, asText, known } from '../../lib/json.ts';
import {
  agentIdOf,
  atOf,
  callIdOf,
  eventId,
  type LineContext,
  type LineParser,
  promptFact,
  tellNews,
} from './line-context.ts';
import {
  fileWrittenBy,
  firstLine,
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
  const call = callIdOf(native);
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

export const parseCallStart: LineParser = (context) => {
  const { agent, record } = context;
  const native = asText(record.data['toolCallId']);
  const tool = asText(record.data['toolName']);
  if (native === undefined || tool === undefined) return;
  startCall(native, tool, record.data['arguments'], context);
  if (isAsking(tool) && record.at !== undefined)
    context.emit({ kind: 'agent-asked', agent, id: native, at: record.at, about: 'input' });
};

export const parseCallEnd: LineParser = (context) => {
  const { agent, state, record } = context;
  const native = asText(record.data['toolCallId']);
  if (native === undefined || isLost(record.data)) return;
  const call = callIdOf(native);
  const tool = state.toolOf.get(call);
  // Up to about 1.0.3x the replies of a sub-agent name no model.
  tellNews(context, { model: asText(record.data['model']) });
  const text = textOfResult(record.data);
  const { outcome, unrun } = outcomeOf(record.data);
  context.emit({
    kind: 'tool-ended',
    agent,
    call,
    outcome,
    ...atOf(context),
    ...(outcome === 'ok' && isSpawning(tool) && isLaunch(text) && { launched: true }),
    ...(unrun && { unrun }),
    ...(outcome !== 'ok' && known({ reason: firstLine(text) })),
  });
  context.emit({ kind: 'entry-added', agent, entry: 'result', id: eventId(record), ...atOf(context) });
  if (isAsking(tool)) context.emit({ kind: 'agent-answered', agent, id: native });
  state.toolOf.delete(call);
  for (const printed of state.commands.printed(call, text))
    context.emit({ kind: 'session-printed', agent, call, printed });
};

/** What the model is told where its agent was only set to work. An agent that says the same was asked to wait for. */
function isLaunch(text: string): boolean {
  return /^Agent started in background with agent_id: /.test(text);
}

export const parsePermissionAsked: LineParser = (context) => {
  const { agent, record } = context;
  const id = asText(record.data['requestId']);
  if (id === undefined || record.at === undefined || record.data['resolvedByHook'] === true) return;
  context.emit({ kind: 'agent-asked', agent, id, at: record.at, about: 'permission' });
};

export const parsePermissionGiven: LineParser = (context) => {
  const id = asText(context.record.data['requestId']);
  if (id !== undefined) context.emit({ kind: 'agent-answered', agent: context.agent, id });
};

export const parseAgentStarted: LineParser = (context) => {
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
    // Its name and what it is for are the caller's words, and stand in the call: up to about 1.0.8x these fields hold
    // the vendor's words about the type.
    ...known({ type: asText(data['agentType']) ?? asText(data['agentName']) }),
    ...(mode === 'background' && { background: true }),
  });
  tellNews(context, { model: asText(data['model']) });
  const call = asText(data['toolCallId']);
  context.emit({
    kind: 'agent-linked',
    agent,
    evidence: 'own-record',
    ...(call !== undefined && { call: callIdOf(call) }),
    ...known({ parent: parentOf(context) }),
  });
};

/** Versions that say how an agent runs also name its parent, unless that is the main agent. Before, only the call says it. */
function parentOf({ record, session }: LineContext): ReturnType<typeof agentIdOf> | undefined {
  const named = asText(record.data['parentId']);
  if (named !== undefined) return agentIdOf(named);
  return asText(record.data['executionMode']) === undefined ? undefined : mainAgentOf(session);
}

export const parseAgentConfigured: LineParser = (context) => {
  const { data } = context.record;
  tellNews(context, { model: asText(data['model']), effort: asText(data['reasoningEffort']) });
};

export const parseAgentCompleted: LineParser = (context) => {
  const { agent, isMain, state, record } = context;
  if (isMain) return;
  state.isOver = true;
  const outcome = record.data['cancelled'] === true ? 'stopped' : 'completed';
  context.emit({ kind: 'run-ended', agent, signal: 'transcript', outcome, ...atOf(context) });
};

export const parseAgentFailed: LineParser = (context) => {
  const { agent, isMain, state, record } = context;
  if (isMain) return;
  state.isOver = true;
  const reason = asText(record.data['error']);
  context.emit({
    kind: 'run-ended',
    agent,
    signal: 'transcript',
    outcome: 'failed',
    ...atOf(context),
    ...known({ reason }),
  });
};
