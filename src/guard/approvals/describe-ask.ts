// What a person sees of a call that waits for an answer.

import { toEntry } from '../../audit/index.ts';
import type { AuditAgent } from '../../core/index.ts';
import type { CallerChain, HookCall, HookEvent } from '../../hosts/index.ts';
import { maskValue } from '../../redact/index.ts';
import type { Question } from './create-desk.ts';

export interface AskedCall {
  readonly event: HookEvent;
  readonly call: HookCall;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly rule: string | null;
  /** Why one asks, in words for people. */
  readonly why: string;
}

/** Who says yes should see all of it. */
const LONGEST_SHOWN = 20_000;

/** Masked as in the audit: what is asked is shown to whoever may look. */
export function describeAsk({ event, call, at, rule, why }: AskedCall, agent: AuditAgent): Question {
  const entry = toEntry({ id: '', at, event, call, agent, extra: { rule, reason: why }, mask: maskValue });
  const { host, session, tool, summary, cwd } = entry;
  const input = maskValue(call.input, LONGEST_SHOWN) ?? null;
  return {
    ...{ host, session, agent: entry.agent, tool, call: entry.call, summary, input, cwd },
    ...{ rule: entry.rule, reason: entry.reason ?? '' },
  };
}

/** As far as the hook itself tells; the names that people know come a moment later. */
export function askingAgent({ agent, ancestors, reason }: CallerChain): AuditAgent {
  const labelOf = ({ kind, name, type }: NonNullable<CallerChain['agent']>): string =>
    kind === 'main' ? 'main' : (name ?? type ?? kind);
  return {
    who: agent === null ? 'unknown' : agent.kind === 'main' ? 'main' : 'subagent',
    id: agent?.id ?? null,
    type: agent?.type ?? null,
    name: agent?.name ?? null,
    kind: agent?.kind ?? null,
    depth: agent?.depth ?? null,
    path: agent === null ? [] : [...ancestors, agent].map(labelOf),
    evidence: agent === null ? 'none' : 'exact',
    reason: reason ?? null,
  };
}
