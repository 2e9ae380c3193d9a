import path from 'node:path';
import type { Budget, TerminalPrompt } from '../guard/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import type { SessionScope } from '../sessions/index.ts';
import type { WaitingCall } from './steer.ts';

/** How a program's stream is shadowed. */
export interface ShadowRequest {
  readonly where: SessionScope;
  /** Also what the session leaves on the disk, which the stream does not carry. */
  readonly disk: boolean;
  /** The live tree on stderr. */
  readonly tree: boolean;
  /** Where events go: a file, or, as a number, a descriptor that whoever started us has opened. */
  readonly events?: string;
}

export interface StreamRequest extends ShadowRequest {
  /** The input goes to stdout, byte for byte; events do not. */
  readonly tee: boolean;
}

export interface StreamOutcome {
  /** Undefined where nothing in the stream told whose it was. */
  readonly host: string | undefined;
  readonly lines: number;
  readonly malformedLines: number;
}

export interface RunRequest extends ShadowRequest {
  readonly command: readonly [string, ...string[]];
  /** Its calls are judged by the policy before they run. */
  readonly intercept: boolean;
  /** Of an interception: the file that says which calls get which result in place of their own. */
  readonly inject?: string;
  /** The run is ended when it has used up one of these. */
  readonly budget?: RunBudget;
}

export type RunBudget = Omit<Budget['limits'], 'agents_at_once' | 'depth'>;

/** Whether `--host` names this host; without it, whether the program is one of the host's. */
export function isMeant(adapter: SourceAdapter, { command: [program], where: { host } }: RunRequest): boolean {
  const name = path.basename(program).replace(/\.(?:exe|cmd|js)$/, '');
  return host === undefined ? adapter.programs.includes(name) : adapter.host === host;
}

/** How the program ended: by itself, or by a signal. */
export type RunOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  /** We ended it. */
  | { readonly kind: 'over-budget'; readonly spent: string };

/** A call that somebody is to judge. */
export interface WaitingToolCall extends Omit<WaitingCall, 'isQuestion'> {
  /** Of the host. */
  readonly process: number | undefined;
  /** `always`: a person is asked where no rule decides. */
  readonly asks: 'policy' | 'always';
}

export interface CallBrokerOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly host: string;
  /** Undefined where nobody sits at the terminal. */
  readonly askAtTerminal?: TerminalPrompt;
}

/** Judges the calls of an intercepted run; gives what a hook would print. */
export type CreateCallBroker = (options: CallBrokerOptions) => (call: WaitingToolCall) => Promise<string>;
