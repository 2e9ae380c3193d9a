import { known } from '../../lib/json.ts';
import { UserError } from '../../lib/user-error.ts';
import { rich } from '../messages/rich-text.ts';
import { type BotApi, BotApiError, type BotApiProblem, problemIn, type Update } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';

interface SetupOptions {
  readonly api: BotApi;
  /** Must not be guessed. */
  readonly code: string;
  readonly say: (text: string) => void;
  readonly sleep: ChatContext['sleep'];
  readonly signal: AbortSignal;
}

/** A network that is gone for a moment. */
const PAUSE_MS = 2_000;

/** Waits until somebody sends the code to the bot: that chat is theirs. Undefined where the person gave up. */
export async function findChat({ api, code, say, sleep, signal }: SetupOptions) {
  say(
    'In Telegram, open a chat with it, or add it to your group (as an admin who may manage topics, if it has topics).',
  );
  say(`Then send there:  /start ${code}`);
  let offset = 0;
  while (!signal.aborted) {
    for (const update of await waitForUpdates(offset)) {
      offset = update.id + 1;
      if (update.kind !== 'message') continue;
      const { chat, thread, text } = update.message;
      if (!text.trim().split(/\s+/).includes(code)) continue;
      const { title, isForum } = await api.chat(chat);
      const welcome = rich('This chat will be told about your sessions. /help says what you can ask.');
      await api.send({ chat, text: welcome, isSilent: true, ...known({ thread }) });
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
      if (problemIn(error) !== 'network') throw error;
      await sleep(PAUSE_MS, signal);
      return [];
    }
  }
}

interface FindBotOptions {
  botOf(token: string): BotApi;
  /** The one that is known here; `isGiven`: by the environment, which is the person's to change. */
  readonly known?: { readonly token: string; readonly isGiven: boolean; readonly from: string };
  /** What the person types, which is not shown; left out where there is nobody to ask. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Keeps a new one; says where. */
  keep(token: string): Promise<string>;
  readonly say: (text: string) => void;
}

/** The bot whose token is known here, else the one whose token the person gives. What Telegram has taken is kept at once. */
export async function findBot({ botOf, known: before, ask, keep, say }: FindBotOptions): Promise<BotApi> {
  if (before) {
    const api = botOf(before.token);
    const isKnown = await greet(api).catch((error: unknown) => {
      const isReplaceable = problemIn(error) === 'revoked' && ask && !before.isGiven;
      return isReplaceable ? false : refuse(error);
    });
    if (isKnown) return api;
    say(`Telegram does not know the token in ${before.from} any more. Get a new one from @BotFather: /token`);
  } else
    say('You need a bot of your own: in Telegram, write /newbot to @BotFather and follow it. It ends with a token.');
  const token = await askForToken(ask);
  const api = botOf(token);
  await greet(api).catch(refuse);
  say(`The token is kept in ${await keep(token)}, for nobody but you.`);
  return api;

  async function greet(bot: BotApi): Promise<true> {
    const { username } = await bot.me();
    say(`The bot is @${username}.`);
    return true;
  }
}

async function askForToken(ask: FindBotOptions['ask']): Promise<string> {
  if (!ask)
    throw new UserError(
      'telegram-no-token',
      'There is no token.',
      'Give it in TROUPE_TELEGRAM_TOKEN, or run this in a terminal.',
    );
  const token = await ask('Paste the token (it is not shown):');
  if (token === undefined)
    throw new UserError('telegram-no-token', 'No token was given.', 'Run this again when you have one.');
  if (!/^\d{3,20}:[\w-]{20,100}$/.test(token))
    throw new UserError(
      'telegram-bad-token',
      'This is no token of a bot.',
      'It looks like 123456789:AA… Copy all of it.',
    );
  return token;
}

/** Message and remedy by problem. */
const REFUSALS: Partial<Record<BotApiProblem, readonly [message: string, remedy: string]>> = {
  revoked: ['Telegram does not know this token.', 'Ask @BotFather for it: /token'],
  conflict: ['Another program uses this bot.', 'Stop it, or make a bot of its own.'],
  webhook: [
    'A webhook is set for this bot: what people write to it goes there.',
    'Make a bot of its own, or take the webhook away.',
  ],
};

/** Whatever Telegram said no with, as a sentence for the person. */
export function refuse(error: unknown): never {
  if (!(error instanceof BotApiError)) throw error;
  const [message, remedy] = REFUSALS[error.problem] ?? [];
  if (message && remedy) throw new UserError(`telegram-${error.problem}`, message, remedy);
  const why = `Telegram cannot be asked: ${error.message}`;
  throw new UserError('telegram-unreachable', why, 'Look at the network, and try again.');
}
