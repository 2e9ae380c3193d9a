import type { AskEnd } from '../../core/index.ts';
import type { CallerChain, HookCall, HookEvent, HooksCapability } from '../../hosts/index.ts';
import type { NameCaller } from '../../sessions/index.ts';
import { answerAsk } from '../answer-ask.ts';
import type { Judgement } from '../at-the-door.ts';
import type { AskDesk } from './create-desk.ts';
import { askingAgent, describeAsk } from './describe-ask.ts';
import type { QuestionTurns } from './question-turns.ts';

/** Who is asked, and who knows the names of those who ask. */
export interface Asking {
  readonly desk: AskDesk;
  readonly nameCaller?: NameCaller;
  /** Where questions of hosts are heard of in other ways than by hooks. */
  readonly turns?: QuestionTurns;
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
  const asked = { ...held, rule: judgement.rule, why: wait.why };
  let answer: string | undefined;
  const ask = desk.open(describeAsk(asked, askingAgent(held.caller)), wait, ({ decision, by }) => {
    const { kept, printed } = finish(decision, by);
    if (kept && decision !== null) answer = printed;
    return kept;
  });
  if (!ask) {
    const { kept, printed } = finish(wait.otherwise, 'no-server');
    return kept ? printed : undefined;
  }
  nameCaller?.(event, at).then((agent) => ask.learn(describeAsk(asked, agent)), onError);
  return { ms: wait.ms, text: ask.ended.then(() => answer), withdraw: ask.withdraw };
}

/** What the hook is to print: now, or when a person has answered. */
export type HookReply = string | HeldReply;

export interface HeldReply {
  /** At most so long. */
  readonly ms: number;
  /** Undefined where it is not ours to say any more. */
  readonly text: Promise<string | undefined>;
  /** The hook is gone. */
  withdraw(): void;
}
