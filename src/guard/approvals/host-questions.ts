// Hosts ask their person for permissions; their running servers tell us, and take the answer. Where the host has our hook as well, the
// hook goes first: one question, asked once.

import { setTimeout as sleep } from 'node:timers/promises';
import { putSpoolFile } from '../../audit/index.ts';
import type { AskEnd } from '../../core/index.ts';
import type {
  CallerChain,
  HookCall,
  HookEvent,
  HooksCapability,
  HostQuestion,
  QuestionsCapability,
} from '../../hosts/index.ts';
import type { Place } from '../../sessions/index.ts';
import { type Asking, describeRequest, type HookReply, type QuestionTurns, requestingAgent } from './approvals.ts';

interface QuestionsOptions {
  /** Where the spool lies. */
  readonly folder: string;
  readonly asking: Asking;
  readonly turns: QuestionTurns;
  readonly everyMs?: number;
}

const EVERY_MS = 3_000;

/** From now on, at every server that can be found for these places. */
export function followQuestions(places: readonly Place[], options: QuestionsOptions): { close(): void } {
  const end = new AbortController();
  const heard = new Set<string>();
  const lookForServers = async (): Promise<void> => {
    for (const place of places) {
      const { questions } = place.adapter;
      for (const address of (await questions?.addressesOf(place.root)) ?? []) {
        if (!questions || heard.has(address) || end.signal.aborted) continue;
        heard.add(address);
        void questions
          .listen(address, hearAt(address, place, questions, options), end.signal)
          .finally(() => heard.delete(address));
      }
    }
  };
  const goOn = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await lookForServers().catch(options.asking.onError);
      await sleep(options.everyMs ?? EVERY_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  if (places.some(({ adapter }) => adapter.questions)) void goOn();
  return { close: () => end.abort() };
}

function hearAt(address: string, { adapter }: Place, questions: QuestionsCapability, options: QuestionsOptions) {
  const { folder, asking, turns } = options;
  const told = new Map<string, HostQuestion>();
  const put = (payload: object, extra: object): void =>
    putSpoolFile(folder, adapter.host, Buffer.from(JSON.stringify(payload)), extra);
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      asking.onError(error);
    }
  };
  return {
    asked(question: HostQuestion): void {
      const { hooks } = adapter;
      const event = hooks?.read(question.payloads.question);
      if (!hooks || !event?.call || event.question === undefined) return;
      if (turns.isHooks(question.id) || turns.isOpen(question.id)) return;
      told.set(question.id, question);
      attempt(() => put(question.payloads.asked, {}));
      const caller = hooks.callerOf(question.payloads.question);
      const settle = (decided: object): boolean => {
        if (!turns.isHooks(question.id)) put(question.payloads.question, decided);
        return true;
      };
      const asked = { host: hooks, event, call: event.call, question: event.question, caller, settle };
      const hold = (): void => {
        const held = holdQuestion({ ...asked, at: Date.now() }, asking);
        if (typeof held === 'string') return;
        turns.open(question.id, held.withdraw);
        const goOn = async (printed: string | undefined): Promise<void> => {
          if (printed) await questions.reply(address, question, printed);
          // The host asks for as long as it likes, and so do we.
          else if (told.has(question.id) && !turns.isHooks(question.id)) hold();
        };
        held.text.then(goOn).catch(asking.onError);
      };
      hold();
    },
    gone(id: string): void {
      const question = told.get(id);
      turns.close(id);
      if (!question) return;
      told.delete(id);
      attempt(() => put(question.payloads.gone, {}));
    },
  };
}

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
  const ask = desk.open(describeRequest(asked, requestingAgent(caller)), { ms: HELD_MS, otherwise: null }, keep);
  if (!ask) {
    // So many wait already that nobody could answer one more.
    keep({ at: new Date(at).toISOString(), decision: null, by: 'no-server' });
    return '';
  }
  nameCaller?.(event, at).then((agent) => ask.learn(describeRequest(asked, agent)), onError);
  return { ms: HELD_MS, text: ask.ended.then(() => reply), withdraw: ask.withdraw };
}
