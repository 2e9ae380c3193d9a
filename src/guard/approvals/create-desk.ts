import {
  type AnsweredBy,
  type Ask,
  type AskAnswer,
  type AskEnd,
  type Asks,
  type Person,
  withAsk,
} from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';

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
  open(question: Question, wait: Wait, keep: (end: AskEnd) => boolean): HeldAsk | undefined;
  /** Everything that is open ends as it would have without an answer. */
  close(): void;
}

/** A call while it is held. */
export interface HeldAsk {
  readonly id: string;
  readonly ended: Promise<AskEnd>;
  /** More is known of it: who asks. */
  learn(more: Pick<Question, 'agent'>): void;
  /** Nobody waits for the answer any more. */
  withdraw(): void;
}

export interface DeskOptions {
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
export function createDesk({ clock, createId, later }: DeskOptions): AskDesk {
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
