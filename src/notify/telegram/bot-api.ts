import type { Clock } from '../../lib/clock.ts';
import { cutAt, type Piece, type RichText, rich, splitRich } from '../messages/rich-text.ts';

/** What we use of Telegram's Bot API, in our words. Every method throws a `BotApiError` if it fails. */
export interface BotApi {
  me(): Promise<{ readonly id: number; readonly username: string }>;
  chat(id: number): Promise<{ readonly isForum: boolean; readonly title: string }>;
  /** What Telegram shows to people who type a command. */
  offer(commands: readonly { readonly command: string; readonly does: string }[]): Promise<void>;
  /** Gives the message's id. */
  send(message: OutgoingMessage): Promise<number>;
  edit(place: MessagePlace, text: RichText, buttons?: Buttons): Promise<void>;
  sendFile(file: OutgoingFile): Promise<number>;
  /** The caption is the only part of a file's message that can be asked for without sending it again. */
  editCaption(place: MessagePlace, caption: string): Promise<void>;
  /** Gives the topic's id, which is that of the message that opened it. */
  createTopic(chat: number, name: string): Promise<number>;
  renameTopic(chat: number, topic: number, name: string): Promise<void>;
  /** Ends the waiting that the person sees at the button. */
  answerPress(press: string, text: string): Promise<void>;
  /** Waits until there are some, or a while. Everything before `offset` is forgotten by Telegram. */
  updates(offset: number, signal: AbortSignal): Promise<readonly Update[]>;
  /** The same without waiting for any. */
  forget(offset: number): Promise<void>;
}

interface MessagePlace {
  readonly chat: number;
  readonly message: number;
}

interface OutgoingMessage {
  readonly chat: number;
  readonly thread?: number;
  readonly text: RichText;
  readonly buttons?: Buttons;
  readonly isSilent: boolean;
}

interface OutgoingFile {
  readonly chat: number;
  readonly thread?: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly caption: string;
}

/** Rows of buttons. `data`: at most 64 bytes. */
export type Buttons = readonly (readonly { readonly text: string; readonly data: string }[])[];

export interface ChatUser {
  readonly id: number;
  readonly username?: string;
}

export type Update = { readonly id: number } & (
  | { readonly kind: 'message'; readonly message: IncomingMessage }
  | { readonly kind: 'press'; readonly press: Press }
  | { readonly kind: 'other' }
);

export interface IncomingMessage extends MessagePlace {
  readonly thread?: number;
  readonly from?: ChatUser;
  readonly text: string;
}

/** A button that somebody pressed. */
export interface Press {
  readonly id: string;
  readonly from: ChatUser;
  /** Where the button stands; not known of messages that are too old. */
  readonly place?: MessagePlace;
  readonly data: string;
}

/**
 * `flood`: too much at once. `revoked`: the token is none any more. `conflict`: another program asks for the same updates.
 * `webhook`: they are sent somewhere.
 * `blocked`: the chat does not want us, or is none. `same`: a message that was to be edited has this text already. `gone`: there is no
 * such message, or it is not ours. `no-topic`: its topic was deleted or closed. `no-rights`: the bot may not open topics. `refused`: anything else that Telegram says no to.
 * `network`: whether it arrived is not known.
 */
export type BotApiProblem =
  | 'flood'
  | 'revoked'
  | 'conflict'
  | 'webhook'
  | 'blocked'
  | 'same'
  | 'gone'
  | 'no-topic'
  | 'no-rights'
  | 'refused'
  | 'network';

export class BotApiError extends Error {
  readonly problem: BotApiProblem;
  /** Only with `flood`. */
  readonly retryAfterMs: number;

