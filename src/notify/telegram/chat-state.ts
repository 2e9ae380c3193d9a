import { asObject } from '../../lib/json.ts';
import type { RichText } from '../messages/rich-text.ts';
import { parseRecord, type SentRecord } from '../notification.ts';
import type { Buttons } from './bot-api.ts';

/** What has to outlive this process: after it, nothing is said twice and nothing is left out. Kept before and after each message. */
export interface ChatState {
  /** Epoch milliseconds, of the first start: what happened before is history. */
  readonly since: number;
  /** The last of Telegram's updates that was acted on. */
  readonly updateId: number;
  /** By host and id. */
  readonly sessions: Readonly<Record<string, SessionPlace>>;
  /** By the chat's number. */
  readonly chats: Readonly<Record<string, ChatRecord>>;
  /** By what its buttons carry. */
  readonly asks: Readonly<Record<string, SentApproval>>;
  readonly allowances: readonly Allowance[];
  /** Answers to commands that wait to be sent, in order. */
  readonly replies: readonly Reply[];
}

/** Where a session is told about, and what was told. */
export interface SessionPlace {
  readonly chat: number;
  readonly thread?: number | undefined;
  readonly status?: SentText | undefined;
  readonly told: SentRecord;
  /** The newest messages that say how agents ended: a wrong one is corrected in place. */
  readonly corrigible?: readonly SentNews[];
  /** Epoch milliseconds. */
  readonly mutedUntil?: number;
  /** When it was last there: places of sessions that are gone are forgotten. */
  readonly seenAt: number;
}

export interface SentNews {
  readonly message: number;
  readonly lines: readonly NewsLine[];
}

/** `id`: of the notification, if it may turn out wrong. */
export interface NewsLine {
  readonly id?: string;
  readonly text: RichText;
}

const MOST_CORRIGIBLE = 20;

interface SentText {
  readonly message: number;
  readonly text: string;
}

interface ChatRecord {
  /** The newest message that we know of: one that was sent after it has a higher number. */
  readonly lastId: number;
  /** On its way: whether it arrived is not known until there is an answer. */
  readonly pending?: Pending | undefined;
  /** Of all its sessions, where they are many. */
  readonly board?: SentText | undefined;
}

export interface Sendable {
  readonly purpose: Purpose;
  readonly thread?: number;
  readonly text: RichText;
  readonly buttons?: Buttons;
}

export interface Pending extends Sendable {
  /** Numbers up to this were given before. */
  readonly after: number;
}

export type Purpose =
  | { readonly kind: 'topic' | 'status'; readonly session: string }
  /** `told`: what was told, once it has arrived. `lines`: of a message that may have to be corrected. */
  | {
      readonly kind: 'news';
      readonly session: string;
      readonly told: SentRecord;
      readonly lines?: readonly NewsLine[];
    }
  | { readonly kind: 'ask'; readonly nonce: string; readonly ask: string; readonly expiresAt: number }
  | { readonly kind: 'reply' | 'file'; readonly reply: string }
  | { readonly kind: 'board' };

/** A question that stands in a chat, with buttons. */
export interface SentApproval {
  readonly ask: string;
  readonly chat: number;
  readonly message: number;
  readonly text: string;
  readonly expiresAt: number;
}

/** What a person has allowed an agent to do from then on: calls of this tool that the same rule asks about. */
export interface Allowance {
  readonly session: string;
  readonly agent: string;
  readonly tool: string | null;
  readonly rule: string | null;
  readonly by: `telegram:${string}`;
  /** Epoch milliseconds. */
  readonly until: number;
}

export interface Reply {
  /** Of the update that it answers, and the how-manieth part of the answer it is. */
  readonly id: string;
  readonly chat: number;
  readonly thread?: number;
  readonly body: { readonly text: RichText } | { readonly exportOf: string };
}

