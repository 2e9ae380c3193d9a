import { rich } from '../../render/lines/rich-text.ts';
import { type BotApi, BotApiError, type IncomingMessage } from './bot-api.ts';

export interface SetupOptions {
  readonly api: BotApi;
  /** Must not be guessed. */
  readonly code: string;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface FoundChat {
  readonly bot: string;
  readonly chat: number;
  readonly title: string;
  readonly isForum: boolean;
}

/** Waits until somebody sends the code to the bot: that chat is theirs. Undefined where the person gave up. */
export async function findChat({ api, code, say, signal }: SetupOptions): Promise<FoundChat | undefined> {
  const { username } = await api.me();
  say(`The bot is @${username}.`);
  say(
    'In Telegram, open a chat with it, or add it to your group (as an admin who may manage topics, if it has topics).',
  );
  say(`Then send there:  /start ${code}`);
  let offset = 0;
  while (!signal.aborted) {
    for (const update of await waitForUpdates(api, offset, signal)) {
      offset = update.id + 1;
      if (update.kind !== 'message' || !isCode(update.message, code)) continue;
      const { chat, thread } = update.message;
      const { title, isForum } = await api.chat(chat);
      const text = rich('This chat will be told about your sessions. /help says what you can ask.');
      await api.send({ chat, text, isSilent: true, ...(thread === undefined ? {} : { thread }) });
      return { bot: username, chat, title, isForum };
    }
  }
  return undefined;
}

function isCode({ text }: IncomingMessage, code: string): boolean {
  return text.trim().split(/\s+/).includes(code);
}

async function waitForUpdates(api: BotApi, offset: number, signal: AbortSignal) {
  try {
    return await api.updates(offset, signal);
  } catch (error) {
    if (signal.aborted) return [];
    if (error instanceof BotApiError && error.problem === 'network') return [];
    throw error;
  }
}
