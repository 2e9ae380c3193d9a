import { known } from '../../lib/json.ts';
import type { RichText } from '../messages/rich-text.ts';
import { type BotApi, BotApiError, type Buttons } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import {
  type ChatState,
  markArrived,
  newestId,
  type Pending,
  type Purpose,
  withChat,
  withoutPending,
  withSession,
} from './chat-state.ts';

interface Sendable {
  readonly purpose: Purpose;
  readonly thread?: number;
  readonly text: RichText;
  readonly buttons?: Buttons;
}

/** Sends a message. If it may or may not have arrived, it stays pending until `recover` finds out. */
export async function sendMessage(
  chat: number,
  what: Sendable,
  isSilent: boolean,
  context: ChatContext,
): Promise<void> {
  await sendWith(chat, what, context, (text) => context.api.send({ chat, isSilent, ...what, text }));
}

/** The same by another method than that of texts. */
export async function sendWith(
  chat: number,
  what: Sendable,
  context: ChatContext,
  act: (text: RichText) => Promise<number>,
): Promise<void> {
  const { book } = context;
  try {
    await attempt(what);
  } catch (error) {
    if (!(error instanceof BotApiError) || error.problem !== 'refused') throw error;
    context.health.reportFailure(error);
    // It may be our marks that it does not like. Without them it is plain text, which is never wrong.
    await attempt({ ...what, text: { ...what.text, marks: [] } }).catch((again: unknown) => {
      const isLeftOut = again instanceof BotApiError && again.problem === 'refused' && isOneOfMany(what.purpose);
      if (!isLeftOut) throw again;
      book.keep((state) => markGivenUp(state, what.purpose));
    });
  }

  async function attempt(one: Sendable): Promise<void> {
    book.keep((state) => withChat(state, chat, { pending: toPending(one, state, chat) }));
    try {
      const message = await act(one.text);
      book.keep((state) => markArrived(state, chat, message));
    } catch (error) {
      const isKnown = error instanceof BotApiError && error.problem !== 'network';
      if (isKnown || !(error instanceof BotApiError)) book.keep((state) => withoutPending(state, chat));
      throw error;
    }
  }
}

function toPending({ purpose, thread, text, buttons }: Sendable, state: ChatState, chat: number): Pending {
  const after = newestId(state, chat);
  return { purpose, text, after, ...known({ thread, buttons }) };
}

/** What comes behind it must not wait for it. */
function isOneOfMany({ kind }: Purpose): boolean {
  return kind === 'news' || kind === 'reply' || kind === 'file';
}

/** What Telegram will not take in any form is not tried for ever: the person at the terminal was told. */
function markGivenUp(state: ChatState, purpose: Purpose): ChatState {
  if (purpose.kind === 'news') return withSession(state, purpose.session, { told: purpose.told });
  if (purpose.kind !== 'reply' && purpose.kind !== 'file') return state;
  return { ...state, replies: state.replies.filter(({ id }) => id !== purpose.reply) };
}

/** False where the message is not there any more: somebody removed it. */
export async function change(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof BotApiError && error.problem === 'same') return true;
    if (error instanceof BotApiError && (error.problem === 'gone' || error.problem === 'no-topic')) return false;
    throw error;
  }
}

/** In a group, so many messages of others may stand between two of ours. */
const REACH = 40;
const GAP_MS = 120;
/** What was under way when we were killed may still arrive. */
export const SETTLE_MS = 1_500;

/**
 * Finds out whether a message that was on its way has arrived. Bots cannot read a chat, but they can try to change a message into
 * what it should be: of the one that arrived, Telegram says that it is so already; of all others, that they are not there or not
 * ours. Nothing changes by asking.
 */
export async function recover(chat: number, context: ChatContext, signal: AbortSignal): Promise<void> {
  const { api, book, sleep, limits } = context;
  const { pending } = book.read().chats[chat] ?? {};
  if (!pending) return;
  for (let message = pending.after + 1; message <= pending.after + REACH && !signal.aborted; message++) {
    const found = await probe(api, chat, message, pending);
    if (found === 'flood') {
      await sleep(limits.waitFor(chat, 'edit') || GAP_MS, signal);
      message--;
      continue;
    }
    if (found) return book.keep((state) => markArrived(state, chat, message));
    await sleep(GAP_MS, signal);
  }
  if (!signal.aborted) book.keep((state) => withoutPending(state, chat));

  async function probe(bot: BotApi, to: number, message: number, sent: Pending): Promise<boolean | 'flood'> {
    try {
      await tryToChange(bot, to, message, sent);
      return true;
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error;
      if (error.problem === 'same') return true;
      if (error.problem === 'gone' || error.problem === 'refused' || error.problem === 'no-topic') return false;
      if (error.problem !== 'flood') throw error;
      limits.hold(to, error.retryAfterMs);
      return 'flood';
    }
  }
}

function tryToChange(api: BotApi, chat: number, message: number, { purpose, text, buttons }: Pending): Promise<void> {
  if (purpose.kind === 'topic') return api.renameTopic(chat, message, text.text);
  if (purpose.kind === 'file') return api.editCaption({ chat, message }, text.text);
  return api.edit({ chat, message }, text, buttons);
}
