import { type AuditAgent, type AuditDecision, nativeId, readAnsweredBy } from '../core/index.ts';
import type { HookCall, HookEvent } from '../hosts/index.ts';
import { asAmount, asText, type JsonObject, known } from '../lib/json.ts';
import type { EntryFields } from './chain.ts';
import { toSummaryLine } from './summary-line.ts';

export interface EntryParts {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly agent: AuditAgent;
  /** What stood beside the payload: a decision, where one was made. */
  readonly extra: JsonObject;
  readonly mask: Mask;
}

/** The value without secrets, and without strings that are longer than so many characters (2,000 where left out). */
export type Mask = (value: unknown, longest?: number) => unknown;

/** A model invents tools and names its agents: a name may be as long as a text. */
const LONGEST_NAME = 200;

/**
 * In the order in which the fields stand in the file. Everything that a model's or a person's text may have got into is
 * masked; what the host numbers (session, call) is not: by it a line is found again.
 */
export function toEntry({ id, at, event, call, agent, extra, mask }: EntryParts): EntryFields {
  const text = (value: unknown): string | null => asText(mask(asText(value))) ?? null;
  const name = (value: string): string => asText(mask(value, LONGEST_NAME)) ?? '';
  return {
    v: 1,
    id,
    at: new Date(at).toISOString(),
    host: event.host,
    event: name(event.name),
    session: nativeId(event.session) || null,
    agent: maskAgent(agent, text, name),
    tool: name(call.tool),
    call: call.id ?? null,
    summary: toSummaryLine(call.subject ?? '', mask),
    input: mask(call.input) ?? null,
    cwd: text(event.cwd),
    decision: toDecision(extra['decision']),
    rule: text(extra['rule']),
    reason: text(extra['reason']),
    ms: asAmount(extra['ms']) ?? null,
    ...known({
      answeredBy: readAnsweredBy(extra['answeredBy']),
      via: extra['via'] === 'intercept' ? ('intercept' as const) : undefined,
    }),
  };
}

function maskAgent(
  agent: AuditAgent,
  text: (value: unknown) => string | null,
  name: (value: string) => string,
): AuditAgent {
  const nameOrNull = (value: string | null): string | null => (value === null ? null : name(value));
  return {
    ...agent,
    id: nameOrNull(agent.id),
    type: nameOrNull(agent.type),
    name: nameOrNull(agent.name),
    path: agent.path.map(name),
    reason: text(agent.reason),
  };
}

export const DECISIONS: readonly AuditDecision[] = ['observed', 'none', 'allow', 'ask', 'deny'];

function toDecision(value: unknown): AuditDecision {
  return DECISIONS.find((decision) => decision === value) ?? 'observed';
}