  constructor(problem: BotApiProblem, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'BotApiError';
    this.problem = problem;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** Undefined if the error does not come from the Bot API. */
export function problemIn(error: unknown): BotApiProblem | undefined {
  return error instanceof BotApiError ? error.problem : undefined;
}

/** Of a message, in UTF-16 units after its entities are taken out. */
export const LONGEST_MESSAGE = 4_096;
/** Telegram forgets those behind the first hundred, without a word: what they covered would be links, mentions and commands. */
export const MOST_MARKS = 100;
export const LONGEST_TOPIC_NAME = 128;

/**
 * The same, but what is sent has no credentials in it: commands and results of agents do. What a person is to say yes to stays as it
 * is, as long as it can be answered: nobody should allow what they cannot see.
 */
export function maskedApi(api: BotApi, mask: (text: string) => string): BotApi {
  const masked = (text: RichText): RichText => maskRich(text, mask);
  const maskName = (name: string): string => cutAt(mask(name), LONGEST_TOPIC_NAME);
  return {
    ...api,
    send: (message) => api.send(message.buttons ? message : { ...message, text: masked(message.text) }),
    edit: (place, text, buttons) => api.edit(place, buttons ? text : masked(text), buttons),
    createTopic: (chat, name) => api.createTopic(chat, maskName(name)),
    renameTopic: (chat, topic, name) => api.renameTopic(chat, topic, maskName(name)),
  };
}

/** Piece by piece: the marks stay where they belong. */
function maskRich(text: RichText, mask: (text: string) => string): RichText {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, from, length } of text.marks) {
    const foreign = mask(text.text.slice(from, from + length));
    pieces.push(mask(text.text.slice(at, from)), kind === 'code' ? { code: foreign } : { pre: foreign });
    at = from + length;
  }
  const whole = rich(...pieces, mask(text.text.slice(at)));
  return splitRich(whole, LONGEST_MESSAGE, MOST_MARKS)[0] ?? text;
}

/** A message that is sent, or one that is changed: the limit of a group counts the first kind only. */
export type Request = 'send' | 'edit';

/** As core.telegram.org/bots/faq has them, with a little room: clocks differ, and messages may be counted as they arrive. */
const CHAT_GAP_MS = 1_100;
const GROUP_WINDOW_MS = 61_000;
const GROUP_SENDS = 19;
const ALL_WINDOW_MS = 1_050;
const ALL_REQUESTS = 27;

/** The documented limits: one request a second in a chat, twenty messages a minute in a group, thirty requests a second in all. */
export class Limits {
  readonly #clock: Clock;
  readonly #lastIn = new Map<number, number>();
  readonly #sentIn = new Map<number, number[]>();
  readonly #heldUntil = new Map<number, number>();
  #all: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until this may be requested; 0 is now. */
  waitFor(chat: number, request: Request): number {
    const now = this.#clock();
    this.#all = this.#all.filter((at) => now - at < ALL_WINDOW_MS);
    const sends = isGroup(chat) && request === 'send' ? this.#sendsOf(chat, now) : [];
    const until = Math.max(
      this.#heldUntil.get(chat) ?? 0,
      (this.#lastIn.get(chat) ?? Number.NEGATIVE_INFINITY) + CHAT_GAP_MS,
      sends.length >= GROUP_SENDS ? (sends[0] ?? now) + GROUP_WINDOW_MS : 0,
      this.#all.length >= ALL_REQUESTS ? (this.#all[0] ?? now) + ALL_WINDOW_MS : 0,
    );
    return Math.max(0, until - now);
  }

  take(chat: number, request: Request): void {
    const now = this.#clock();
    this.#lastIn.set(chat, now);
    this.#all.push(now);
    if (request === 'send' && isGroup(chat)) this.#sendsOf(chat, now).push(now);
  }

  /** Telegram asked to wait this long. */
  hold(chat: number, ms: number): void {
    this.#heldUntil.set(chat, Math.max(this.#heldUntil.get(chat) ?? 0, this.#clock() + ms));
  }

  #sendsOf(chat: number, now: number): number[] {
    const recent = (this.#sentIn.get(chat) ?? []).filter((at) => now - at < GROUP_WINDOW_MS);
    this.#sentIn.set(chat, recent);
    return recent;
  }
}

/** Groups and channels have negative numbers. */
function isGroup(chat: number): boolean {
  return chat < 0;
}
