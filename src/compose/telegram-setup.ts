import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { known } from '../base/json.ts';
import { UserError } from '../base/user-error.ts';
import { configFolder } from '../config/config-folder.ts';
import type { Terminal } from '../faces/face.ts';
import { BotApiError } from '../faces/telegram/bot-api.ts';
import { createGrammyApi } from '../faces/telegram/grammy-api.ts';
import { findChat } from '../faces/telegram/setup.ts';
import { editText } from '../io/edit-file.ts';
import { replaceFile } from '../io/replace-file.ts';
import { thisMachine } from '../tracker/this-machine.ts';
import { onEndSignal } from './end-signals.ts';
import { readOwnConfig } from './follow.ts';
import { readToken, TOKEN_VARIABLE, tokenFile } from './telegram-settings.ts';

/** Walks a person from a token to a chat that is told. */
export async function setUpTelegram({ write, askWords }: Terminal): Promise<void> {
  const say = (text: string): void => write(`${text}\n`);
  const { telegram } = await readOwnConfig();
  const kept = await readToken();
  const token = kept ?? (await askForToken(askWords, say));
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const api = createGrammyApi({ token, pollSeconds: 10, ...known({ apiRoot: telegram?.apiRoot }) });
  const found = await findChat({ api, code: makeCode(), say, signal: stop.signal }).catch((error: unknown) => {
    throw error instanceof BotApiError ? refusal(error) : error;
  });
  if (!found) return;
  if (kept === undefined) {
    await mkdir(path.dirname(tokenFile()), { recursive: true, mode: 0o700 });
    replaceFile(tokenFile(), `${token}\n`);
    say(`The token is kept in ${tokenFile()}, for nobody but you.`);
  }
  const chats = [...new Set([...(telegram?.chats ?? []), found.chat])];
  const file = await writeChats(chats);
  say(`Found: ${found.title} (${found.chat})${found.isForum ? '; each session gets a topic there' : ''}.`);
  say(`Entered in ${file}: "telegram": { "chats": [${chats.join(', ')}] }`);
  say('Start it with: troupe telegram');
}

async function askForToken(askWords: Terminal['askWords'], say: (text: string) => void): Promise<string> {
  say('You need a bot of your own: in Telegram, write /newbot to @BotFather and follow it. It ends with a token.');
  const token = await askWords?.('Paste the token (it is not shown):', { isSecret: true });
  if (token === undefined)
    throw new UserError(
      'telegram-no-token',
      'There is no token.',
      `Give it in ${TOKEN_VARIABLE}, or run this in a terminal.`,
    );
  if (!/^\d{3,20}:[\w-]{20,100}$/.test(token))
    throw new UserError(
      'telegram-bad-token',
      'This is no token of a bot.',
      'It looks like 123456789:AA… Copy all of it.',
    );
  return token;
}

function refusal({ problem, message }: BotApiError): UserError {
  if (problem === 'revoked')
    return new UserError('telegram-revoked', 'Telegram does not know this token.', 'Ask @BotFather for it: /token');
  if (problem === 'conflict')
    return new UserError('telegram-conflict', 'Another program uses this bot.', 'Stop it, or make a bot of its own.');
  return new UserError(
    'telegram-unreachable',
    `Telegram cannot be asked: ${message}`,
    'Look at the network, and try again.',
  );
}

/** No letter in it can be taken for another. */
function makeCode(): string {
  return [...randomBytes(10)].map((byte) => 'abcdefghjkmnpqrstuvwxyz23456789'[byte % 31]).join('');
}

async function writeChats(chats: readonly number[]): Promise<string> {
  const { env, home } = thisMachine();
  const file = path.join(configFolder(env, home), 'config.json');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  await editText(file, {
    change: (text) => {
      const before = text === undefined || text.trim() === '' ? '{}\n' : text;
      return applyEdits(before, modify(before, ['telegram', 'chats'], chats, { formattingOptions }));
    },
  });
  return file;
}
