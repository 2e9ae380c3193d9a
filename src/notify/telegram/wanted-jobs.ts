import { type Ask, isSessionBusy, type LiveSnapshot, type SessionDetail } from '../../core/index.ts';
import type { RichText } from '../messages/rich-text.ts';
import { isLoud, type News } from '../news.ts';
import { keyOf } from '../news-desk.ts';
import type { ChatOptions } from './chat-options.ts';
import type { AskedHere, ChatState, Reply } from './chat-state.ts';
import type { Request } from './limits.ts';
import { BOARD_FROM, wantedBoard, wantedStatus } from './wanted-texts.ts';

/** One request to Telegram that should be made. */
export interface Job {
  readonly chat: number;
  readonly request: Request;
  /** Of those that may go out, the one whose time is up first goes first. Epoch milliseconds. */
  readonly deadline: number;
  readonly work: Work;
}

export type Work =
  | { readonly kind: 'topic'; readonly session: SessionDetail }
  | { readonly kind: 'status'; readonly session: SessionDetail; readonly text: RichText }
  | { readonly kind: 'news'; readonly session: SessionDetail; readonly news: readonly News[] }
  | { readonly kind: 'ask'; readonly ask: Ask; readonly session: string | null }
  | { readonly kind: 'ask-over'; readonly nonce: string; readonly asked: AskedHere; readonly ask: Ask | undefined }
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'board'; readonly text: RichText };

export interface View {
  readonly state: ChatState;
  readonly picture: LiveSnapshot;
  readonly options: ChatOptions;
  readonly forums: ReadonlySet<number>;
  /** By session: what there is to tell, and since when. */
  readonly news: ReadonlyMap<string, { readonly news: readonly News[]; readonly since: number }>;
  /** Whether the file is there that somebody waits for. */
  isMade(reply: string): boolean;
  /** Since when a message has not been what it should be; asked only of those that are not. */
  dirtySince(slot: string): number;
  readonly now: number;
}

/** News that come together are told together. */
const GATHER_MS = 800;
/** Where there is nothing but calls, more of them will come. */
const GATHER_CALLS_MS = 8_000;
const NEWS_MS = 2_500;
/** Where messages are few, those that say more go first. */
const CALLS_MS = 60_000;
const STATUS_MS = 3_000;
const BOARD_MS = 1_500;
/** Earlier than any time, but behind what a person waits for. */
const FIRST = 1;
/** Where the board has it already. */
const BEHIND_BOARD_MS = 60_000;

/** Everything that should be sent or changed now, in whatever order. */
export function wantedJobs(view: View): readonly Job[] {
  const { state, options } = view;
  return [
    ...state.replies
      .filter(({ id, body }) => 'text' in body || view.isMade(id))
      .map((reply): Job => ({ chat: reply.chat, request: 'send', deadline: 0, work: { kind: 'reply', reply } })),
    ...askJobs(view),
    ...view.picture.sessions.flatMap((session) => sessionJobs(session, view)),
    ...options.chats.flatMap((chat) => boardJobs(chat, view)),
  ].filter(({ chat }) => options.chats.includes(chat));
}

function sessionJobs(session: SessionDetail, view: View): readonly Job[] {
  const { state, picture, options, forums, now } = view;
  const key = keyOf(session);
  const place = state.sessions[key];
  if (!place) return [];
  const { chat } = place;
  const pending = view.news.get(key);
  const isBusy = isSessionBusy(session);
  if (options.sessions === 'topic' && forums.has(chat) && place.thread === undefined) {
    const isWanted = isBusy || pending !== undefined;
    return isWanted ? [{ chat, request: 'send', deadline: now, work: { kind: 'topic', session } }] : [];
  }
  const text = wantedStatus(state, picture, session, now);
  // A session that was over when we came, and of which there is nothing to tell, needs no message that says so.
  const isStatusWanted = place.status ? place.status.text !== text.text : isBusy || pending !== undefined;
  const since = isStatusWanted ? view.dirtySince(`status ${key}`) : now;
  const isOnBoard = state.chats[chat]?.board !== undefined && busyIn(chat, view) >= BOARD_FROM;
  const status: Job = {
    chat,
    request: place.status ? 'edit' : 'send',
    deadline: since + (place.status && isOnBoard ? BEHIND_BOARD_MS : STATUS_MS),
    work: { kind: 'status', session, text },
  };
  const isTellable = pending && now - pending.since >= gatherFor(pending.news);
  const news: readonly Job[] = isTellable
    ? [
        {
          chat,
          request: 'send',
          deadline: pending.since + (isOnlyCalls(pending.news) ? CALLS_MS : NEWS_MS),
          work: { kind: 'news', session, news: pending.news },
        },
      ]
    : [];
  // What is first in a chat is the message that stays.
  if (!place.status && isStatusWanted) return [status];
  return isStatusWanted ? [status, ...news] : news;
}

function gatherFor(news: readonly News[]): number {
  if (news.some(isLoud)) return 0;
  return isOnlyCalls(news) ? GATHER_CALLS_MS : GATHER_MS;
}

function isOnlyCalls(news: readonly News[]): boolean {
  return news.every(({ kind }) => kind === 'called');
}

function busyIn(chat: number, { state, picture }: View): number {
  return picture.sessions.filter((session) => state.sessions[keyOf(session)]?.chat === chat && isSessionBusy(session))
    .length;
}

function boardJobs(chat: number, view: View): readonly Job[] {
  const { state, picture, now } = view;
  const text = wantedBoard(state, picture, chat, now);
  const sent = state.chats[chat]?.board;
  if (!text || sent?.text === text.text) return [];
  // It speaks for all the others, which may be behind for long: it goes before them, but leaves them room.
  const since = view.dirtySince(`board ${chat}`);
  if (sent && now - since < BOARD_MS) return [];
  return [{ chat, request: sent ? 'edit' : 'send', deadline: FIRST, work: { kind: 'board', text } }];
}

function askJobs({ state, picture, options, now }: View): readonly Job[] {
  const standing = new Map(Object.entries(state.asks).map(([nonce, asked]) => [asked.ask, { nonce, asked }]));
  const [home] = options.chats;
  const opened = picture.asks.flatMap((ask): Job[] => {
    if (ask.end !== null || standing.has(ask.id) || Date.parse(ask.expiresAt) <= now) return [];
    const session = ask.session === null ? null : `${ask.host}:${ask.session}`;
    const chat = (session === null ? undefined : state.sessions[session]?.chat) ?? home;
    return chat === undefined ? [] : [{ chat, request: 'send', deadline: 0, work: { kind: 'ask', ask, session } }];
  });
  const over = [...standing.values()].flatMap(({ nonce, asked }): Job[] => {
    const ask = picture.asks.find(({ id }) => id === asked.ask);
    // One that nobody has heard of any more may be of a server that is gone: it has ended when its time was over.
    const isOver = ask ? ask.end !== null : now > asked.expiresAt;
    if (!isOver) return [];
    return [{ chat: asked.chat, request: 'edit', deadline: now, work: { kind: 'ask-over', nonce, asked, ask } }];
  });
  return [...opened, ...over];
}
