import type { HooksCapability } from '../adapters/adapter.ts';
import type { AskDesk, Question } from '../asks/create-desk.ts';
import { toEntry } from '../audit/to-entry.ts';
import type { HookReply } from '../faces/face.ts';
import { answerAsk } from '../judge/answer-ask.ts';
import type { Judgement } from '../judge/at-the-door.ts';
import type { AskEnd } from '../model/ask.ts';
import type { AuditAgent } from '../model/audit.ts';
import type { CallerChain, HookCall, HookEvent } from '../model/hook.ts';
import { maskValue } from '../transforms/mask-secrets.ts';
import type { NameCaller } from './name-caller.ts';

/** Who is asked, and who knows the names of those who ask. */
export interface Asking {
  readonly desk: AskDesk;
  readonly nameCaller?: NameCaller;
  onError(error: unknown): void;
}

export interface CallToHold {
  readonly host: HooksCapability;
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly caller: CallerChain;
  readonly judgement: Judgement;
  readonly wait: NonNullable<Judgement['wait']>;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Puts the call into its place in the spool, with what was decided. False where somebody else has. */
  settle(decided: object): boolean;
}

/** The hook of this call waits until a person has answered, or the time is over; it may go before. */
export function holdCall(held: CallToHold, { desk, nameCaller, onError }: Asking): HookReply | undefined {
  const { host, event, judgement, wait, at } = held;
  const finish = (decision: AskEnd['decision'], by: AskEnd['by']): { kept: boolean; printed: string } => {
    const settled = answerAsk(host, judgement, decision ?? 'deny', by);
    const { printed, ...decided } = settled;
    try {
      return { kept: held.settle(decision === null ? { ...decided, decision: 'ask' } : decided), printed };
    } catch (error) {
      // A full disk does not change what the person said.
      onError(error);
      return { kept: true, printed };
    }
  };
  let answer: string | undefined;
  const ask = desk.open(questionOf(held, agentOf(held.caller)), wait, ({ decision, by }) => {
    const { kept, printed } = finish(decision, by);
    if (kept && decision !== null) answer = printed;
    return kept;
  });
  if (!ask) {
    const { kept, printed } = finish(wait.otherwise, 'no-server');
    return kept ? printed : undefined;
  }
  nameCaller?.(event, at).then((agent) => ask.learn(questionOf(held, agent)), onError);
  return { ms: wait.ms, text: ask.ended.then(() => answer), withdraw: ask.withdraw };
}

/** Who says yes should see all of it. */
const LONGEST_SHOWN = 20_000;

/** Masked as in the audit: what is asked is shown to whoever may look. */
function questionOf({ event, call, judgement, wait, at }: CallToHold, agent: AuditAgent): Question {
  const extra = { rule: judgement.rule, reason: wait.why };
  const entry = toEntry({ id: '', at, event, call, agent, extra, mask: maskValue });
  const { host, session, tool, summary, cwd } = entry;
  const input = maskValue(call.input, LONGEST_SHOWN) ?? null;
  return {
    ...{ host, session, agent: entry.agent, tool, call: entry.call, summary, input, cwd },
    ...{ rule: entry.rule, reason: entry.reason ?? '' },
  };
}

/** As far as the hook itself tells; the names that people know come a moment later. */
function agentOf({ agent, ancestors, reason }: CallerChain): AuditAgent {
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
