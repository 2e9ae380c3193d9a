// Hosts ask their person for permissions; their running servers tell us, and take the answer. Where the host has our hook as well, the
// hook goes first: one question, asked once.

import { setTimeout as sleep } from 'node:timers/promises';
import { queueEvent } from '../../audit/index.ts';
import type { AnsweredBy, ApprovalAnswer } from '../../core/index.ts';
import type { ApprovalsCapability, HooksCapability, HostApproval } from '../../hosts/index.ts';
import type { DataFolder } from '../../sessions/index.ts';
import { type ApprovalContext, type HeldCall, type HookReply, hold, type QuestionTurns } from './approvals.ts';

interface QuestionsOptions {
  /** Where the spool lies. */
  readonly folder: string;
  readonly asking: ApprovalContext;
  readonly turns: QuestionTurns;
  /** By the policy of the project in that folder. */
  readonly needsProof: (folder: string) => Promise<boolean>;
  readonly everyMs?: number;
}

const EVERY_MS = 3_000;

/** From now on, at every server that can be found for these places. */
export function followHostApprovals(places: readonly DataFolder[], options: QuestionsOptions): { close(): void } {
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

function hearAt(address: string, { adapter }: DataFolder, questions: ApprovalsCapability, options: QuestionsOptions) {
  const { folder, asking, turns, needsProof } = options;
  const told = new Map<string, HostApproval>();
  const put = (payload: object, extra: object): void =>
    queueEvent(folder, adapter.host, Buffer.from(JSON.stringify(payload)), extra);
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      asking.onError(error);
    }
  };
  return {
    asked(question: HostApproval): void {
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
        const needs = needsProof(caller.project ?? event.cwd ?? '/').catch(() => true);
        const held = holdHostApproval({ ...asked, at: Date.now(), needsProof: needs }, asking);
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

export interface QuestionToHold extends HeldCall {
  readonly host: Pick<HooksCapability, 'formatReply'>;
  readonly question: string;
}

/** The longest time for which a hook may wait. The host asks for as long as it likes: its hook comes again. */
const HELD_MS = 3_600_000;

/**
 * A host asks its person, and here as well: the first answer counts. Where none is given here nothing is decided, and
 * the hook says nothing.
 */
export function holdHostApproval(held: QuestionToHold, asking: ApprovalContext): HookReply {
  const end = (decision: ApprovalAnswer | null, by: AnsweredBy) => {
    const said = decision === null ? '' : ` A person was asked and ${decision === 'allow' ? 'allowed' : 'denied'} it.`;
    const reason = `${held.question}.${said}`;
    const printed = (decision !== null && held.host.formatReply?.(decision, reason)) || '';
    return { printed, decided: { decision: decision ?? 'ask', rule: null, reason, answeredBy: by } };
  };
  const wait = { ms: HELD_MS, otherwise: null };
  return hold(held, { rule: null, why: held.question, wait, undecided: '', end }, asking) ?? '';
}
