import type { RichText } from '../messages/rich-text.ts';
import { BotApiError, problemIn } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { markArrived, newestId, type Purpose, type Sendable, withChat, withPurpose } from './chat-state.ts';

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
    if (problemIn(error) !== 'refused') throw error;
    context.health.reportFailure(error);
    // It may be our marks that it does not like. Without them it is plain text, which is never wrong.
    await attempt({ ...what, text: { ...what.text, marks: [] } }).catch((again: unknown) => {
      if (problemIn(again) !== 'refused' || !isOneOfMany(what.purpose)) throw again;
      // Not retried: Telegram refuses it in any form, and the failure has been reported.
      book.keep((state) => withPurpose(state, chat, 0, what));
    });
  }

  async function attempt(one: Sendable): Promise<void> {
    book.keep((state) => withChat(state, chat, { pending: { ...one, after: newestId(state, chat) } }));
    try {
      const message = await act(one.text);
      book.keep((state) => markArrived(state, chat, message));
    } catch (error) {
      if (problemIn(error) !== 'network') book.keep((state) => withChat(state, chat, { pending: undefined }));
      throw error;
    }
  }
}

/** What comes behind it must not wait for it. */
function isOneOfMany({ kind }: Purpose): boolean {
  return kind === 'news' || kind === 'reply' || kind === 'file';
}

/** False where the message is not there any more: somebody removed it. */
export async function change(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    const problem = problemIn(error);
    if (problem === 'same') return true;
    if (problem === 'gone' || problem === 'no-topic') return false;
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
    const found = await probe(message, pending);
    if (found === 'flood') {
      await sleep(limits.waitFor(chat, 'edit') || GAP_MS, signal);
      message--;
      continue;
    }
    if (found) return book.keep((state) => markArrived(state, chat, message));
    await sleep(GAP_MS, signal);
  }
  if (!signal.aborted) book.keep((state) => withChat(state, chat, { pending: undefined }));

  async function probe(message: number, { purpose, text, buttons }: Sendable): Promise<boolean | 'flood'> {
    try {
      return await change(() => {
        if (purpose.kind === 'topic') return api.renameTopic(chat, message, text.text);
        if (purpose.kind === 'file') return api.editCaption({ chat, message }, text.text);
        return api.edit({ chat, message }, text, buttons);
      });
    } catch (error) {
      if (problemIn(error) === 'refused') return false;
      if (!(error instanceof BotApiError) || error.problem !== 'flood') throw error;
      limits.hold(chat, error.retryAfterMs);
      return 'flood';
    }
  }
}
