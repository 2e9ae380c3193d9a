// `assistant`: what the model said and called. In a sub-agent's file a reply is several lines: its words with the tokens
// first, then a line for each call (0.2x; before, there are no tokens).

import { NO_USAGE, toToolCallId, type Usage } from '../../../core/index.ts';
import { asAmount, asObject, asText, known } from '../../../lib/json.ts';
import { callsIn, fileWrittenBy, isShell, type PartCall, spokenIn, summarise, toUsage } from '../../shared/index.ts';
import { isAboutAgents, requestAgent } from '../agent-calls.ts';
import { atOf, idOf, type LineContext, type LineParser } from '../line-context.ts';
import { partsIn } from '../record.ts';

export const parseReply: LineParser = (context) => {
  const { agent, record, state, emit } = context;
  const usage = usageIn(record['usageMetadata']);
  const isNew = state.reply === undefined || usage !== undefined;
  const id = isNew ? idOf(context) : (state.reply as string);
  state.reply = id;
  const parts = partsIn(record);
  const calls = callsIn(parts);
  // A line without words and calls has only the tokens: the calls come right behind it.
  const isCalling = calls.length > 0 || spokenIn(parts).trim() === '';
  emit({ kind: 'entry-added', agent, entry: 'reply', id, ...atOf(context), ...(isCalling && { end: 'tools' }) });
  if (isNew)
    emit({
      kind: 'usage-counted',
      agent,
      message: id,
      usage: usage ?? NO_USAGE,
      final: usage !== undefined,
      ...atOf(context),
      ...known({ model: asText(record['model']) }),
    });
  for (const [index, call] of calls.entries()) parseCall(call, call.id ?? `${idOf(context)}#${index}`, context);
};

export function usageIn(metadata: unknown): Usage | undefined {
  const counts = asObject(metadata);
  const count = (field: string): number => asAmount(counts?.[field]) ?? 0;
  return (
    counts &&
    toUsage({
      prompt: count('promptTokenCount'),
      answer: count('candidatesTokenCount'),
      thoughts: count('thoughtsTokenCount'),
      cached: count('cachedContentTokenCount'),
      tool: count('toolUsePromptTokenCount'),
    })
  );
}

function parseCall(call: PartCall, id: string, context: LineContext): void {
  const { agent, state, emit } = context;
  const { tool, input } = call;
  emit({
    kind: 'tool-started',
    agent,
    call: toToolCallId(id),
    tool,
    ...atOf(context),
    ...known({ summary: summarise(tool, input), writes: fileWrittenBy(tool, input) }),
  });
  if (isShell(tool)) state.commands.ask(toToolCallId(id), input['command']);
  if (!isAboutAgents(tool)) return;
  state.asked.set(id, { ...call, id });
  requestAgent(call, id, context);
}
