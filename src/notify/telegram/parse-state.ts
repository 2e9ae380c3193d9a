import { asObject } from '../../lib/json.ts';
import { readTold } from '../told.ts';
import type { ChatState, SessionPlace } from './chat-state.ts';

/** Throws where it is not what we wrote: to go on with half of it would tell things twice. */
export function parseState(text: string): ChatState {
  const raw = asObject(JSON.parse(text));
  const [since, updateId] = [raw?.['since'], raw?.['updateId']];
  const [sessions, chats, asks] = [asObject(raw?.['sessions']), asObject(raw?.['chats']), asObject(raw?.['asks'])];
  const [allowances, replies] = [raw?.['allowances'], raw?.['replies']];
  if (typeof since !== 'number' || typeof updateId !== 'number' || !sessions || !chats || !asks)
    throw new Error('it is not what troupe telegram writes');
  if (!Array.isArray(allowances) || !Array.isArray(replies)) throw new Error('it is not what troupe telegram writes');
  const places = Object.entries(sessions).map(([key, value]): [string, SessionPlace] => {
    const place = value as SessionPlace;
    if (typeof place?.chat !== 'number') throw new Error(`the place of ${key} is missing`);
    return [key, { ...place, told: readTold(place.told, since), seenAt: place.seenAt ?? since }];
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
