import type { Finding } from '../../core/index.ts';
import type { TelegramHealth } from '../../notify/index.ts';
import { findingsOf } from './finding.ts';

const { good, note, warning, problem } = findingsOf('telegram');

/** Nothing is said to people who have no bot. */
export async function* examineTelegram(ask: () => Promise<TelegramHealth | undefined>): AsyncGenerator<Finding> {
  const health = await ask();
  if (!health) return;
  const { reached, name, chats, running } = health;
  if (reached === 'network')
    yield problem(
      'telegram-unreachable',
      'Telegram cannot be reached from here.',
      'Look at the network, or at telegram.apiRoot in config.json.',
    );
  if (reached === 'revoked')
    yield problem(
      'telegram-revoked',
      'Telegram does not know the token of the bot any more.',
      'Ask @BotFather for a new one, then: troupe telegram setup',
    );
  if (reached === 'refused') yield problem('telegram-refused', 'Telegram refuses the bot.', 'troupe telegram setup');
  if (reached === 'ok')
    yield good('telegram-bot', `The bot is @${name ?? '?'}; it tells ${chats} ${chats === 1 ? 'chat' : 'chats'}`);
  if (chats === 0) yield warning('telegram-no-chat', 'No chat is named that may be told.', 'troupe telegram setup');
  if (!running) {
    yield note('telegram-idle', 'The bot does not run.', 'troupe telegram');
    return;
  }
  if (running.state === 'conflict')
    yield problem(
      'telegram-conflict',
      'Another program asks for the updates of this bot: commands and buttons may go there.',
      'Stop it, or use a bot of its own.',
    );
  else if (running.state !== 'ok' && running.state !== reached) yield warning('telegram-trouble', running.text);
  if (running.strangers > 0)
    yield note('telegram-strangers', `Strangers wrote to the bot and got no answer (messages: ${running.strangers}).`);
}
