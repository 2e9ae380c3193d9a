import type { AskEnd } from '../../core/index.ts';
import type { CallerChain, HookCall, HookEvent, HooksCapability } from '../../hosts/index.ts';
import { askingAgent, describeAsk } from './describe-ask.ts';
import type { Asking, HookReply } from './hold-call.ts';

export interface QuestionToHold {
  readonly host: Pick<HooksCapability, 'formatReply'>;
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly question: string;
  readonly caller: CallerChain;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Puts the call into its place in the spool, with what was decided. False where somebody else has. */
  settle(decided: object): boolean;
}

/** The longest time for which a hook may wait. The host asks for as long as it likes: its hook comes again. */
const HELD_MS = 3_600_000;

/**
 * A host asks its person, and here as well: the first answer counts. Where none is given here nothing is decided, and
 * the hook says nothing.
 */
export function holdQuestion(held: QuestionToHold, { desk, nameCaller, onError }: Asking): HookReply {
  const { host, event, caller, at } = held;
  const asked = { ...held, rule: null, why: held.question };
  let reply = '';
  const keep = ({ decision, by }: AskEnd): boolean => {
    const said = decision === null ? '' : ` A person was asked and ${decision === 'allow' ? 'allowed' : 'denied'} it.`;
    const reason = `${held.question}.${said}`;
    try {
      if (!held.settle({ decision: decision ?? 'ask', rule: null, reason, answeredBy: by })) return false;
    } catch (error) {
      // A full disk does not change what the person said.
      onError(error);
    }
    if (decision !== null) reply = host.formatReply?.(decision, reason) ?? '';
    return true;
  };
  const ask = desk.open(describeAsk(asked, askingAgent(caller)), { ms: HELD_MS, otherwise: null }, keep);
  if (!ask) {
    // So many wait already that nobody could answer one more.
    keep({ at: new Date(at).toISOString(), decision: null, by: 'no-server' });
    return '';
  }
  nameCaller?.(event, at).then((agent) => ask.learn(describeAsk(asked, agent)), onError);
  return { ms: HELD_MS, text: ask.ended.then(() => reply), withdraw: ask.withdraw };
}
