import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { attachTo } from '../control/index.ts';
import type { Steered } from '../core/index.ts';
import { createServedExport } from '../export/index.ts';
import { systemClock, wait } from '../lib/clock.ts';
import { editText, replaceFile } from '../lib/edit-file.ts';
import { asAmount, asObject, asText, known } from '../lib/json.ts';
import { isLocked, takeLock } from '../lib/lock-file.ts';
import { packageVersion } from '../lib/package.ts';
import { isRunning } from '../lib/processes.ts';
import { readText } from '../lib/regular-file.ts';
import { onEndSignal } from '../lib/report-trouble.ts';
import { loadState, readSecret } from '../lib/state-file.ts';
import { configFolder, ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import type { Terminal } from '../lib/terminal.ts';
import { UserError } from '../lib/user-error.ts';
import { maskText } from '../redact/index.ts';
import { createAskControl, readOwnConfig, servedFeed } from '../server/index.ts';
import { type Config, minutesOf, thisMachine, type Where } from '../sessions/index.ts';
import { ALL_NEWS, type ChatRequest, readTold, type Wishes } from './notification.ts';
import { BotApiError } from './telegram/bot-api.ts';
import type { ChatOptions, Outside } from './telegram/chat-context.ts';
import { parseState } from './telegram/chat-state.ts';
import { createGrammyApi } from './telegram/grammy-api.ts';
import { runTelegram, type StateStore } from './telegram/run-telegram.ts';
import { findBot, findChat, refuse } from './telegram/setup.ts';
import { post, runWebhook, type WebhookState } from './webhook.ts';

/** The bot, until Ctrl-C. One for each person: two would take each other's updates. */
export async function runTelegramFace({ where }: ChatRequest, { note }: Terminal): Promise<void> {
  const config = await readOwnConfig();
  const token = await readToken();
  if (token === undefined)
    throw new UserError('telegram-no-token', 'No bot is set up.', 'Set one up with: troupe telegram setup');
  const options = chatOptionsOf(config);
  const folder = stateFolder(thisMachine());
  await ensureStateFolder(folder);
  const lock = await takeLock(path.join(folder, 'telegram.lock'));
  if (!lock) throw new UserError('telegram-runs', 'troupe telegram runs already.', 'Stop the other one first.');
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const feed = await servedFeed(where);
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  try {
    await runTelegram({
      api: createGrammyApi({ token, ...known({ apiRoot: config.telegram?.apiRoot }) }),
      feed,
      options,
      outside: outsideOf(where),
      store: storeIn(path.join(folder, 'telegram.json')),
      clock: systemClock,
      sleep: wait,
      mask: (text) => maskText(text).text,
      createNonce: () => randomBytes(18).toString('base64url'),
      note,
      pid: process.pid,
      signal: stop.signal,
    });
  } finally {
    feed.close();
    await lock.release();
  }
}

function saying(otherwise: string, steered: Steered): string {
  return 'words' in steered ? steered.words : `${otherwise}: ${steered.whyNot}`;
}

/** Telegram takes files of 50 MB from bots. */
const MOST_BYTES = 49_000_000;

function outsideOf(where: Where): Outside {
  const asks = createAskControl();
  const exports = createServedExport(() => where);
  return {
    answer: asks.answer,
    control: {
      stop: async (session, agent) => saying('It was not stopped', await attachTo(where).stop(agent ?? session)),
      say: async (session, agent, text) =>
        saying('It was not told', await attachTo(where).send(agent ?? session, text)),
    },
    async exportSession(session) {
      const { stem, bytes } = await exports.begin({ session, as: 'page', pii: true }, AbortSignal.timeout(600_000));
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > MOST_BYTES)
          throw new UserError('export-too-large', 'The session is larger than Telegram takes.', 'Use troupe export.');
        chunks.push(chunk);
      }
      return { name: `${stem}.html`, bytes: Buffer.concat(chunks) };
    },
  };
}

function storeIn(file: string): StateStore {
  return {
    load: () =>
      loadState(file, parseState, {
        code: 'telegram-state',
        what: 'What was told',
        remedy: 'Mend or remove it; without it, what happened until then is not told.',
      }),
    save: (state) => replaceFile(file, `${JSON.stringify(state)}\n`),
    saveHealth: (report) => replaceFile(healthFile(), `${JSON.stringify(report)}\n`),
  };
}

/** The webhook, until Ctrl-C. */
export async function runWebhookFace({ where }: ChatRequest, { note }: Terminal): Promise<void> {
  const { webhook } = await readOwnConfig();
  const url = webhook?.url;
  if (url === undefined)
    throw new UserError(
      'webhook-no-url',
      'No address is named.',
      'Write it into config.json: "webhook": { "url": "https://…" }',
    );
  const { env, home } = thisMachine();
  const secretFile = path.join(configFolder(env, home), 'webhook-secret');
  const secret = await readSecret('TROUPE_WEBHOOK_SECRET', secretFile);
  if (secret === undefined)
    throw new UserError(
      'webhook-no-secret',
      'There is no secret to sign with.',
      `Put one into TROUPE_WEBHOOK_SECRET or ${secretFile}.`,
    );
  const folder = stateFolder({ env, home });
  await ensureStateFolder(folder);
  const lock = await takeLock(path.join(folder, 'webhook.lock'));
  if (!lock) throw new UserError('webhook-runs', 'troupe webhook runs already.', 'Stop the other one first.');
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const { signal } = stop;
  const feed = await servedFeed(where);
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  note(`troupe: what happens is sent to ${new URL(url).host}. Ctrl-C ends it.`);
  const request = { url, secret, version: packageVersion, clock: systemClock, signal };
  try {
    await runWebhook({
      feed,
      wishes: wishesOf(webhook?.announce),
      form: webhook?.form ?? 'troupe',
      mask: (text) => maskText(text).text,
      store: webhookStoreIn(path.join(folder, 'webhook.json')),
      send: (id, body, attempt) => post({ ...request, id, body, attempt }),
      clock: systemClock,
      sleep: wait,
      random: Math.random,
      note,
      signal,
    });
  } finally {
    feed.close();
    await lock.release();
  }
}

function webhookStoreIn(file: string): { load(): WebhookState | undefined; save(state: WebhookState): void } {
  return {
    load: () =>
      loadState(file, parseWebhookState, {
        code: 'webhook-state',
        what: 'What was sent',
        remedy: 'Mend or remove it; without it, what happened until then is not sent.',
      }),
    save: (state) => replaceFile(file, `${JSON.stringify(state)}\n`),
  };
}

function parseWebhookState(text: string): WebhookState {
  const raw = asObject(JSON.parse(text));
  const [since, sessions, asks] = [raw?.['since'], asObject(raw?.['sessions']), raw?.['asks']];
  if (typeof since !== 'number' || !sessions || !Array.isArray(asks))
    throw new Error('it is not what troupe webhook writes');
  const places = Object.entries(sessions).map(([key, value]) => {
    const { told, seenAt } = asObject(value) ?? {};
    return [key, { told: readTold(told, since), seenAt: typeof seenAt === 'number' ? seenAt : since }] as const;
  });
  return { since, sessions: Object.fromEntries(places), asks };
}

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
