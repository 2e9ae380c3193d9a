import type { AskAtTerminal } from '../guard/index.ts';

/** A call that somebody is to judge. */
export interface WaitingToolCall {
  readonly payload: unknown;
  /** The host's id of it. */
  readonly call: string | undefined;
  /** Of the host. */
  readonly process: number | undefined;
  /** `always`: a person is asked where no rule decides. */
  readonly asks: 'policy' | 'always';
  readonly signal: AbortSignal;
}

export interface CallBrokerOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly host: string;
  /** Undefined where nobody sits at the terminal. */
  readonly askAtTerminal?: AskAtTerminal;
}

/** Judges the calls of an intercepted run; gives what a hook would print. */
export type CreateCallBroker = (options: CallBrokerOptions) => (call: WaitingToolCall) => Promise<string>;
