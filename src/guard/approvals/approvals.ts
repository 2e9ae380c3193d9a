import { toEntry, UNKNOWN_AGENT } from '../../audit/index.ts';
import {
  type AnsweredBy,
  type ApprovalAnswer,
  type ApprovalEnd,
  type ApprovalRequest,
  type Asks,
  type AuditAgent,
  type Person,
  withApproval,
} from '../../core/index.ts';
import type { CallerChain, HookCall, HookEvent, HooksCapability } from '../../hosts/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { maskValue } from '../../redact/index.ts';
import type { NameCaller } from '../../sessions/index.ts';
import { answerRequest } from '../judge-call.ts';
import { HANDS_OFF, labelOf, type Policy } from '../policy.ts';
import type { Judgement } from '../pre-check.ts';

/** An approval request, without its id and its times. */
export type Question = Omit<ApprovalRequest, 'id' | 'at' | 'expiresAt' | 'otherwise' | 'end'>;

export interface Wait {
  readonly ms: number;
  /** What holds if nobody answers in time. Null: nothing is decided. */
  readonly otherwise: ApprovalAnswer | null;
}

export interface PendingApprovals extends Asks {
  /**
   * `keep` records how it ended, once, before listeners are called; it returns false if another process has decided the call.
   * Undefined if so many requests are open that no person could answer them all.
   */
  open(
    question: Question,
    wait: Wait,
    keep: (end: ApprovalEnd) => boolean,
    needsProof?: boolean | Promise<boolean>,
  ): PendingApproval | undefined;
  /** The open request of this id can be allowed only with proof that a person does it. */
  needsProof(id: string): Promise<boolean>;
  /** Open requests end as they would without an answer. */
  close(): void;
}

/** A call that waits for its approval. */
export interface PendingApproval {
  readonly id: string;
  readonly ended: Promise<ApprovalEnd>;
  /** Adds the agent's name, which is known a moment later. */
  learn(more: Pick<Question, 'agent'>): void;
  /** The hook no longer waits for the answer. */
  withdraw(): void;
}

interface ApprovalsOptions {
  readonly clock: Clock;
  /** Must not be guessable. */
  createId(): string;
  /** Returns a function that cancels it. */
  later(ms: number, act: () => void): () => void;
}

interface Case {
  ask: ApprovalRequest;
  readonly keep: (end: ApprovalEnd) => boolean;
  readonly tell: (end: ApprovalEnd) => void;
  readonly stopTimer: () => void;
  readonly needsProof: boolean | Promise<boolean>;
}

const MOST = 200;

