import path from 'node:path';
import { known } from '../../lib/json.ts';
import { readSecret } from '../../lib/state-file.ts';
import { configFolder, stateFolder } from '../../lib/state-folder.ts';
import { UserError } from '../../lib/user-error.ts';
import { type Config, minutesOf, thisMachine } from '../../sessions/index.ts';
import { ALL_NEWS, type Wishes } from '../news.ts';
import type { ChatOptions } from './chat-options.ts';

export const TOKEN_VARIABLE = 'TROUPE_TELEGRAM_TOKEN';

export function tokenFile(): string {
  const { env, home } = thisMachine();
  return path.join(configFolder(env, home), 'telegram-token');
}

/** It is in the environment, which is the person's to change. */
export function isGivenToken(): boolean {
  return Boolean(process.env[TOKEN_VARIABLE]?.trim());
}

export function readToken(): Promise<string | undefined> {
  return readSecret(TOKEN_VARIABLE, tokenFile());
}

/** How the bot was when it last had something to say about that. */
export function healthFile(): string {
  return path.join(stateFolder(thisMachine()), 'telegram-health.json');
}

export function chatOptionsOf({ telegram }: Config): ChatOptions {
  const { chats = [], users = [], sessions = 'topic', quietHours } = telegram ?? {};
  if (chats.length === 0)
    throw new UserError(
      'telegram-no-chat',
      'No chat is named that may be told.',
      'Find yours with: troupe telegram setup',
    );
  const quiet = quietHours && { from: minutesOf(quietHours.from), to: minutesOf(quietHours.to) };
  return { chats, users, sessions, wishes: wishesOf(telegram?.announce), ...known({ quietHours: quiet }) };
}

export function wishesOf(announce: { readonly [K in keyof Wishes]?: boolean | undefined } = {}): Wishes {
  return { ...ALL_NEWS, ...known(announce) };
}
