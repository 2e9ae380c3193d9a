// `subagent.*`: who was made by which call, and how it ended.

import { mainAgentOf } from '../../../core/index.ts';
import { asText, known } from '../../../lib/json.ts';
import { agentIdOf, atOf, callIdOf, type LineContext, type LineParser } from '../line-context.ts';
import { tellNews } from './news.ts';

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
