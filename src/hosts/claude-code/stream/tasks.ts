// `system/task_*`: the lives of agents as the program announces them (2.1.50 late and for few, 2.1.100 and later for all).

import type { AgentId, RunOutcome, ToolCallId } from '../../../core/index.ts';
import { asAmount, asFlag, asObject, asText, known } from '../../../lib/json.ts';
import { versionNumber } from '../../../lib/version-number.ts';
import { agentIdOf, callIdOf, type LineContext, promptFact } from '../line-context.ts';
import type { RawRecord } from '../record.ts';
import { isMessaging, isSpawning } from '../tools.ts';
import type { StreamState } from './state.ts';

const OUTCOMES: ReadonlyMap<unknown, RunOutcome> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  // The update says killed, the notification of the same end says stopped.
  ['killed', 'stopped'],
  ['stopped', 'stopped'],
]);

/** Commands, workflows and agents elsewhere are tasks, too. */
const AGENT_TASK = 'local_agent';

export function readTask(record: RawRecord, state: StreamState, context: LineContext): void {
  const task = asText(record['task_id']);
  if (task === undefined) return;
  const agent = agentIdOf(task);
  if (record['subtype'] === 'task_started') startTask(record, agent, state, context);
  else if (state.callOf.has(agent)) noteEnd(record, agent, state, context);
}

function startTask(record: RawRecord, agent: AgentId, state: StreamState, context: LineContext): void {
  if ((record['task_type'] ?? AGENT_TASK) !== AGENT_TASK) return;
  const call = callIdOf(record['tool_use_id']);
  if (call === undefined) return;
  const tool = context.file.toolOf.get(call);
  const made = state.callOf.get(agent);
  // Woken by a message: the same agent, another call.
  if ((made !== undefined && made !== call && !isSpawnTool(tool)) || (tool !== undefined && isMessaging(tool))) {
    state.callOf.set(agent, call);
    context.emit({ kind: 'run-resumed', agent, id: call, call });
    return;
  }
  const above = asText(record['parent_task_id']);
  const parent = above === undefined ? undefined : agentIdOf(above);
  state.name(call, agent);
  const text = asText(record['prompt']);
  const facts = {
    type: asText(record['subagent_type']),
    description: asText(record['description']),
    background: asFlag(record['is_backgrounded']),
  };
  // The call of an agent's agent is not always printed: what was asked stands here.
  if (tool === undefined && parent !== undefined) requestUnseen(call, parent, text, facts, context);
  context.emit({ kind: 'agent-linked', agent, evidence: 'stream', call, ...known({ parent }) });
  context.emit({ kind: 'agent-seen', agent, ...known({ ...facts, depth: asAmount(record['spawn_depth']) }) });
  context.file.prompted.add(agent);
  if (text !== undefined) context.emit({ kind: 'agent-prompted', agent, prompt: promptFact(text) });
}

function isSpawnTool(tool: string | undefined): boolean {
  return tool !== undefined && isSpawning(tool);
}

interface Asked {
  readonly type: string | undefined;
  readonly description: string | undefined;
  readonly background: boolean | undefined;
}

function requestUnseen(
  call: ToolCallId,
  agent: AgentId,
  text: string | undefined,
  asked: Asked,
  context: LineContext,
): void {
  const prompt = text === undefined ? undefined : promptFact(text);
  context.emit({ kind: 'spawn-requested', agent, call, ...known({ ...asked, prompt }) });
}

/** Before, an agent that died of an error of the provider is told to have completed: the result of its call says more. */
const TELLS_FAILURES_SINCE = versionNumber('2.1.325');

function isUnsure(outcome: RunOutcome, call: ToolCallId | undefined, { file }: LineContext): boolean {
  if (outcome !== 'completed' || call === undefined || versionNumber(file.version) >= TELLS_FAILURES_SINCE)
    return false;
  return isSpawnTool(file.toolOf.get(call));
}

/** `task_updated` has the failure's own words, `task_notification` the call; both may come, and they say the same. */
function noteEnd(record: RawRecord, agent: AgentId, state: StreamState, context: LineContext): void {
  const patch = record['subtype'] === 'task_updated' ? asObject(record['patch']) : record;
  const outcome = OUTCOMES.get(patch?.['status']);
  if (!patch || outcome === undefined) return;
  const reason = outcome === 'failed' ? (asText(patch['error']) ?? asText(patch['summary'])) : undefined;
  const call = callIdOf(record['tool_use_id']) ?? state.callOf.get(agent);
  if (isUnsure(outcome, call, context) && !context.file.launched.has(agent)) return;
  context.emit({
    kind: 'run-ended',
    agent,
    signal: 'notification',
    outcome,
    ...known({ call, reason }),
  });
}
