import { isSessionBusy, type LiveSnapshot, type SessionDetail } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { keyOf } from '../news-desk.ts';
import { nothingTold } from '../told.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatState, SessionPlace } from './chat-state.ts';

/** Nobody asks about a session so long after it was last seen. */
const FORGET_MS = 3 * 86_400_000;
/** Sessions that were active within this share their chat: then messages say whose they are. */
const TOGETHER_MS = 30 * 60_000;

/** Gives every session that is worth a word its chat, and forgets those that are gone for long. */
export function placeSessions(
  state: ChatState,
  { sessions }: LiveSnapshot,
  { chats, sessions: mode }: ChatOptions,
  forums: ReadonlySet<number>,
  now: number,
): ChatState {
  const places: Record<string, SessionPlace> = {};
  const present = new Map(sessions.map((session) => [keyOf(session), session]));
  const moved: string[] = [];
  let isOther = false;
  for (const [key, place] of Object.entries(state.sessions)) {
    const isHere = present.has(key);
    const isLost = !isHere && now - place.seenAt > FORGET_MS;
    // The person has taken its chat out of the settings.
    const isHomeless = isHere && !chats.includes(place.chat);
    // Once a while is often enough: it is written down each time.
    const isOld = isHere && now - place.seenAt > FORGET_MS / 10;
    if (isHomeless) moved.push(key);
    else if (!isLost) places[key] = isOld ? { ...place, seenAt: now } : place;
    if (isLost || isHomeless || isOld) isOther = true;
  }
  for (const [key, session] of present) {
    const before = moved.includes(key) ? state.sessions[key] : undefined;
    if (places[key] || (!before && !isWorthAWord(session, state.since))) continue;
    const chat = chooseChat(chats, forums, mode, places, present);
    if (chat === undefined) continue;
    const { told = nothingTold(state.since), mutedUntil } = before ?? {};
    places[key] = { chat, told, seenAt: now, ...known({ mutedUntil }) };
    isOther = true;
  }
  return isOther ? { ...state, sessions: places } : state;
}

function isWorthAWord(session: SessionDetail, since: number): boolean {
  return isSessionBusy(session) || Date.parse(session.lastActivityAt ?? '') >= since;
}

/** One with topics has room for all; of the others, the one with the fewest at work. */
function chooseChat(
  chats: readonly number[],
  forums: ReadonlySet<number>,
  mode: ChatOptions['sessions'],
  places: Readonly<Record<string, SessionPlace>>,
  present: ReadonlyMap<string, SessionDetail>,
): number | undefined {
  const forum = mode === 'topic' ? chats.find((chat) => forums.has(chat)) : undefined;
  if (forum !== undefined) return forum;
  const load = new Map(chats.map((chat) => [chat, 0]));
  for (const [key, { chat }] of Object.entries(places)) {
    const session = present.get(key);
    if (session && isSessionBusy(session)) load.set(chat, (load.get(chat) ?? 0) + 1);
  }
  return chats.toSorted((a, b) => (load.get(a) ?? 0) - (load.get(b) ?? 0))[0];
}

/** Whether messages have to say which session they are about: others are in the same chat, and nothing else tells them apart. */
export function sharesChat(state: ChatState, picture: LiveSnapshot, key: string, now: number): boolean {
  const own = state.sessions[key];
  if (!own || own.thread !== undefined) return false;
  return picture.sessions.some((other) => {
    const place = keyOf(other) === key ? undefined : state.sessions[keyOf(other)];
    const isRecent = now - Date.parse(other.lastActivityAt ?? '') < TOGETHER_MS;
    return place?.chat === own.chat && place.thread === undefined && (isRecent || isSessionBusy(other));
  });
}
