// What one message of a chat says about its agent.

import { NO_USAGE, toToolCallId, type Usage } from '../../core/index.ts';
import { asAmount, asInstant, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import {
  callsIn,
  fileWrittenBy,
  firstLine,
  isShell,
  partsOf,
  readResult,
  responsesIn,
  sessionsPrinted,
  spokenIn,
  summarise,
  toUsage,
} from '../shared/index.ts';
import { type AgentCall, agentCallIn } from './agent-calls.ts';
import { type ChatCall, callsOf, outcomeOf } from './chat-call.ts';
import { folderIn, isHostText } from './host-text.ts';
import { agentIdOf, atOf, type MessageContext, promptFact } from './line-context.ts';

export function readMessage(message: JsonObject, id: string, context: MessageContext): void {
  const at = asInstant(message['timestamp']);
  const told = { agent: context.agent, id, ...atOf(at) };
  switch (message['type']) {
    case 'user':
      readTold(message, told, context);
      return;
    case 'gemini':
      readReply(message, told, context);
      return;
    case 'error':
      context.emit({ kind: 'entry-added', entry: 'failure', ...told });
      return;
    default: {
      const isStop = /^Request cancelled\.?$/.test(spokenIn(partsOf(message['content'])));
      context.emit({ kind: 'entry-added', entry: isStop ? 'interruption' : 'note', ...told });
    }
  }
}

interface Told {
  readonly agent: MessageContext['agent'];
  readonly id: string;
  readonly at?: number;
}

function readTold(message: JsonObject, told: Told, context: MessageContext): void {
  const parts = partsOf(message['content']);
  const text = spokenIn(parts);
  const { agent, isMain, emit } = context;
  if (text === '' && responsesIn(parts).length > 0) {
    emit({ kind: 'entry-added', entry: 'result', ...told });
    return;
  }
  if (isHostText(text)) {
    emit({ kind: 'entry-added', entry: 'note', ...told });
    const cwd = folderIn(text);
    if (cwd === undefined) return;
    emit({ kind: 'agent-seen', agent, cwd, ...atOf(told.at) });
    if (isMain) emit({ kind: 'session-seen', cwd, ...atOf(told.at) });
    return;
  }
  emit({ kind: 'entry-added', entry: 'prompt', ...told });
  if (text.trim() === '') return;
  emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(told.at) });
  const title = firstLine(text);
  if (isMain && title !== undefined) emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(told.at) });
}

function readReply(message: JsonObject, told: Told, context: MessageContext): void {
  const calls = callsOf(message);
  const { agent, emit } = context;
  // Calls are written down when they are over. A reply without words is in the middle of one; a reply with words and
  // without calls may be: nothing tells.
  const parts = partsOf(message['content']);
  const isCalling = calls.length > 0 || callsIn(parts).length > 0 || spokenIn(parts).trim() === '';
  emit({ kind: 'entry-added', entry: 'reply', ...told, ...(isCalling && { end: 'tools' }) });
  const usage = usageIn(message);
  emit({
    kind: 'usage-counted',
    agent,
    message: told.id,
    usage: usage ?? NO_USAGE,
    final: usage !== undefined,
    ...atOf(told.at),
    ...known({ model: asText(message['model']) }),
  });
  for (const call of calls) readCall(call, told, context);
}

function usageIn(message: JsonObject): Usage | undefined {
  const tokens = asObject(message['tokens']);
  const count = (field: string): number => asAmount(tokens?.[field]) ?? 0;
  return (
    tokens &&
    toUsage({
      prompt: count('input'),
      answer: count('output'),
      thoughts: count('thoughts'),
      cached: count('cached'),
      tool: count('tool'),
    })
  );
}

/** How an agent says that it is done. */
const COMPLETE = 'complete_task';

function readCall(made: ChatCall, { agent, at }: Told, context: MessageContext): void {
  const { emit, isMain } = context;
  const call = toToolCallId(made.id);
  const facts = known({ summary: summarise(made.tool, made.input), writes: fileWrittenBy(made.tool, made.input) });
  emit({ kind: 'tool-started', agent, call, tool: made.tool, ...atOf(at), ...facts });
  const asked = agentCallIn(made);
  if (asked) readAgentCall(asked, made, context);
  const ended = outcomeOf(made);
  if (!ended) return;
  const outcome = asked?.outcome === 'failed' ? 'error' : asked?.outcome === 'stopped' ? 'refused' : ended.outcome;
  const reason = asked?.reason ?? firstLine(made.result);
  emit({
    kind: 'tool-ended',
    agent,
    call,
    ...ended,
    outcome,
    ...atOf(made.endedAt ?? at),
    ...(outcome !== 'ok' && known({ reason })),
  });
  const command = isShell(made.tool) ? asText(made.input['command']) : undefined;
  for (const printed of command === undefined ? [] : sessionsPrinted(command, readResult(made.result).text))
    emit({ kind: 'session-printed', agent, call, printed });
  if (made.tool === COMPLETE && !isMain && ended.outcome === 'ok')
    emit({
      kind: 'run-ended',
      agent,
      signal: 'transcript',
      outcome: 'completed',
      ...atOf(made.endedAt ?? at),
      reason: 'it said that it was done',
    });
}

function readAgentCall(asked: AgentCall, made: ChatCall, { agent, emit }: MessageContext): void {
  const call = toToolCallId(made.id);
  const prompt = asked.prompt === undefined ? undefined : promptFact(asked.prompt);
  emit({ kind: 'spawn-requested', agent, call, background: false, ...known({ type: asked.type, prompt }) });
  if (asked.agent === undefined) return;
  const child = agentIdOf(asked.agent);
  emit({ kind: 'agent-linked', agent: child, evidence: 'result', call, parent: agent });
  if (asked.outcome === 'stopped')
    emit({ kind: 'run-ended', agent: child, signal: 'result', outcome: 'stopped', call, ...atOf(made.endedAt) });
}