export function newState(since: number): ChatState {
  return { since, updateId: 0, sessions: {}, chats: {}, asks: {}, allowances: [], replies: [] };
}

export function withSession(state: ChatState, key: string, change: Partial<SessionPlace>): ChatState {
  const before = state.sessions[key];
  return before ? { ...state, sessions: { ...state.sessions, [key]: { ...before, ...change } } } : state;
}

export function withChat(state: ChatState, chat: number, change: Partial<ChatRecord>): ChatState {
  const before = state.chats[chat] ?? { lastId: 0 };
  return { ...state, chats: { ...state.chats, [chat]: { ...before, ...change } } };
}

/** Messages outside supergroups are numbered for the whole bot: the newest of any of them counts. */
export function newestId({ chats }: ChatState, chat: number): number {
  const own = chats[chat]?.lastId ?? 0;
  if (isSupergroup(chat)) return own;
  const others = Object.entries(chats).filter(([id]) => !isSupergroup(Number(id)));
  return Math.max(own, ...others.map(([, { lastId }]) => lastId));
}

function isSupergroup(chat: number): boolean {
  return chat < -1_000_000_000_000;
}

/** The state after what was on its way to a chat has arrived as this message. */
export function markArrived(state: ChatState, chat: number, message: number): ChatState {
  const { pending, lastId = 0 } = state.chats[chat] ?? {};
  if (!pending) return state;
  const next = withChat(state, chat, { pending: undefined, lastId: Math.max(message, lastId) });
  return withPurpose(next, chat, message, pending);
}

/** The state after a message with this purpose was sent or given up. */
export function withPurpose(state: ChatState, chat: number, message: number, { purpose, text }: Sendable): ChatState {
  switch (purpose.kind) {
    case 'topic':
      return withSession(state, purpose.session, { thread: message });
    case 'status':
      return withSession(state, purpose.session, { status: { message, text: text.text } });
    case 'news': {
      const { session, told, lines } = purpose;
      const before = state.sessions[session]?.corrigible ?? [];
      const isKept = lines !== undefined && message > 0;
      return withSession(state, session, {
        told,
        ...(isKept && { corrigible: [...before, { message, lines }].slice(-MOST_CORRIGIBLE) }),
      });
    }
    case 'board':
      return withChat(state, chat, { board: { message, text: text.text } });
    case 'ask': {
      const asked = { ask: purpose.ask, chat, message, text: text.text, expiresAt: purpose.expiresAt };
      return { ...state, asks: { ...state.asks, [purpose.nonce]: asked } };
    }
    case 'reply':
    case 'file':
      return { ...state, replies: state.replies.filter(({ id }) => id !== purpose.reply) };
  }
}

/** Throws where it is not what we wrote: to go on with half of it would tell things twice. */
export function parseState(text: string): ChatState {
  const raw = asObject(JSON.parse(text));
  const [since, updateId] = [raw?.['since'], raw?.['updateId']];
  const [sessions, chats, asks] = [asObject(raw?.['sessions']), asObject(raw?.['chats']), asObject(raw?.['asks'])];
  const [allowances, replies] = [raw?.['allowances'], raw?.['replies']];
  const hasNumbers = typeof since === 'number' && typeof updateId === 'number';
  if (!hasNumbers || !sessions || !chats || !asks || !Array.isArray(allowances) || !Array.isArray(replies))
    throw new Error('it is not what troupe telegram writes');
  const places = Object.entries(sessions).map(([key, value]): [string, SessionPlace] => {
    const place = value as SessionPlace;
    if (typeof place?.chat !== 'number') throw new Error(`the place of ${key} is missing`);
    return [key, { ...place, told: parseRecord(place.told, since), seenAt: place.seenAt ?? since }];
  });
  return {
    since,
    updateId,
    sessions: Object.fromEntries(places),
    chats: chats as ChatState['chats'],
    asks: asks as ChatState['asks'],
    allowances,
    replies,
  };
}
