// What a command is about: by the beginning of an id, else by where it was said.

import { type AgentReport, isSessionBusy, type LiveSnapshot, type SessionDetail } from '../../core/index.ts';
import { UserError } from '../../lib/user-error.ts';
import { keyOf } from '../news-desk.ts';
import type { IncomingMessage } from './bot-api.ts';
import type { ChatState } from './chat-state.ts';

export interface FoundAgent {
  readonly agent: AgentReport;
  readonly session: SessionDetail;
}

type Place = Pick<IncomingMessage, 'chat' | 'thread'>;

export function namedSession(given: string, { sessions }: LiveSnapshot): SessionDetail {
  return only(
    sessions.filter(({ id }) => id.startsWith(given)),
    `session ${given}`,
  );
}

/** To look at: the one of this topic or chat; else the newest at work. The answer says which it is. */
export function sessionHere(place: Place, picture: LiveSnapshot, state: ChatState): SessionDetail {
  const { sessions } = picture;
  const here = sessionsAt(place, picture, state);
  return here.find(isSessionBusy) ?? here[0] ?? sessions.find(isSessionBusy) ?? sessions[0] ?? only([], 'session');
}

/** To do something to: only where there is no doubt which one is meant. */
export function sessionMeant(place: Place, picture: LiveSnapshot, state: ChatState): SessionDetail {
  const here = sessionsAt(place, picture, state);
  const candidates = here.length > 0 ? here : picture.sessions;
  const busy = candidates.filter(isSessionBusy);
  const [first, ...others] = busy.length > 0 ? busy : candidates;
  if (first && others.length > 0)
    throw new UserError(
      'not-one',
      `It could be one of ${others.length + 1} sessions.`,
      'See /sessions, and say its id.',
    );
  return first ?? only([], 'session');
}

function sessionsAt({ chat, thread }: Place, { sessions }: LiveSnapshot, state: ChatState): readonly SessionDetail[] {
  return sessions.filter((session) => {
    const place = state.sessions[keyOf(session)];
    return place?.chat === chat && place.thread === thread;
  });
}

export function namedAgent(given: string, picture: LiveSnapshot): FoundAgent {
  return only(agentsOf(given, picture), `agent ${given}`);
}

/** Undefined where it may be a word as well. */
export function agentIfNamed(given: string, picture: LiveSnapshot): FoundAgent | undefined {
  if (given.length < 4) return undefined;
  const found = agentsOf(given, picture);
  return found.length === 1 ? found[0] : undefined;
}

function agentsOf(given: string, { sessions }: LiveSnapshot): readonly FoundAgent[] {
  return sessions.flatMap((session) =>
    [session.main, ...session.subagents].filter(({ id }) => id.startsWith(given)).map((agent) => ({ agent, session })),
  );
}

function only<T>(found: readonly T[], what: string): T {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const words = first === undefined ? `There is no ${what}.` : `There are ${found.length} of ${what}.`;
  throw new UserError('not-found', words, 'See them with /sessions and /tree, and say more of the id.');
}
