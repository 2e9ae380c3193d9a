import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { wait } from '../../lib/clock.ts';
import { editText, replaceFile } from '../../lib/edit-file.ts';
import { known } from '../../lib/json.ts';
import { onEndSignal } from '../../lib/report-trouble.ts';
import { configFolder } from '../../lib/state-folder.ts';
import type { Terminal } from '../../lib/terminal.ts';
import { readOwnConfig } from '../../server/index.ts';
import { thisMachine } from '../../sessions/index.ts';
import { findBot, refuse } from './find-bot.ts';
import { createGrammyApi } from './grammy-api.ts';
import { isGivenToken, readToken, tokenFile } from './settings.ts';
import { findChat } from './setup.ts';

/** Walks a person from a token to a chat that is told. */
export async function setUpTelegram({ write, askWords }: Terminal): Promise<void> {
  const say = (text: string): void => write(`${text}\n`);
  const { telegram } = await readOwnConfig();
  const token = await readToken();
  const api = await findBot({
    botOf: (one) => createGrammyApi({ token: one, pollSeconds: 10, ...known({ apiRoot: telegram?.apiRoot }) }),
    ...(token !== undefined && { known: { token, isGiven: isGivenToken(), from: tokenFile() } }),
    ...(askWords && { ask: (question) => askWords(question, { isSecret: true }) }),
    keep: keepToken,
    say,
  });
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const found = await findChat({ api, code: makeCode(), say, sleep: wait, signal: stop.signal }).catch(refuse);
  if (!found) return;
  const chats = [...new Set([...(telegram?.chats ?? []), found.chat])];
  const file = await writeChats(chats);
  say(`Found: ${found.title} (${found.chat})${found.isForum ? '; each session gets a topic there' : ''}.`);
  say(`Entered in ${file}: "telegram": { "chats": [${chats.join(', ')}] }`);
  say('Start it with: troupe telegram');
}

async function keepToken(token: string): Promise<string> {
  await mkdir(path.dirname(tokenFile()), { recursive: true, mode: 0o700 });
  replaceFile(tokenFile(), `${token}\n`);
  return tokenFile();
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
