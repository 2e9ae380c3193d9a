import { rich } from '../messages/rich-text.ts';
import { type BotApi, BotApiError, type IncomingMessage, type Update } from './bot-api.ts';

export interface SetupOptions {
  readonly api: BotApi;
  /** Must not be guessed. */
  readonly code: string;
  readonly say: (text: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface FoundChat {
  readonly chat: number;
  readonly title: string;
  readonly isForum: boolean;
}

/** A network that is gone for a moment. */
const PAUSE_MS = 2_000;

/** Waits until somebody sends the code to the bot: that chat is theirs. Undefined where the person gave up. */
export async function findChat({ api, code, say, sleep, signal }: SetupOptions): Promise<FoundChat | undefined> {
  say(
    'In Telegram, open a chat with it, or add it to your group (as an admin who may manage topics, if it has topics).',
  );
  say(`Then send there:  /start ${code}`);
  let offset = 0;
  while (!signal.aborted) {
    for (const update of await waitForUpdates(offset)) {
      offset = update.id + 1;
      if (update.kind !== 'message' || !isCode(update.message, code)) continue;
      const { chat, thread } = update.message;
      const { title, isForum } = await api.chat(chat);
      const text = rich('This chat will be told about your sessions. /help says what you can ask.');
      await api.send({ chat, text, isSilent: true, ...(thread === undefined ? {} : { thread }) });
      // The bot would hear it again when it starts, and answer.
      await api.forget(offset);
      return { chat, title, isForum };
    }
  }
  return undefined;

  async function waitForUpdates(from: number): Promise<readonly Update[]> {
    try {
      return await api.updates(from, signal);
    } catch (error) {
      if (signal.aborted) return [];
      if (!(error instanceof BotApiError) || error.problem !== 'network') throw error;
      await sleep(PAUSE_MS, signal);
      return [];
    }
  }
}

function isCode({ text }: IncomingMessage, code: string): boolean {
  return text.trim().split(/\s+/).includes(code);
}
