import { arrived } from './arrived.ts';
import { type BotApi, BotApiError } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { type Pending, withoutPending } from './chat-state.ts';

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
    if (found) return book.keep((state) => arrived(state, chat, message));
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
