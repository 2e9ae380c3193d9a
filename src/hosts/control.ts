// A program that is steered while it runs, in our words. Which words its host has for this, its adapter knows.
import type { JsonObject } from '../lib/json.ts';

/** For hosts whose program can be steered over stdin and stdout: it waits in front of each call for what it is told. */
export interface ControlCapability {
  /** How to start it, given what a person would type. Throws a `UserError` where it cannot be steered so. */
  plan(args: readonly string[]): ControlPlan;
  /** The same arguments, for a program that speaks and hears lines. */
  withLines(args: readonly string[]): readonly string[];
  /** What a printed line is to whoever steers; undefined where it is output and nothing else. */
  read(line: JsonObject): ControlEvent | undefined;
  /** Has to be said first. `theirs`: what whoever started us says in this place. */
  greet(request: string, theirs?: JsonObject): JsonObject;
  isGreeting(line: JsonObject): boolean;
  /** A message of the person, which begins a turn. */
  isMessage(line: JsonObject): boolean;
  /** Whether what a hook printed is a yes or a no. */
  isDecided(printed: string): boolean;
  say(text: string): JsonObject;
  interrupt(request: string): JsonObject;
  /** Ends one sub-agent, by the host's id of it. */
  stopAgent(request: string, agent: string): JsonObject;
  /** The host's id of the sub-agent that makes a call; undefined: the main agent, or a version that does not say. */
  callerIn(payload: unknown): string | undefined;
  /** `message`: what the person says to the caller beside. */
  answerCall(request: string, answer: ControlAnswer, payload: unknown, message?: string): JsonObject;
  /** To a sub-agent that is about to end: with a message it goes on and hears it. */
  answerEnding(request: string, message?: string): JsonObject;
  answerQuestion(request: string, answer: ControlAnswer, payload: unknown): JsonObject;
  refuse(request: string): JsonObject;
  /** What an agent said to its person; `parent`: the call that made the agent, of a sub-agent. */
  textIn(line: JsonObject): { readonly text: string; readonly parent?: string } | undefined;
  /** What it prints at its end, where it was not asked for lines: from the ends of its turns, or from all (`needsAllLines`). */
  lastWords(form: string | undefined, lines: readonly JsonObject[]): string;
}

/** How a program has to be started to be steered, and what the person wanted of it. */
export interface ControlPlan {
  /** In place of the person's own arguments. */
  readonly args: readonly string[];
  /** What stood among them. */
  readonly prompt?: string;
  /** `text`: stdin is a part of the prompt. `lines`: whoever started us speaks the program's own lines. */
  readonly input: 'text' | 'lines';
  /** `last`: what the program itself would print at its end, in the form that its arguments name. */
  readonly output: 'lines' | 'last';
  /** Of `last`. */
  readonly form?: string;
  /** Of `last`: not only the ends of turns are needed for it. */
  readonly needsAllLines?: boolean;
  /** Whoever started us wants to be asked by the program itself. */
  readonly asksCaller: boolean;
}

/** What a line of the program is to us; a line that is none of these is its output. */
export type ControlEvent =
  /** It waits in front of a call. `payload` is what a hook would be told. */
  | { readonly kind: 'call'; readonly request: string; readonly payload: unknown; readonly call: string | undefined }
  /** It would ask its person about a call, which it has told of before. */
  | { readonly kind: 'question'; readonly request: string; readonly call: string | undefined }
  /** A sub-agent is about to end, and waits for a word. */
  | { readonly kind: 'agent-ending'; readonly request: string; readonly agent: string | undefined }
  /** It does not wait any more. */
  | { readonly kind: 'withdrawn'; readonly request: string }
  /** What it says to a request, or its own echo of an answer. */
  | { readonly kind: 'reply'; readonly to: string; readonly trouble?: string }
  | { readonly kind: 'request'; readonly request: string }
  | { readonly kind: 'turn-begun' | 'turn-over' }
  | { readonly kind: 'work-begun'; readonly work: string }
  /** `isStopped`: somebody ended it; else it was done, or failed. */
  | { readonly kind: 'work-ended'; readonly work: string; readonly isStopped: boolean };

/** What is said to a call in front of which the program waits. */
export type ControlAnswer =
  /** As the hooks of this host print it; nothing: no opinion. */
  | { readonly kind: 'printed'; readonly printed: string }
  | { readonly kind: 'allow'; readonly input?: unknown }
  | { readonly kind: 'deny'; readonly reason: string }
  /** What the agent is to see in place of the call's own result. */
  | { readonly kind: 'result'; readonly text: string; readonly isError: boolean };
