import { known } from '../../lib/json.ts';
import { splitRich } from '../messages/rich-text.ts';
import { answerPress, takePress } from './approvals.ts';
import {
  BotApiError,
  type ChatUser,
  type IncomingMessage,
  LONGEST_MESSAGE,
  MOST_MARKS,
  type Press,
  type Update,
} from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { type ChatState, type Reply, withChat } from './chat-state.ts';
import { answerCommand, isDeed } from './commands.ts';

const PAUSE_MS = { network: 2_000, longest: 30_000, conflict: 10_000, useless: 60_000 };

/** Hears what people say and press, until the signal. Each update is acted on once, whatever happens in between. */
export async function runListener(context: ChatContext, botName: string, signal: AbortSignal): Promise<void> {
  const { api, book, health, sleep } = context;
  let pause = PAUSE_MS.network;
  while (!signal.aborted) {
    try {
      const updates = await api.updates(book.read().updateId + 1, signal);
      health.well();
      pause = PAUSE_MS.network;
      // Telegram gives what it has not been told that we know. Their numbers may begin anew after a quiet week, and then be lower.
      for (const update of updates) await take(update);
    } catch (error) {
      if (signal.aborted) return;
      health.met(error);
      await sleep(pauseFor(error), signal);
    }
  }

  function pauseFor(error: unknown): number {
    const problem = error instanceof BotApiError ? error.problem : undefined;
    if (error instanceof BotApiError && problem === 'flood') return error.retryAfterMs;
    if (problem === 'conflict') return PAUSE_MS.conflict;
    if (problem === 'revoked' || problem === 'webhook') return PAUSE_MS.useless;
    const now = pause;
    pause = Math.min(pause * 2, PAUSE_MS.longest);
    return now;
  }

  /** What is answered is written down together with what it answers. */
  async function take(update: Update): Promise<void> {
    // What cannot be done now would not be done better when it is heard again, and everything behind it waits.
    if (update.kind === 'press') await takeButton(update.press).catch(health.met);
    if (update.kind === 'message' && isDeed(update.message.text)) book.keep((state) => heard(state, update, []));
    const taken = update.kind === 'message' ? takeMessage(update.id, update.message) : [];
    const replies = await Promise.resolve(taken).catch((error: unknown) => {
      health.met(error);
      return [];
    });
    book.keep((state) => heard(state, update, replies));
  }

  async function takeButton(press: Press): Promise<void> {
    const chat = press.place?.chat ?? press.from.id;
    if (!isAllowed(chat, press.from, context)) return health.stranger(chat, press.from.id);
    const told = await takePress(press, context).catch((error: unknown) => {
      health.met(error);
      return 'troupe cannot be asked now. The question stands.';
    });
    await answerPress(press, told, context);
  }

  async function takeMessage(id: number, message: IncomingMessage): Promise<readonly Reply[]> {
    const { chat, from, thread } = message;
    if (!isAllowed(chat, from, context)) {
      health.stranger(chat, from?.id);
      return [];
    }
    const body = await answerCommand(message, botName, context);
    if (!body) return [];
    const bodies =
      'text' in body ? splitRich(body.text, LONGEST_MESSAGE, MOST_MARKS).map((text) => ({ text })) : [body];
    return bodies.map((one, part) => ({ id: `${id}:${part}`, chat, body: one, ...known({ thread }) }));
  }
}

/** Of an allowed chat; and, where people are named, by one of them. */
function isAllowed(chat: number, user: ChatUser | undefined, { options }: ChatContext): boolean {
  if (!options.chats.includes(chat)) return false;
  return options.users.length === 0 || (user !== undefined && options.users.includes(user.id));
}

function heard(state: ChatState, update: Update, replies: readonly Reply[]): ChatState {
  const next = { ...state, updateId: update.id, replies: [...state.replies, ...replies] };
  if (update.kind !== 'message') return next;
  const { chat, message } = update.message;
  // Messages of others take numbers, too.
  const known = next.chats[chat];
  return known && known.lastId < message ? withChat(next, chat, { lastId: message }) : next;
}
