import {
  type ApprovalRequest,
  isSessionBusy,
  type LiveSnapshot,
  type SessionDetail,
  sessionKey,
} from '../../core/index.ts';
import { getOrAdd } from '../../lib/group.ts';
import { known } from '../../lib/json.ts';
import { sessionLine } from '../messages/notification-lines.ts';
import { joinRich, type RichText, rich, splitRich } from '../messages/rich-text.ts';
import { statusMessage } from '../messages/status-message.ts';
import { type EndNotification, emptyRecord, isCorrection, isLoud, type Notification } from '../notification.ts';
import { LONGEST_MESSAGE, MOST_MARKS, type Request } from './bot-api.ts';
import type { ChatOptions } from './chat-context.ts';
import type { ChatState, Reply, SentApproval, SentNews, SessionPlace } from './chat-state.ts';

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
  | { readonly kind: 'news'; readonly session: SessionDetail; readonly news: readonly Notification[] }
  | {
      readonly kind: 'correction';
      readonly session: SessionDetail;
      readonly sent: SentNews;
      readonly news: readonly EndNotification[];
    }
  | { readonly kind: 'ask'; readonly ask: ApprovalRequest; readonly session: string | null }
  | {
      readonly kind: 'ask-over';
      readonly nonce: string;
      readonly asked: SentApproval;
      readonly ask: ApprovalRequest | undefined;
    }
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'board'; readonly text: RichText };

/** Notifications of one session that wait to be sent, and since when. */
export interface Waiting {
  readonly news: readonly Notification[];
  readonly since: number;
}

