// Calls about agents: who asks for one, what came of it, who is talked to and who is stopped.

import { toToolCallId } from '../../core/index.ts';
import { asFlag, asObject, asText, type JsonObject, known } from '../../lib/json.ts';
import type { Errand } from '../index.ts';
import type { PartCall, PartResponse } from '../shared/index.ts';
import { agentIdOf, atOf, type LineContext, promptFact } from './line-context.ts';
import { outcomeOfStatus } from './notification.ts';

/** `task` up to about 0.10. */
const SPAWNING = new Set(['agent', 'task']);
const ABOUT_AGENTS = new Set([...SPAWNING, 'send_message', 'task_stop']);

export function isAboutAgents(tool: string): boolean {
  return ABOUT_AGENTS.has(tool);
}

export function isSpawning(tool: string): boolean {
  return SPAWNING.has(tool);
}

export function requestAgent({ tool, input }: PartCall, id: string, { agent, emit }: LineContext): void {
  if (!SPAWNING.has(tool)) return;
  const prompt = asText(input['prompt']);
  emit({
    kind: 'spawn-requested',
    agent,
    call: toToolCallId(id),
    ...known({
      type: asText(input['subagent_type']),
      description: asText(input['description']),
      prompt: prompt === undefined ? undefined : promptFact(prompt),
      background: asFlag(input['run_in_background']),
    }),
  });
}

export const LAUNCHED = /^Background agent launched/;

export interface AgentResult {
  readonly isLaunch: boolean;
  /** The call itself went well even where its agent did not. */
  readonly hasFailed: boolean;
  readonly isStopped: boolean;
  readonly reason?: string;
}

/** What the result of a call about agents says. `display`: what the host keeps of it for the screen; only of the main agent's. */
export function readAgentResult(
  call: PartCall,
  { text, isError }: PartResponse,
  display: JsonObject | undefined,
  context: LineContext,
): AgentResult {
  const outcome = outcomeOfStatus(asText(display?.['status']));
  const isLaunch = SPAWNING.has(call.tool) && (display?.['status'] === 'background' || LAUNCHED.test(text));
  const result: AgentResult = {
    isLaunch,
    hasFailed: SPAWNING.has(call.tool) && outcome === 'failed',
    isStopped: SPAWNING.has(call.tool) && outcome === 'stopped',
    ...known({ reason: outcome === 'completed' ? undefined : asText(display?.['terminateReason']) }),
  };
  if (!isError) linkAgent(call, text, display, result, context);
  return result;
}

function linkAgent(
  { tool, id = '', input }: PartCall,
  text: string,
  display: JsonObject | undefined,
  { isStopped }: AgentResult,
  context: LineContext,
): void {
  const { agent, emit } = context;
  const call = toToolCallId(id);
  const other = asText(input['task_id']);
  if (tool === 'send_message' && other !== undefined)
    emit({ kind: 'run-resumed', agent: agentIdOf(other), id, call, ...atOf(context) });
  if (tool === 'task_stop' && other !== undefined)
    emit({ kind: 'run-ended', agent: agentIdOf(other), signal: 'stop-call', outcome: 'stopped', ...atOf(context) });
  if (!SPAWNING.has(tool)) return;
  const named = agentNamedIn(text) ?? agentByDisplay(display, id);
  if (named === undefined) return;
  const child = agentIdOf(named);
  emit({ kind: 'agent-linked', agent: child, evidence: 'result', call, parent: agent });
  if (isStopped)
    emit({ kind: 'run-ended', agent: child, signal: 'result', outcome: 'stopped', call, ...atOf(context) });
}

/** `task_id:` (0.2x), `agentId:` before. */
function agentNamedIn(text: string): string | undefined {
  return LAUNCHED.test(text) ? /^(?:task_id|agentId): (\S+)/m.exec(text)?.[1] : undefined;
}

/** The call went well for 0.21, and there is no such agent. */
const NO_SUCH_AGENT = /^Subagent "[^"]*" not found/;

/** Up to about 0.20 an agent that its caller waited for leaves no file. Its id is what all versions make of type and call. */
function agentByDisplay(display: JsonObject | undefined, call: string): string | undefined {
  const type = asText(display?.['subagentName']);
  if (display?.['type'] !== 'task_execution' || type === undefined) return undefined;
  return NO_SUCH_AGENT.test(asText(display['terminateReason']) ?? '') ? undefined : `${type}-${call}`;
}

export function errandIn(input: unknown, result: string | undefined): Errand {
  const answer = result === undefined || LAUNCHED.test(result) ? undefined : result;
  return known({ prompt: asText(asObject(input)?.['prompt']), answer });
}
