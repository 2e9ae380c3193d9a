import path from 'node:path';
import { asAmount, asObject, asText, known } from '../../lib/json.ts';
import { isLocked } from '../../lib/lock-file.ts';
import { isRunning } from '../../lib/processes.ts';
import { readText } from '../../lib/regular-file.ts';
import { stateFolder } from '../../lib/state-folder.ts';
import { readOwnConfig } from '../../server/index.ts';
import { thisMachine } from '../../sessions/index.ts';
import { BotApiError } from './bot-api.ts';
import { createGrammyApi } from './grammy-api.ts';
import { healthFile, readToken } from './settings.ts';

/** Somebody waits for the answer. */
const PATIENCE_SECONDS = 8;

/** Undefined where nobody set a bot up: then nothing is asked of anybody. */
export async function telegramHealth(): Promise<TelegramHealth | undefined> {
  const token = await readToken();
  if (token === undefined) return undefined;
  const { telegram } = await readOwnConfig();
  const api = createGrammyApi({ token, requestSeconds: PATIENCE_SECONDS, ...known({ apiRoot: telegram?.apiRoot }) });
  const asked = await api.me().then(
    ({ username }) => ({ reached: 'ok', name: username }) as const,
    (error: unknown) => ({ reached: reachedBy(error) }),
  );
  return { ...asked, chats: telegram?.chats?.length ?? 0, ...known({ running: await readRunning() }) };
}

function reachedBy(error: unknown): 'network' | 'revoked' | 'refused' {
  if (!(error instanceof BotApiError)) throw error;
  return error.problem === 'network' || error.problem === 'revoked' ? error.problem : 'refused';
}

async function readRunning(): Promise<TelegramHealth['running']> {
  if (!(await isLocked(path.join(stateFolder(thisMachine()), 'telegram.lock')))) return undefined;
  const raw = await readText(healthFile())
    .then(JSON.parse)
    .then(asObject, () => undefined);
  // One that was killed leaves its lock behind.
  if (!isRunning(asAmount(raw?.['pid']) ?? 0)) return undefined;
  return {
    state: asText(raw?.['state']) ?? 'ok',
    text: asText(raw?.['text']) ?? '',
    strangers: asAmount(raw?.['strangers']) ?? 0,
  };
}

/** What is known of the bot, where one is set up. */
export interface TelegramHealth {
  /** Asks Telegram itself, now. */
  readonly reached: 'ok' | 'network' | 'revoked' | 'refused';
  readonly name?: string;
  readonly chats: number;
  /** What the running bot last wrote down; undefined where none runs. */
  readonly running?: { readonly state: string; readonly text: string; readonly strangers: number };
}
