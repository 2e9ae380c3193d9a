// One call in a message of the model. It is written down when it is over, with its result.

import type { CallOutcome } from '../../core/index.ts';
import { asInstant, asObject, asText, isObject, type JsonObject, known } from '../../lib/json.ts';
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
