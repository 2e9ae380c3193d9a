// One call in a message of the model, written with its result when it has ended; and the calls that make agents.

import type { RunOutcome } from '../../core/index.ts';
import { asInstant, asObject, asText, isObject, type JsonObject, known, parseObject } from '../../lib/json.ts';
import type { SpawnExchange } from '../index.ts';
import { type CallEnd, partsOf, readResult, responsesIn } from '../shared/index.ts';

export interface ChatCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** The text that the model gets. */
  readonly result: string;
  /** `success`, `error`, `cancelled`; anything else has not ended. */
  readonly status: string;
  readonly endedAt?: number;
  /** What the host shows on the screen. */
  readonly display: unknown;
  readonly agentId?: string;
  /** The result's parts, for what is not text. */
  readonly parts: readonly JsonObject[];
}

export function callsOf(message: JsonObject): readonly ChatCall[] {
  const calls = message['toolCalls'];
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call, index) => {
    const parts = partsOf(call['result']);
    const responses = responsesIn(parts);
    return {
      id: asText(call['id']) ?? `${message['id']}#${index}`,
      tool: asText(call['name']) ?? 'unknown',
      input: asObject(call['args']) ?? {},
      result: responses.map(({ text }) => text).join('\n'),
      status: asText(call['status']) ?? 'unknown',
      display: call['resultDisplay'],
      parts,
      ...known({ endedAt: asInstant(call['timestamp']), agentId: asText(call['agentId']) }),
    };
  });
}

/** Denied by a hook. */
const BLOCKED = /^Tool execution blocked: /;
/** Unknown tool or invalid input: it never started. */
const UNRUN = /^(?:Tool "[^"]+" not found|params must have|Invalid parameters)/;

export function outcomeOf({ status, result }: ChatCall): CallEnd | undefined {
  if (status === 'cancelled' || (status === 'error' && BLOCKED.test(result))) return { outcome: 'refused' };
  if (status === 'error') return UNRUN.test(result) ? { outcome: 'error', unrun: true } : { outcome: 'error' };
  if (status !== 'success') return undefined;
  // A command that failed is reported as a success.
  return { outcome: readResult(result).exitCode === undefined ? 'ok' : 'error' };
}

/** 0.40 and later. Up to 0.35 each agent was a tool with its own name; only the result shows that it was an agent. */
export const INVOKE = 'invoke_agent';
const REPORT = /^Subagent '([^'\n]+)' (finished|failed)\b/;
const REASON = /^Termination Reason: (\S+)$/m;

export interface AgentCall {
  readonly type?: string;
  readonly prompt?: string;
  /** The id of its chat (0.4x and later), or of the call if there is no chat. */
  readonly agent?: string;
  readonly outcome?: RunOutcome;
  readonly reason?: string;
}

export function agentCallIn(call: ChatCall): AgentCall | undefined {
  const report = REPORT.exec(call.result);
  if (call.tool !== INVOKE && !report) return undefined;
  const ran = call.agentId !== undefined || report !== null;
  const type = asText(call.input['agent_name']) ?? report?.[1];
  return known({
    type,
    prompt: promptIn(call.input),
    agent: ran ? (call.agentId ?? call.id) : undefined,
    ...(ran && endOf(call, report)),
  });
}

/** The call itself succeeds even if its agent fails. */
function endOf({ display, result, status }: ChatCall, report: RegExpExecArray | null): Partial<AgentCall> {
  const state = asText(asObject(display)?.['state']);
  const reason = asText(asObject(display)?.['terminateReason']) ?? REASON.exec(result)?.[1];
  if (status === 'cancelled' || state === 'cancelled' || reason === 'ABORTED') return { outcome: 'stopped' };
  if (state === 'error' || status === 'error' || report?.[2] === 'failed')
    return { outcome: 'failed', reason: errorIn(result) };
  if (reason !== undefined && reason !== 'GOAL') return { outcome: 'failed', reason: `it ended by ${reason}` };
  return { outcome: 'completed' };
}

/** `… failed. Error: {"error":{"message":"…"}}`, or words. */
function errorIn(result: string): string {
  const said = /^Subagent '[^'\n]+' failed\.? Error: ([\s\S]*)$/.exec(result)?.[1] ?? result;
  return /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(said)?.[1] ?? said.split('\n')[0] ?? said;
}

export function promptIn(input: JsonObject): string | undefined {
  return asText(input['prompt']) ?? asText(input['request']) ?? asText(input['objective']);
}

/** The agent's answer follows a head of three lines, mostly as JSON with one field. */
export function answerIn(result: string): string | undefined {
  const report = /^Subagent '[^'\n]+' finished\.\nTermination Reason: .*\nResult:\n([\s\S]*)$/.exec(result)?.[1];
  return report && (asText(parseObject(report)?.['response']) ?? report);
}

export function readSpawnExchange(input: unknown, result: string | undefined): SpawnExchange {
  const prompt = promptIn(asObject(input) ?? {});
  return known({ prompt, answer: result === undefined ? undefined : (answerIn(result) ?? result) });
}
