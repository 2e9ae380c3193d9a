import type { RichText } from '../messages/rich-text.ts';

/** What the face asks of Telegram's Bot API, in our words. Every method throws a `BotApiError` where it cannot be. */
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

export interface MessagePlace {
  readonly chat: number;
  readonly message: number;
}

export interface OutgoingMessage {
  readonly chat: number;
  readonly thread?: number;
  readonly text: RichText;
  readonly buttons?: Buttons;
  readonly isSilent: boolean;
}

export interface OutgoingFile {
  readonly chat: number;
  readonly thread?: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly caption: string;
}

export interface Button {
  readonly text: string;
  /** At most 64 bytes. */
  readonly data: string;
}
/** Rows of them. */
export type Buttons = readonly (readonly Button[])[];

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

/** Of a message, in UTF-16 units after its entities are taken out. */
export const LONGEST_MESSAGE = 4_096;
/** Telegram forgets those behind the first hundred, without a word: what they covered would be links, mentions and commands. */
export const MOST_MARKS = 100;
export const LONGEST_TOPIC_NAME = 128;
