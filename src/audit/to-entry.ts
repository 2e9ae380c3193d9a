import { asAmount, asText, type JsonObject } from '../base/json.ts';
import type { AuditAgent, AuditDecision } from '../model/audit.ts';
import type { HookCall, HookEvent } from '../model/hook.ts';
import { nativeId } from '../model/ids.ts';
import type { EntryFields } from './chain.ts';

export interface EntryParts {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly agent: AuditAgent;
  /** What stood beside the payload: a decision, where one was made. */
  readonly extra: JsonObject;
  readonly mask: (value: unknown) => unknown;
}

/** In the order in which the fields stand in the file. Everything that a host's text may have got into is masked. */
export function toEntry({ id, at, event, call, agent, extra, mask }: EntryParts): EntryFields {
  return {
    v: 1,
    id,
    at: new Date(at).toISOString(),
    host: event.host,
    event: event.name,
    session: nativeId(event.session) || null,
    agent,
    tool: call.tool,
    call: call.id ?? null,
    summary: asText(mask(call.summary)) ?? null,
    input: mask(call.input) ?? null,
    cwd: event.cwd ?? null,
    decision: toDecision(extra['decision']),
    rule: asText(extra['rule']) ?? null,
    reason: asText(extra['reason']) ?? null,
    ms: asAmount(extra['ms']) ?? null,
  };
}

export const DECISIONS: readonly AuditDecision[] = ['observed', 'none', 'allow', 'ask', 'deny'];

function toDecision(value: unknown): AuditDecision {
  return DECISIONS.find((decision) => decision === value) ?? 'observed';
}
