import { toEntry } from '../../audit/index.ts';
import {
  type AnsweredBy,
  type Ask,
  type AskAnswer,
  type AskEnd,
  type Asks,
  type AuditAgent,
  type Person,
  withAsk,
} from '../../core/index.ts';
import type { CallerChain, HookCall, HookEvent, HooksCapability } from '../../hosts/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { maskValue } from '../../redact/index.ts';
import type { NameCaller } from '../../sessions/index.ts';
import { labelOf } from '../identity.ts';
import { answerRequest } from '../judge-call.ts';
import type { Judgement } from '../pre-check.ts';

/** What is asked, but for its id and its times. */
export type Question = Omit<Ask, 'id' | 'at' | 'expiresAt' | 'otherwise' | 'end'>;

export interface Wait {
  readonly ms: number;
  /** Null: nothing is decided then. */
  readonly otherwise: AskAnswer | null;
}

export interface AskDesk extends Asks {
  /**
   * `keep` writes down how it ended, once, before anybody is told. False where the call is not to be had any more: somebody
   * else has decided it. Undefined where so many wait already that no person could answer all of them.
   */
  open(question: Question, wait: Wait, keep: (end: AskEnd) => boolean): PendingApproval | undefined;
  /** Everything that is open ends as it would have without an answer. */
  close(): void;
}

/** A call while it is held. */
export interface PendingApproval {
  readonly id: string;
  readonly ended: Promise<AskEnd>;
  /** More is known of it: who asks. */
  learn(more: Pick<Question, 'agent'>): void;
  /** Nobody waits for the answer any more. */
  withdraw(): void;
}

interface ApprovalsOptions {
  readonly clock: Clock;
  /** Of an ask: must not be guessed. */
  createId(): string;
  /** Gives what calls it off. */
  later(ms: number, act: () => void): () => void;
}

interface Case {
  ask: Ask;
  readonly keep: (end: AskEnd) => boolean;
  readonly tell: (end: AskEnd) => void;
  readonly stopTimer: () => void;
}

const MOST = 200;

/** Where calls wait for a person: each ends once, by whatever comes first. */
export function createDesk({ clock, createId, later }: ApprovalsOptions): AskDesk {
  const open = new Map<string, Case>();
  const listeners = new Set<(ask: Ask) => void>();
  let all: readonly Ask[] = [];
  let isClosed = false;

  const publish = (ask: Ask): void => {
    all = withAsk(all, ask);
    for (const listener of listeners) listener(ask);
  };
  const finish = (one: Case, by: AnsweredBy, decision: AskAnswer | null): Ask => {
    open.delete(one.ask.id);
    one.stopTimer();
    const at = new Date(clock()).toISOString();
    const wanted: AskEnd = { at, decision, by };
    const end: AskEnd = one.keep(wanted) ? wanted : { at, decision: null, by: 'withdrawn' };
    const ask = { ...one.ask, end };
    publish(ask);
    one.tell(end);
    return ask;
  };

  return {
    list: () => all,
    subscribe(listener) {
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    open(question, { ms, otherwise }, keep) {
      if (isClosed || open.size >= MOST) return undefined;
      const now = clock();
      const id = createId();
      const times = { at: new Date(now).toISOString(), expiresAt: new Date(now + ms).toISOString() };
      const ask: Ask = { id, ...times, otherwise, ...question, end: null };
      let tell: Case['tell'] = () => {};
      const ended = new Promise<AskEnd>((resolve) => {
        tell = resolve;
      });
      const stopTimer = later(ms, () => open.get(id) && finish(one, 'expiry', otherwise));
      const one: Case = { ask, keep, tell, stopTimer };
      open.set(id, one);
      publish(ask);
      return {
        id,
        ended,
        learn(more) {
          if (!open.has(id)) return;
          one.ask = { ...one.ask, ...more };
          publish(one.ask);
        },
        withdraw() {
          if (open.has(id)) finish(one, 'withdrawn', null);
        },
      };
    },
    answer(id, answer, by: Person) {
      const one = open.get(id);
      if (!one) {
        const ask = all.find((known) => known.id === id);
        return ask ? { outcome: 'late', ask } : { outcome: 'unknown' };
      }
      // Timers stand still while a machine sleeps; the time that people were told does not.
      const isOver = clock() >= Date.parse(one.ask.expiresAt);
      const ask = isOver ? finish(one, 'expiry', one.ask.otherwise) : finish(one, by, answer);
      return { outcome: ask.end?.by === by ? 'taken' : 'late', ask };
    },
    close() {
      isClosed = true;
      for (const one of [...open.values()]) finish(one, 'stop', one.ask.otherwise);
    },
  };
}

interface RequestedCall {
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
export function describeRequest({ event, call, at, rule, why }: RequestedCall, agent: AuditAgent): Question {
  const entry = toEntry({ id: '', at, event, call, agent, extra: { rule, reason: why }, mask: maskValue });
  const { host, session, tool, summary, cwd } = entry;
  const input = maskValue(call.input, LONGEST_SHOWN) ?? null;
  return {
    ...{ host, session, agent: entry.agent, tool, call: entry.call, summary, input, cwd },
    ...{ rule: entry.rule, reason: entry.reason ?? '' },
  };
}

/** As far as the hook itself tells; the names that people know come a moment later. */
export function requestingAgent({ agent, ancestors, reason }: CallerChain): AuditAgent {
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

/** Who is asked, and who knows the names of those who ask. */
export interface Asking {
  readonly desk: AskDesk;
  readonly nameCaller?: NameCaller;
  /** Where questions of hosts are heard of in other ways than by hooks. */
  readonly turns?: QuestionTurns;
  onError(error: unknown): void;
}

interface CallToHold {
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
    const settled = answerRequest(host, judgement, decision ?? 'deny', by);
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
  const ask = desk.open(describeRequest(asked, requestingAgent(held.caller)), wait, ({ decision, by }) => {
    const { kept, printed } = finish(decision, by);
    if (kept && decision !== null) answer = printed;
    return kept;
  });
  if (!ask) {
    const { kept, printed } = finish(wait.otherwise, 'no-server');
    return kept ? printed : undefined;
  }
  nameCaller?.(event, at).then((agent) => ask.learn(describeRequest(asked, agent)), onError);
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

/** One question of a host may be heard of by its hook and at its server. The hook's turn goes first: it is the host's own. */
export interface QuestionTurns {
  /** A hook has it, now or in a moment: whoever else asked for an answer withdraws. */
  take(id: string): void;
  isHooks(id: string): boolean;
  /** Somebody asks for an answer to it already: a server may have two addresses. */
  isOpen(id: string): boolean;
  /** Somebody else asks for an answer to it. */
  open(id: string, withdraw: () => void): void;
  /** It is over. */
  close(id: string): void;
}

export function createQuestionTurns(): QuestionTurns {
  const hooks = new Set<string>();
  const others = new Map<string, () => void>();
  const withdraw = (id: string): void => {
    const call = others.get(id);
    others.delete(id);
    call?.();
  };
  return {
    take(id) {
      hooks.add(id);
      withdraw(id);
    },
    isHooks: (id) => hooks.has(id),
    isOpen: (id) => others.has(id),
    open: (id, call) => void others.set(id, call),
    close(id) {
      withdraw(id);
      hooks.delete(id);
    },
  };
}
