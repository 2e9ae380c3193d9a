// How a call went, by what the host notes beside its result.

import type { CallOutcome } from '../../core/index.ts';
import { asObject, asText, type JsonObject } from '../../lib/json.ts';
import { type PartResponse, readResult } from '../shared/index.ts';

/** A hook, a rule or the person said no, or the turn was cut off: told in words. */
const REFUSED =
  /^(?:Tool call cancelled|\[Operation Cancelled\]|.{0,200}\b(?:denied|blocked) by (?:hook|permission|user))/i;

export interface ToolOutcome {
  readonly outcome: CallOutcome;
  /** Nothing was asked, and nothing ran. */
  readonly unrun?: true;
}

/** `details`: `toolCallResult`; in the files of sub-agents it says little. */
export function outcomeOf({ text, isError }: PartResponse, details: JsonObject | undefined): ToolOutcome {
  const status = asText(details?.['status']);
  const errorType = asText(details?.['errorType']);
  if (status === 'cancelled' || errorType === 'execution_denied' || (isError && REFUSED.test(text)))
    return { outcome: 'refused' };
  const isUnrun = errorType === 'invalid_tool_params' || errorType === 'tool_not_registered';
  if (isError || status === 'error') return isUnrun ? { outcome: 'error', unrun: true } : { outcome: 'error' };
  // A command that failed is told as one that was run.
  return { outcome: readResult(text).exitCode === undefined ? 'ok' : 'error' };
}

export function displayOf(details: JsonObject | undefined): JsonObject | undefined {
  return asObject(details?.['resultDisplay']);
}
