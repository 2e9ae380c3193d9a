// Calls that wait for a person to approve or deny them.

import type { HookedCall } from './reports/identity.ts';

/** A call that is held until a person says yes or no. What is not known is null; times are ISO 8601 UTC. */
export interface ApprovalRequest extends HookedCall {
  /** Nobody can guess it: to answer, one has to have been told. */
  readonly id: string;
  readonly at: string;
  /** From then on `otherwise` holds. */
  readonly expiresAt: string;
  /** Null: the host asks as well, and goes on with it. */
  readonly otherwise: ApprovalAnswer | null;
  readonly reason: string;
  /** Null: it is open. */
  readonly end: ApprovalEnd | null;
}

export type ApprovalAnswer = 'allow' | 'deny';

export interface ApprovalEnd {
  readonly at: string;
  /** Null: the call was taken back, and nothing was decided. */
  readonly decision: ApprovalAnswer | null;
  readonly by: AnsweredBy;
}

/** A person, in one of these UIs. */
const PERSONS = ['page', 'terminal', 'cli', 'api'] as const;
export type Person = (typeof PERSONS)[number] | ChatPerson;

/** Of the UIs that answer from a process of their own: which key comes with an answer tells which UI sent it. */
export const KEYED_CHANNELS = ['terminal', 'cli', 'telegram'] as const;
export type ChannelKeys = Readonly<Record<(typeof KEYED_CHANNELS)[number], string>>;

/** In a chat, where several may answer: who it was, by the chat's own number of them, and by name where they have one. */
export type ChatPerson = `telegram:${string}`;

const CHAT_PERSON = /^telegram:\d{1,20}(?: @\w{1,64})?$/;

export function chatPerson(user: { readonly id: number; readonly username?: string | undefined }): ChatPerson {
  const name = user.username !== undefined && /^\w{1,64}$/.test(user.username) ? ` @${user.username}` : '';
  return `telegram:${user.id}${name}`;
}

export function isChatPerson(value: unknown): value is ChatPerson {
  return typeof value === 'string' && CHAT_PERSON.test(value);
}

/**
 * `expiry`: no answer came in time. `stop`: the server ended before one came. `no-server`: there was nobody to hold the call.
 * `withdrawn`: the host, or its person, gave the call up.
 */
const ANSWERED_BY = [...PERSONS, 'expiry', 'stop', 'no-server', 'withdrawn'] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number] | ChatPerson;

/** Of a text that was kept, or sent. */
export function readAnsweredBy(value: unknown): AnsweredBy | undefined {
  return isChatPerson(value) ? value : ANSWERED_BY.find((one) => one === value);
}

export type AnswerOutcome =
  | { readonly outcome: 'taken'; readonly ask: ApprovalRequest }
  /** It had ended before; `ask` says how. */
  | { readonly outcome: 'late'; readonly ask: ApprovalRequest }
  | { readonly outcome: 'unknown' };

/** Who answers for the person, and who shows what is asked. */
export interface Asks {
  /** Those that are open, and the last few that were; oldest first. */
  list(): readonly ApprovalRequest[];
  /** Whenever one is opened, becomes better known, or ends. */
  subscribe(listener: (ask: ApprovalRequest) => void): { close(): void };
  answer(id: string, answer: ApprovalAnswer, by: Person): AnswerOutcome;
}

/** Which browsers may allow calls that need a proof of the person, and the passphrase that pairs them. Times are ISO 8601 UTC. */
export interface PairingStatus {
  /** `none`: no passphrase is set. `alarm`: what is stored of it was removed or replaced. */
  readonly state: 'none' | 'set' | 'alarm';
  readonly setAt: string | null;
  /** Names the passphrase, and tells nothing about it: another one has another. */
  readonly keyId: string | null;
  /** Somebody changed what decisions rest on: sentences for people. */
  readonly alarms: readonly string[];
  readonly browsers: readonly PairedBrowser[];
  /** The id of the browser that asks, if it is paired. */
  readonly self: string | null;
}

export interface PairedBrowser {
  readonly id: string;
  readonly name: string;
  readonly pairedAt: string;
  readonly expiresAt: string;
}

/** So many that have ended are still told of. */
export const ENDED_KEPT = 20;

/** The list after news of one of them. */
export function withApproval(asks: readonly ApprovalRequest[], news: ApprovalRequest): readonly ApprovalRequest[] {
  const isKnown = asks.some(({ id }) => id === news.id);
  const all = isKnown ? asks.map((ask) => (ask.id === news.id ? news : ask)) : [...asks, news];
  const ended = all.filter(({ end }) => end !== null).length;
  let toDrop = Math.max(0, ended - ENDED_KEPT);
  return all.filter(({ end }) => end === null || toDrop-- <= 0);
}