/** Calls that wait for a person: each ends once, by whatever comes first. */
export function createPendingApprovals({ clock, createId, later }: ApprovalsOptions): PendingApprovals {
  const open = new Map<string, Case>();
  const listeners = new Set<(ask: ApprovalRequest) => void>();
  let all: readonly ApprovalRequest[] = [];
  let isClosed = false;

  const publish = (ask: ApprovalRequest): void => {
    all = withApproval(all, ask);
    for (const listener of listeners) listener(ask);
  };
  const finish = (one: Case, by: AnsweredBy, decision: ApprovalAnswer | null): ApprovalRequest => {
    open.delete(one.ask.id);
    one.stopTimer();
    const at = new Date(clock()).toISOString();
    const wanted: ApprovalEnd = { at, decision, by };
    const end: ApprovalEnd = one.keep(wanted) ? wanted : { at, decision: null, by: 'withdrawn' };
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
    needsProof: async (id) => open.get(id)?.needsProof ?? false,
    open(question, { ms, otherwise }, keep, needsProof = false) {
      if (isClosed || open.size >= MOST) return undefined;
      const now = clock();
      const id = createId();
      const times = { at: new Date(now).toISOString(), expiresAt: new Date(now + ms).toISOString() };
      const ask: ApprovalRequest = { id, ...times, otherwise, ...question, end: null };
      let tell: Case['tell'] = () => {};
      const ended = new Promise<ApprovalEnd>((resolve) => {
        tell = resolve;
      });
      const stopTimer = later(ms, () => open.get(id) && finish(one, 'expiry', otherwise));
      const one: Case = { ask, keep, tell, stopTimer, needsProof };
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
      // Timers stop while a machine sleeps; the deadline that people were shown does not.
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

/** Whoever approves should see all of it. */
const LONGEST_SHOWN = 20_000;

/** Masked as in the audit log: everybody with access to the page sees it. */
function describeRequest({ event, call, at }: HeldCall, { rule, why }: ApprovalTerms, agent: AuditAgent): Question {
  const entry = toEntry({ id: '', at, event, call, agent, extra: { rule, reason: why } });
  const { host, session, tool, summary, cwd } = entry;
  const input = maskValue(call.input, LONGEST_SHOWN) ?? null;
  return {
    ...{ host, session, agent: entry.agent, tool, call: entry.call, summary, input, cwd },
    ...{ rule: entry.rule, reason: entry.reason ?? '' },
  };
}

/** As far as the hook itself says; the names that people know come a moment later. */
function requestingAgent({ agent, ancestors, reason }: CallerChain): AuditAgent {
  if (agent === null) return { ...UNKNOWN_AGENT, reason: reason ?? null };
  const { id, type, name, kind, depth } = agent;
  const path = [...ancestors, agent].map(labelOf);
  const who = kind === 'main' ? 'main' : 'subagent';
  return { who, id, type, name, kind, depth, path, evidence: 'exact', reason: reason ?? null };
}

/** Where requests go, and who names the agents. */
export interface ApprovalContext {
  readonly desk: PendingApprovals;
  readonly nameCaller?: NameCaller;
  /** For hosts whose questions arrive in other ways than by hooks. */
  readonly turns?: QuestionTurns;
  onError(error: unknown): void;
}

/** A call whose hook waits. */
export interface HeldCall {
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly caller: CallerChain;
  /** Epoch milliseconds. */
  readonly at: number;
  /** It can be allowed only with proof that a person does it (`isHandsOff`). */
  readonly needsProof: boolean | Promise<boolean>;
  /** Queues the call for the audit log, with what was decided. False if another process has. */
  settle(decided: object): boolean;
}

/** What a person is asked about a held call, and what comes of the answer. */
interface ApprovalTerms {
  readonly rule: string | null;
  /** Why approval is needed, in words for people. */
  readonly why: string;
  readonly wait: Wait;
  /** What the hook prints where nothing was decided here. */
  readonly undecided?: string;
  /** What is kept of the answer, and what the hook prints. */
  end(decision: ApprovalEnd['decision'], by: AnsweredBy): { readonly decided: object; readonly printed: string };
}

/** The hook of this call waits until a person has answered or the time is over; it may exit before. */
export function hold(held: HeldCall, terms: ApprovalTerms, asking: ApprovalContext): HookReply | undefined {
  const { desk, nameCaller, onError } = asking;
  const { ms, otherwise } = terms.wait;
  let answer = terms.undecided;
  const keep = ({ decision, by }: Pick<ApprovalEnd, 'decision' | 'by'>): boolean => {
    const { decided, printed } = terms.end(decision, by);
    try {
      if (!held.settle(decided)) return false;
    } catch (error) {
      // A full disk does not change what the person said.
      onError(error);
    }
    if (decision !== null) answer = printed;
    return true;
  };
  const pending = desk.open(
    describeRequest(held, terms, requestingAgent(held.caller)),
    terms.wait,
    keep,
    held.needsProof,
  );
  if (!pending) {
    keep({ decision: otherwise, by: 'no-server' });
    return answer;
  }
  nameCaller?.(held.event, held.at).then((agent) => pending.learn(describeRequest(held, terms, agent)), onError);
  return { ms, text: pending.ended.then(() => answer), withdraw: pending.withdraw };
}

/** Agents must not be able to approve: the policy says so, or may say so in a file with an error. */
export function isHandsOff({ rules }: Pick<Policy, 'rules'>): boolean {
  return rules.some(({ id }) => HANDS_OFF.test(id));
}

export function holdCall(
  held: HeldCall,
  host: HooksCapability,
  judgement: Judgement & { readonly wait: NonNullable<Judgement['wait']> },
  asking: ApprovalContext,
): HookReply | undefined {
  const { rule, wait } = judgement;
  const end: ApprovalTerms['end'] = (decision, by) => {
    const { printed, ...decided } = answerRequest(host, judgement, decision ?? 'deny', by);
    return { printed, decided: decision === null ? { ...decided, decision: 'ask' } : decided };
  };
  return hold(held, { rule, why: wait.why, wait, end }, asking);
}

/** What the hook is to print: now, or when a person has answered. */
export type HookReply = string | HeldReply;

export interface HeldReply {
  /** How long at most. */
  readonly ms: number;
  /** Undefined if another process has answered. */
  readonly text: Promise<string | undefined>;
  /** The hook is gone. */
  withdraw(): void;
}

/** A host's question may arrive through its hook and from its server. The hook goes first: it is the host's own. */
export class QuestionTurns {
  readonly #hooks = new Set<string>();
  readonly #others = new Map<string, () => void>();

  /** A hook has it, now or in a moment: other requests for it are withdrawn. */
  take(id: string): void {
    this.#hooks.add(id);
    this.#withdraw(id);
  }

  isHooks(id: string): boolean {
    return this.#hooks.has(id);
  }

  /** There is a request for it already: a server may have two addresses. */
  isOpen(id: string): boolean {
    return this.#others.has(id);
  }

  /** There is a request for it now, other than the hook's. */
  open(id: string, withdraw: () => void): void {
    this.#others.set(id, withdraw);
  }

  /** It is over. */
  close(id: string): void {
    this.#withdraw(id);
    this.#hooks.delete(id);
  }

  #withdraw(id: string): void {
    const withdraw = this.#others.get(id);
    this.#others.delete(id);
    withdraw?.();
  }
}