interface View {
  readonly state: ChatState;
  readonly picture: LiveSnapshot;
  readonly options: ChatOptions;
  readonly forums: ReadonlySet<number>;
  /** By session. */
  readonly news: ReadonlyMap<string, Waiting>;
  /** Whether the file is there that somebody waits for. */
  isExported(reply: string): boolean;
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
export function planJobs(view: View): readonly Job[] {
  const { state, options } = view;
  return [
    ...state.replies
      .filter(({ id, body }) => 'text' in body || view.isExported(id))
      .map((reply): Job => ({ chat: reply.chat, request: 'send', deadline: 0, work: { kind: 'reply', reply } })),
    ...approvalJobs(view),
    ...view.picture.sessions.flatMap((session) => sessionJobs(session, view)),
    ...options.chats.flatMap((chat) => boardJobs(chat, view)),
  ].filter(({ chat }) => options.chats.includes(chat));
}

function sessionJobs(session: SessionDetail, view: View): readonly Job[] {
  const { state, options, forums, now } = view;
  const key = sessionKey(session);
  const place = state.sessions[key];
  if (!place) return [];
  const { chat } = place;
  const pending = view.news.get(key);
  const isBusy = isSessionBusy(session);
  if (options.sessions === 'topic' && forums.has(chat) && place.thread === undefined) {
    const isWanted = isBusy || pending !== undefined;
    return isWanted ? [{ chat, request: 'send', deadline: now, work: { kind: 'topic', session } }] : [];
  }
  const text = statusText(session, view);
  // A session that was over when we came, and of which there is nothing to tell, needs no message that says so.
  const isStatusWanted = place.status ? place.status.text !== text.text : isBusy || pending !== undefined;
  const since = isStatusWanted ? view.dirtySince(`status ${key}`) : now;
  const isOnBoard = state.chats[chat]?.board !== undefined && busyIn(chat, view).length >= BOARD_FROM;
  const status: Job = {
    chat,
    request: place.status ? 'edit' : 'send',
    deadline: since + (place.status && isOnBoard ? BEHIND_BOARD_MS : STATUS_MS),
    work: { kind: 'status', session, text },
  };
  // What is first in a chat is the message that stays.
  if (!place.status && isStatusWanted) return [status];
  const jobs = isStatusWanted ? [status] : [];
  if (!pending) return jobs;
  const { corrections, others } = splitCorrections(pending.news, place);
  for (const [sent, news] of corrections)
    jobs.push({ chat, request: 'edit', deadline: pending.since, work: { kind: 'correction', session, sent, news } });
  if (others.length > 0 && now - pending.since >= gatherFor(others)) {
    const deadline = pending.since + (isOnlyCalls(others) ? CALLS_MS : NEWS_MS);
    jobs.push({ chat, request: 'send', deadline, work: { kind: 'news', session, news: others } });
  }
  return jobs;
}

/** By the message that says it. What is in no message that is remembered is sent like anything else. */
function splitCorrections(news: readonly Notification[], { corrigible = [] }: SessionPlace) {
  const corrections = new Map<SentNews, EndNotification[]>();
  const others: Notification[] = [];
  for (const one of news) {
    const sent = corrigible.find(({ lines }) => lines.some(({ id }) => id === one.id));
    if (sent && isCorrection(one)) getOrAdd(corrections, sent, () => []).push(one);
    else others.push(one);
  }
  return { corrections, others };
}

function gatherFor(news: readonly Notification[]): number {
  if (news.some(isLoud)) return 0;
  return isOnlyCalls(news) ? GATHER_CALLS_MS : GATHER_MS;
}

function isOnlyCalls(news: readonly Notification[]): boolean {
  return news.every(({ kind }) => kind === 'called');
}

function busyIn(chat: number, { state, picture }: View): readonly SessionDetail[] {
  return picture.sessions.filter(
    (session) => state.sessions[sessionKey(session)]?.chat === chat && isSessionBusy(session),
  );
}

function boardJobs(chat: number, view: View): readonly Job[] {
  const { state, now } = view;
  const text = boardText(chat, view);
  const sent = state.chats[chat]?.board;
  if (!text || sent?.text === text.text) return [];
  // It speaks for all the others, which may be behind for long: it goes before them, but leaves them room.
  const since = view.dirtySince(`board ${chat}`);
  if (sent && now - since < BOARD_MS) return [];
  return [{ chat, request: sent ? 'edit' : 'send', deadline: FIRST, work: { kind: 'board', text } }];
}

function approvalJobs({ state, picture, options, now }: View): readonly Job[] {
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

/** More at work in one chat than can each be brought up to date within a few seconds, at one request a second. */
const BOARD_FROM = 4;
const BOARD_LINE = 150;

/** The current text of a session's status message, cut to the length of one message. */
function statusText(session: SessionDetail, { state, picture, now }: View): RichText {
  const status = statusMessage(session, now);
  const isShared = isChatShared(state, picture, sessionKey(session), now);
  const whole = isShared ? joinRich([sessionLine(session), status]) : status;
  return splitRich(whole, LONGEST_MESSAGE, MOST_MARKS)[0] ?? rich('⚙️ working…');
}

/** All sessions of a chat in one message: a line each. Undefined where there was never a need for it. */
function boardText(chat: number, view: View): RichText | undefined {
  const busy = busyIn(chat, view);
  if (busy.length < BOARD_FROM && !view.state.chats[chat]?.board) return undefined;
  if (busy.length === 0) return rich('✅ nobody at work');
  const lines = busy.map((session) => {
    const line = joinRich([sessionLine(session), headOf(statusMessage(session, view.now))], ' ');
    return withOneMark(splitRich(line, BOARD_LINE)[0] ?? rich());
  });
  return fitting(rich(`⚙️ ${busy.length} ${busy.length === 1 ? 'session' : 'sessions'} at work`), lines);
}

/** Names of many agents in many lines are more marks than a message may have. */
function withOneMark({ text, marks }: RichText): RichText {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last) return { text, marks };
  return { text, marks: [{ kind: 'code', from: first.from, length: last.from + last.length - first.from }] };
}

function headOf(status: RichText): RichText {
  const end = status.text.indexOf('\n');
  return end < 0 ? status : (splitRich(status, end)[0] ?? status);
}

/** As many lines as there is room for; how many are missing is said. */
function fitting(head: RichText, lines: readonly RichText[]): RichText {
  for (let shown = lines.length; shown > 0; shown--) {
    const left = lines.length - shown;
    const text = joinRich([head, ...lines.slice(0, shown), ...(left > 0 ? [rich(`… ${left} more`)] : [])]);
    if (text.text.length <= LONGEST_MESSAGE && text.marks.length <= MOST_MARKS) return text;
  }
  return head;
}

/** Nobody asks about a session so long after it was last seen. */
const FORGET_MS = 3 * 86_400_000;
/** Sessions that were active within this share their chat: then messages say whose they are. */
const TOGETHER_MS = 30 * 60_000;

/** Gives every session that is worth a word its chat, and forgets those that are gone for long. */
export function placeSessions(view: Pick<View, 'state' | 'picture' | 'options' | 'forums' | 'now'>): ChatState {
  const { state, picture, options, now } = view;
  const places: Record<string, SessionPlace> = {};
  const present = new Map(picture.sessions.map((session) => [sessionKey(session), session]));
  let isOther = false;
  for (const [key, place] of Object.entries(state.sessions)) {
    const isHere = present.has(key);
    const isLost = !isHere && now - place.seenAt > FORGET_MS;
    // The person has taken its chat out of the settings.
    const isHomeless = isHere && !options.chats.includes(place.chat);
    // Once a while is often enough: it is written down each time.
    const isOld = isHere && now - place.seenAt > FORGET_MS / 10;
    if (!isLost && !isHomeless) places[key] = isOld ? { ...place, seenAt: now } : place;
    if (isLost || isHomeless || isOld) isOther = true;
  }
  for (const [key, session] of present) {
    const before = state.sessions[key];
    const isRelevant = isSessionBusy(session) || Date.parse(session.lastActivityAt ?? '') >= state.since;
    if (places[key] || (!before && !isRelevant)) continue;
    const chat = chooseChat(view, places);
    if (chat === undefined) continue;
    const { told = emptyRecord(state.since), mutedUntil } = before ?? {};
    places[key] = { chat, told, seenAt: now, ...known({ mutedUntil }) };
    isOther = true;
  }
  return isOther ? { ...state, sessions: places } : state;
}

/** One with topics has room for all; of the others, the one with the fewest at work. */
function chooseChat(
  { picture, options: { chats, sessions }, forums }: Pick<View, 'picture' | 'options' | 'forums'>,
  places: ChatState['sessions'],
): number | undefined {
  const forum = sessions === 'topic' ? chats.find((chat) => forums.has(chat)) : undefined;
  if (forum !== undefined) return forum;
  const busy = picture.sessions.filter(isSessionBusy).map((session) => places[sessionKey(session)]?.chat);
  const load = (chat: number): number => busy.filter((one) => one === chat).length;
  return chats.toSorted((a, b) => load(a) - load(b))[0];
}

/** Whether messages have to say which session they are about: others are in the same chat, and nothing else tells them apart. */
export function isChatShared(state: ChatState, picture: LiveSnapshot, key: string, now: number): boolean {
  const own = state.sessions[key];
  if (!own || own.thread !== undefined) return false;
  return picture.sessions.some((other) => {
    const place = sessionKey(other) === key ? undefined : state.sessions[sessionKey(other)];
    const isRecent = now - Date.parse(other.lastActivityAt ?? '') < TOGETHER_MS;
    return place?.chat === own.chat && place.thread === undefined && (isRecent || isSessionBusy(other));
  });
}
