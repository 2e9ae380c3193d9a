import { known } from '../../lib/json.ts';
import { splitRich } from '../messages/rich-text.ts';
import { answerPress, handlePress } from './approvals.ts';
import {
  BotApiError,
  type ChatUser,
  type IncomingMessage,
  LONGEST_MESSAGE,
  MOST_MARKS,
  type Press,
  problemIn,
  type Update,
} from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { type ChatState, type Reply, withChat } from './chat-state.ts';
import { answerCommand, isAction } from './commands.ts';

const PAUSE_MS = { network: 2_000, longest: 30_000, conflict: 10_000, useless: 60_000 };

/** Handles messages and button presses. Each update is acted on once, whatever happens in between. */
export class Listener {
  readonly #context: ChatContext;
  readonly #botName: string;
  readonly #signal: AbortSignal;
  #pause = PAUSE_MS.network;

  constructor(context: ChatContext, botName: string, signal: AbortSignal) {
    this.#context = context;
    this.#botName = botName;
    this.#signal = signal;
  }

  /** Until the signal. */
  async run(): Promise<void> {
    const { api, book, health, sleep } = this.#context;
    const signal = this.#signal;
    while (!signal.aborted) {
      try {
        const updates = await api.updates(book.read().updateId + 1, signal);
        health.reportSuccess();
        this.#pause = PAUSE_MS.network;
        // Telegram sends what has not been acknowledged. Update numbers may restart lower after a quiet week.
        for (const update of updates) await this.#handle(update);
      } catch (error) {
        if (signal.aborted) return;
        health.reportFailure(error);
        await sleep(this.#pauseFor(error), signal);
      }
    }
  }

  #pauseFor(error: unknown): number {
    const problem = problemIn(error);
    if (error instanceof BotApiError && problem === 'flood') return error.retryAfterMs;
    if (problem === 'conflict') return PAUSE_MS.conflict;
    if (problem === 'revoked' || problem === 'webhook') return PAUSE_MS.useless;
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, PAUSE_MS.longest);
    return pause;
  }

  /** A reply is saved together with the number of the update that it answers. */
  async #handle(update: Update): Promise<void> {
    const { book } = this.#context;
    let replies: readonly Reply[] = [];
    if (update.kind === 'message' && isAction(update.message.text))
      book.keep((state) => markHandled(state, update, []));
    // A failed update is not retried: it would fail again, and everything behind it waits.
    try {
      if (update.kind === 'press') await this.#handlePress(update.press);
      if (update.kind === 'message') replies = await this.#answer(update.id, update.message);
    } catch (error) {
      this.#context.health.reportFailure(error);
    }
    book.keep((state) => markHandled(state, update, replies));
  }

  async #handlePress(press: Press): Promise<void> {
    const { health } = this.#context;
    const chat = press.place?.chat ?? press.from.id;
    if (!isAllowed(chat, press.from, this.#context)) return health.countStranger(chat, press.from.id);
    const text = await handlePress(press, this.#context).catch((error: unknown) => {
      health.reportFailure(error);
      return 'troupe cannot be asked now. The question stands.';
    });
    await answerPress(press, text, this.#context);
  }

  async #answer(id: number, message: IncomingMessage): Promise<readonly Reply[]> {
    const { chat, from, thread } = message;
    if (!isAllowed(chat, from, this.#context)) {
      this.#context.health.countStranger(chat, from?.id);
      return [];
    }
    const body = await answerCommand(message, this.#botName, this.#context);
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

function markHandled(state: ChatState, update: Update, replies: readonly Reply[]): ChatState {
  const next = { ...state, updateId: update.id, replies: [...state.replies, ...replies] };
  if (update.kind !== 'message') return next;
  const { chat, message } = update.message;
  // Messages of others take numbers, too.
  const known = next.chats[chat];
  return known && known.lastId < message ? withChat(next, chat, { lastId: message }) : next;
}
