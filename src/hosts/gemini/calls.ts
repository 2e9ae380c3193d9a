// One call in a message of the model. It is written down when it is over, with its result.

import type { CallOutcome, RunOutcome } from '../../core/index.ts';
import { asInstant, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
import type { Errand } from '../index.ts';
import { partsOf, readResult, responsesIn } from '../shared/index.ts';

export interface ChatCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** What the model was told. */
  readonly result: string;
  /** `success`, `error`, `cancelled`; anything else has not come to its end. */
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

/** A hook said no: the host tells the model so. */
const BLOCKED = /^Tool execution blocked: /;
/** There is no such tool, or the model got its input wrong: nothing was asked, and nothing ran. */
const UNRUN = /^(?:Tool "[^"]+" not found|params must have|Invalid parameters)/;

export function outcomeOf({
  status,
  result,
}: ChatCall): { readonly outcome: CallOutcome; readonly unrun?: true } | undefined {
  if (status === 'cancelled' || (status === 'error' && BLOCKED.test(result))) return { outcome: 'refused' };
  if (status === 'error') return UNRUN.test(result) ? { outcome: 'error', unrun: true } : { outcome: 'error' };
  if (status !== 'success') return undefined;
  // A command that failed is told as one that was run.
  return { outcome: readResult(result).exitCode === undefined ? 'ok' : 'error' };
}

/** 0.40 and later. Up to 0.35 each agent was a tool of its own name, and only the result says that it was one. */
export const INVOKE = 'invoke_agent';
const REPORT = /^Subagent '([^'\n]+)' (finished|failed)\b/;
const REASON = /^Termination Reason: (\S+)$/m;

export interface AgentCall {
  readonly type?: string;
  readonly prompt?: string;
  /** Its chat's own id (0.4x and later). An agent that left no chat is named by its call. */
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

/** The call itself went well even where its agent did not. */
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

/** What the agent itself said stands behind a head of three lines, mostly as JSON with one field. */
export function answerIn(result: string): string | undefined {
  const report = /^Subagent '[^'\n]+' finished\.\nTermination Reason: .*\nResult:\n([\s\S]*)$/.exec(result)?.[1];
  if (report === undefined) return undefined;
  try {
    return asText(asObject(JSON.parse(report))?.['response']) ?? report;
  } catch {
    return report;
  }
}

export function errandIn(input: unknown, result: string | undefined): Errand {
  const prompt = promptIn(asObject(input) ?? {});
  return known({ prompt, answer: result === undefined ? undefined : (answerIn(result) ?? result) });
}
