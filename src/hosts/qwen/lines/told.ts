// `user` and `tool_result`: what an agent was told.

import { toToolCallId } from '../../../core/index.ts';
import { asObject, asText } from '../../../lib/json.ts';
import { firstLine, type PartResponse, readResult, responsesIn, spokenIn } from '../../shared/index.ts';
import { readAgentResult } from '../agent-calls.ts';
import { agentIdOf, atOf, idOf, type LineContext, type LineParser, promptFact } from '../line-context.ts';
import { parseNotification } from '../notification.ts';
import { partsIn } from '../record.ts';
import { displayOf, outcomeOf } from '../results.ts';

export const parseTold: LineParser = (context) => {
  const { agent, isMain, record, state, emit } = context;
  delete state.reply;
  const text = spokenIn(partsIn(record));
  const told = { agent, id: idOf(context), ...atOf(context) };
  // The host's own words are marked: anybody can type them.
  if (record['subtype'] === 'notification') {
    emit({ kind: 'entry-added', entry: 'prompt', ...told });
    noteEnd(text, context);
    return;
  }
  emit({ kind: 'entry-added', entry: 'prompt', ...told });
  if (text.trim() === '') return;
  emit({ kind: 'agent-prompted', agent, prompt: promptFact(text), ...atOf(context) });
  const title = firstLine(text);
  if (isMain && title !== undefined) emit({ kind: 'session-titled', title, titleKind: 'prompt', ...atOf(context) });
};

function noteEnd(text: string, context: LineContext): void {
  const notice = parseNotification(text);
  if (!notice) return;
  const { agent, outcome, summary } = notice;
  // It names the call that made the agent, also where another one woke it: by its time it is that of the right run.
  context.emit({
    kind: 'run-ended',
    agent: agentIdOf(agent),
    signal: 'notification',
    outcome,
    ...atOf(context),
    ...(outcome !== 'completed' && summary !== undefined && { reason: summary }),
  });
}

export const parseResult: LineParser = (context) => {
  const { agent, record, state, emit } = context;
  delete state.reply;
  emit({ kind: 'entry-added', agent, entry: 'result', id: idOf(context), ...atOf(context) });
  for (const response of responsesIn(partsIn(record))) parseResponse(response, context);
};

function parseResponse(response: PartResponse, context: LineContext): void {
  const { agent, record, state, emit } = context;
  const details = asObject(record['toolCallResult']);
  const id = response.id ?? asText(details?.['callId']);
  if (id === undefined) return;
  const asked = state.asked.get(id);
  const about = asked && readAgentResult(asked, response, displayOf(details), context);
  const ended = outcomeOf(response, details);
  const outcome = about?.hasFailed ? 'error' : about?.isStopped ? 'refused' : ended.outcome;
  const reason = about?.reason ?? firstLine(response.text);
  emit({
    kind: 'tool-ended',
    agent,
    call: toToolCallId(id),
    ...ended,
    outcome,
    ...atOf(context),
    ...(about?.isLaunch && { launched: true }),
    ...(outcome !== 'ok' && reason !== undefined && { reason }),
  });
  for (const printed of state.commands.printed(toToolCallId(id), readResult(response.text).text))
    emit({ kind: 'session-printed', agent, call: toToolCallId(id), printed });
}
