import { signal } from '@preact/signals';
import {
  type AuditDecision,
  type AuditFilter,
  answeredByText,
  callerText,
  cleanLine,
  DECISION_TEXTS,
  doubtsText,
  entryCallerText,
  type HeardCall,
  heldText,
  type SessionDetail,
} from '../../../src/core/index.ts';
import { known } from '../../../src/lib/json.ts';
import { exactTime } from '../parts/marks.tsx';
import type { AgentRef } from '../store.ts';

/** Shape and word, then colour. */
export const DECISION_MARKS: Readonly<Record<AuditDecision, string>> = {
  observed: '·',
  none: '○',
  allow: '✓',
  ask: '◐',
  deny: '✗',
  inject: '⇄',
};

/** Everything about a call, for those who point at it. */
export function callTitle(call: HeardCall): string {
  const { at, decision, rule, reason, answeredBy, doubts } = call;
  const held = heldText(call);
  return [
    `${exactTime(at)}  ${entryCallerText(call)}`,
    cleanLine(`${call.tool ?? '–'} ${call.summary ?? ''}`),
    `${decision}: ${DECISION_TEXTS[decision]}${held === '' ? '' : `, in ${held} ms`}`,
    ...(answeredBy === undefined ? [] : [`A person was asked: ${answeredByText(answeredBy)}`]),
    ...(doubts === undefined ? [] : [doubtsText(doubts)]),
    ...[rule, reason].flatMap((text) => (text === null ? [] : [cleanLine(text)])),
  ].join('\n');
}

/** How the guard's sentences go on behind what they are about (guard/decide.ts). */
const SAID = /(?: is allowed| is denied| must be asked about| is left to the host)(?: by rule | by |: )/g;

/**
 * The rule that won, and the reason; without the call, which stands beside it. Empty where nobody was asked. What follows the last
 * of these words is told: a command may have them in it, and must not speak for the guard.
 */
export function whyText({ decision, rule, reason }: Pick<HeardCall, 'decision' | 'rule' | 'reason'>): string {
  if (decision === 'observed') return '';
  const last = reason === null ? undefined : [...reason.matchAll(SAID)].at(-1);
  const why = reason?.slice(last ? last.index + last[0].length : 0);
  return cleanLine([rule, why].filter((text) => text).join(' '));
}

/** Of a path: those above, and the one itself. */
export function pathParts({ agent, startedBy }: HeardCall): { readonly above: string; readonly own: string } {
  if (agent.who === 'unknown') return { above: '', own: callerText(agent) };
  const names = [...(startedBy?.path ?? []), ...agent.path].map(cleanLine);
  const guess = agent.evidence === 'guess' ? ' ?' : '';
  const above = names.slice(0, -1).join(' › ');
  return { above: above === '' ? '' : `${above} › `, own: `${names.at(-1) ?? 'sub-agent'}${guess}` };
}

/** The call that the sheet in front of the page is about. Kept while it closes. */
export const explained = signal<HeardCall | undefined>(undefined);
export const isExplaining = signal(false);

/** Why was it decided so? From any line that shows a decision. */
export function explainCall(call: HeardCall): void {
  explained.value = call;
  isExplaining.value = true;
}

// What the person wants to see of the audit. Kept while they look at other views.

export interface Wish {
  readonly isEverywhere: boolean;
  /** Counts in its own session only. */
  readonly agent: AgentRef | undefined;
  readonly tool: string | undefined;
  readonly decision: AuditDecision | undefined;
}

export const ALL: Wish = { isEverywhere: false, agent: undefined, tool: undefined, decision: undefined };

export const wish = signal<Wish>(ALL);

export function wishFor(part: Partial<Wish>): void {
  wish.value = { ...wish.value, ...part };
}

export function isNarrowed({ agent, tool, decision }: Wish): boolean {
  return agent !== undefined || tool !== undefined || decision !== undefined;
}

/** Its first line may be written a little later than its first hook is called. */
const EARLIER_MS = 60_000;

/** The calls of one session. What is older than it is not looked through: an audit may be of months. */
export function sessionFilter({ id, startedAt }: Pick<SessionDetail, 'id' | 'startedAt'>): AuditFilter {
  return { session: id, ...known({ since: startedAt === null ? undefined : Date.parse(startedAt) - EARLIER_MS }) };
}
