// `assistant`: one content block of a reply. The blocks of one reply are lines of their own with the same message id.

import { type ReplyEnd, type ToolCallId, type Usage, WARM_UP } from '../../core/index.ts';
import { asAmount, asFlag, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import { emitTimed, firstLine, promptFact } from '../shared/index.ts';
import { agentIdOf, callIdOf, isInline, isMain, type LineContext, type LineParser } from './line-context.ts';
import { blocksOf, type RawRecord, replyIdOf, textOf } from './record.ts';
import { concernsAgents, fileWrittenBy, isShell, isSpawning, summarise } from './tools.ts';

/** Model name of lines that the program wrote itself: API errors, "No response requested." */
const SYNTHETIC = '<synthetic>';

export const parseAssistant: LineParser = (record, context) => {
  if (context.file.inherited !== undefined) return;
  const message = asObject(record['message']);
  const id = replyIdOf(record);
  if (!message || id === undefined) return;
  if (record['isApiErrorMessage'] === true) return parseFailure(message, id, context);
  notePromptless(context);
  const blocks = blocksOf(message);
  const end = endOf(message['stop_reason']) ?? (blocks.length > 0 && blocks.every(isThought) ? 'open' : undefined);
  emitTimed(context, {
    kind: 'entry-added',
    entry: 'reply',
    id,
    ...(end && { end }),
    ...(context.copied && { copied: true }),
  });
  if (end === 'turn' && !isMain(context) && !context.copied) {
    const reason = 'its turn ended';
    emitTimed(context, { kind: 'run-ended', signal: 'transcript', outcome: 'completed', reason });
  }
  const model = asText(message['model']);
  if (model !== undefined && model !== SYNTHETIC) countUsage(message, id, model, context);
  for (const block of blocks) if (block['type'] === 'tool_use') parseCall(block, context);
};

/**
 * A file that begins with a reply: up to 2.0.60 the prompt stood in the parent's file only, and warm-ups, which nobody
 * asked for, look the same. A call that names the agent tells them apart.
 */
function notePromptless(context: LineContext): void {
  const { agent, file } = context;
  if (isMain(context) || context.copied || isInline(agent) || file.isInternal || file.prompted.has(agent)) return;
  file.prompted.add(agent);
  context.emit({ kind: 'agent-seen', agent, internal: WARM_UP });
}

/** The provider refused or failed; the program writes a reply of its own in the agent's name. */
function parseFailure(message: RawRecord, id: string, context: LineContext): void {
  emitTimed(context, { kind: 'entry-added', entry: 'failure', id, ...(context.copied && { copied: true }) });
  if (isMain(context)) return;
  const reason = firstLine(textOf(message['content']));
  emitTimed(context, { kind: 'run-ended', signal: 'transcript', outcome: 'failed', ...known({ reason }) });
}

function countUsage(message: RawRecord, id: string, model: string, context: LineContext): void {
  const usage = asObject(message['usage']);
  if (!usage) return;
  // Up to 2.1.5x, and for some replies of 2.1.197, every line holds the placeholder of the reply's start.
  const final = message['stop_reason'] !== null && message['stop_reason'] !== undefined;
  const counted = { message: id, usage: toUsage(usage), model, final, ...(context.copied && { copied: true }) };
  emitTimed(context, { kind: 'usage-counted', ...counted });
}

export function toUsage(raw: JsonObject): Usage {
  const life = asObject(raw['cache_creation']);
  const cacheWrite5m = asAmount(life?.['ephemeral_5m_input_tokens']) ?? 0;
  const cacheWrite1h = asAmount(life?.['ephemeral_1h_input_tokens']) ?? 0;
  return {
    input: asAmount(raw['input_tokens']) ?? 0,
    output: asAmount(raw['output_tokens']) ?? 0,
    cacheRead: asAmount(raw['cache_read_input_tokens']) ?? 0,
    // Before 2.1.152 the total could be 0 while the parts were set.
    cacheWrite: Math.max(asAmount(raw['cache_creation_input_tokens']) ?? 0, cacheWrite5m + cacheWrite1h),
    cacheWrite5m,
    cacheWrite1h,
  };
}

function parseCall(block: RawRecord, context: LineContext): void {
  const call = callIdOf(block['id']);
  const tool = asText(block['name']);
  if (call === undefined || tool === undefined) return;
  const input = asObject(block['input']);
  const summary = summarise(tool, input);
  const { file } = context;
  emitTimed(context, { kind: 'tool-started', call, tool, ...known({ summary, writes: fileWrittenBy(tool, input) }) });
  if (concernsAgents(tool)) file.toolOf.set(call, tool);
  if (isShell(tool)) file.commands.ask(call, input?.['command']);
  if (isSpawning(tool) && input) parseSpawn(call, input, context);
}

function parseSpawn(call: ToolCallId, input: JsonObject, context: LineContext): void {
  const prompt = asText(input['prompt']);
  context.emit({
    kind: 'spawn-requested',
    agent: context.agent,
    call,
    ...known({
      type: asText(input['subagent_type']),
      name: asText(input['name']),
      description: asText(input['description']),
      prompt: prompt === undefined ? undefined : promptFact(prompt),
      // Left out, it means foreground up to 2.1.197 and background in 2.1.325: the result tells.
      background: asFlag(input['run_in_background']),
    }),
  });
  const resumed = asText(input['resume']);
  if (resumed !== undefined) emitTimed(context, { kind: 'run-resumed', agent: agentIdOf(resumed), id: call, call });
}

/** Nobody ends a reply with a thought: versions that write placeholders for the reason still tell that much. */
function isThought({ type }: RawRecord): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function endOf(stopReason: unknown): ReplyEnd | undefined {
  switch (stopReason) {
    case undefined:
    case null:
      return undefined;
    case 'tool_use':
      return 'tools';
    case 'end_turn':
    case 'stop_sequence':
      return 'turn';
    default:
      return 'cut';
  }
}
