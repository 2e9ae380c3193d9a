import { randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
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
import { isRunning, seesAllProcesses } from '../lib/processes.ts';
import { readText, readTextSync } from '../lib/regular-file.ts';
import { onEndSignal } from '../lib/report-trouble.ts';
import { configFolder, ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import type { Terminal } from '../lib/terminal.ts';
import { codeOf, isGone, messageOf, UserError } from '../lib/user-error.ts';
import { maskText } from '../redact/index.ts';
import {
  type ApprovalSecret,
  createApprovalControl,
  openFeed,
  readApprovalKey,
  type ServedFeed,
  signApproval,
} from '../server/index.ts';
import { type Config, minutesOf, readOwnSettings, type SessionScope, thisMachine } from '../sessions/index.ts';
import { type AnnounceSettings, DEFAULT_ANNOUNCE, type NotifyRequest } from './notification.ts';
import { BotApiError } from './telegram/bot-api.ts';
import type { ChatActions, ChatOptions } from './telegram/chat-context.ts';
import { parseState } from './telegram/chat-state.ts';
import { createGrammyApi } from './telegram/grammy-api.ts';
import { runTelegram } from './telegram/run-telegram.ts';
import { findBot, findChat, refuse } from './telegram/setup.ts';
import { parseWebhookState, post, Webhook } from './webhook.ts';

/** Runs the bot until Ctrl-C. */
export async function runTelegramBot({ where }: NotifyRequest, { note, askWords }: Terminal): Promise<void> {
  const config = await readOwnSettings();
  const token = await readToken();
  if (token === undefined)
    throw new UserError('telegram-no-token', 'No bot is set up.', 'Set one up with: troupe telegram setup');
  const options = readChatOptions(config);
  const secret = askWords && (await askForSecret(askWords, note, config));
  await withFeed('telegram', where, note, ({ feed, folder, signal }) =>
    runTelegram({
      api: createGrammyApi({ token, ...known({ apiRoot: config.telegram?.apiRoot }) }),
      feed,
      options,
      actions: createActions(where, secret),
      store: {
        ...storeIn(path.join(folder, 'telegram.json'), parseState, {
          code: 'telegram-state',
          what: 'What was told',
          remedy: 'Mend or remove it; without it, what happened until then is not told.',
        }),
        saveHealth: (report) => replaceFile(healthFile(), `${JSON.stringify(report)}\n`),
      },
      clock: systemClock,
      sleep: wait,
      mask,
      createNonce: () => randomBytes(18).toString('base64url'),
      note,
      pid: process.pid,
      seesAllProcesses: seesAllProcesses(),
      signal,
    }),
  );
}

/** Runs the webhook until Ctrl-C. */
export async function runWebhook({ where }: NotifyRequest, { note }: Terminal): Promise<void> {
  const { webhook } = await readOwnSettings();
  const url = webhook?.url;
  if (url === undefined)
    throw new UserError(
      'webhook-no-url',
      'No address is named.',
      'Write it into config.json: "webhook": { "url": "https://…" }',
    );
  const secretFile = inConfigFolder('webhook-secret');
  const secret = await readSecret('TROUPE_WEBHOOK_SECRET', secretFile);
  if (secret === undefined)
    throw new UserError(
      'webhook-no-secret',
      'There is no secret to sign with.',
      `Put one into TROUPE_WEBHOOK_SECRET or ${secretFile}.`,
    );
  await withFeed('webhook', where, note, ({ feed, folder, signal }) => {
    note(`troupe: what happens is sent to ${new URL(url).host}. Ctrl-C ends it.`);
    const request = { url, secret, version: packageVersion, clock: systemClock, signal };
    return new Webhook({
      feed,
      announce: readAnnounce(webhook?.announce),
      form: webhook?.form ?? 'troupe',
      mask,
      store: storeIn(path.join(folder, 'webhook.json'), parseWebhookState, {
        code: 'webhook-state',
        what: 'What was sent',
        remedy: 'Mend or remove it; without it, what happened until then is not sent.',
      }),
      seesAllProcesses: seesAllProcesses(),
      send: (event) => post({ ...request, ...event }),
      clock: systemClock,
      sleep: wait,
      random: Math.random,
      note,
      signal,
    }).run();
  });
}

/**
 * Runs one process per person: two would take each other's updates, or send everything twice. `folder` holds the
 * state files, `signal` aborts at Ctrl-C.
 */
async function withFeed(
  name: 'telegram' | 'webhook',
  where: SessionScope,
  note: (text: string) => void,
  run: (one: { readonly feed: ServedFeed; readonly folder: string; readonly signal: AbortSignal }) => Promise<void>,
): Promise<void> {
  const folder = stateFolder(thisMachine());
  await ensureStateFolder(folder);
  const lock = await takeLock(path.join(folder, `${name}.lock`));
  if (!lock) throw new UserError(`${name}-runs`, `troupe ${name} runs already.`, 'Stop the other one first.');
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const feed = await openFeed(where);
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  try {
    await run({ feed, folder, signal: stop.signal });
  } finally {
    feed.close();
    await lock.release();
  }
}

function storeIn<State>(file: string, parse: (text: string) => State, problem: Parameters<typeof loadState>[2]) {
  return {
    load: () => loadState(file, parse, problem),
    save: (state: State) => replaceFile(file, `${JSON.stringify(state)}\n`),
  };
}

function mask(text: string): string {
  return maskText(text).text;
}

function describeSteered(otherwise: string, steered: Steered): string {
  return 'words' in steered ? steered.words : `${otherwise}: ${steered.whyNot}`;
}

/** Bots may send files of up to 50 MB. */
const MOST_BYTES = 49_000_000;

/** Once, when the bot starts: what it passes on is then as good as typed here. Undefined if none is set, or the person wants none. */
async function askForSecret(
  askWords: NonNullable<Terminal['askWords']>,
  note: (text: string) => void,
  { telegram = {} }: Config,
): Promise<ApprovalSecret | undefined> {
  if ((await readApprovalKey(stateFolder(thisMachine()))) === 'none') return undefined;
  // An agent may have changed the settings: whoever is named there may allow calls from now on.
  const { apiRoot = 'Telegram itself', chats = [], users = [] } = telegram;
  note(
    `With the passphrase, presses in these chats may allow calls. Check them first (config.json).\n  server: ${apiRoot}\n  chats: ${chats.join(', ') || 'none'}\n  people: ${users.join(', ') || 'everyone in these chats'}`,
  );
  for (;;) {
    const typed = await askWords('Passphrase for approvals (Enter: the chat can only deny):', { isSecret: true });
    if (typed === undefined) return undefined;
    try {
      return await createApprovalControl().unlock(typed);
    } catch (error) {
      if (!(error instanceof UserError && error.code === 'wrong-passphrase')) throw error;
      note(error.message);
    }
  }
}

function createActions(where: SessionScope, secret: ApprovalSecret | undefined): ChatActions {
  const asks = createApprovalControl();
  const exports = createServedExport(() => where);
  return {
    async answer(id, answer, by, isPressed) {
      const isProven = isPressed && answer === 'allow' && secret;
      const ask = isProven ? (await asks.list())?.find((one) => one.id === id) : undefined;
      return asks.answer(id, answer, by, ask && secret && signApproval(secret, ask));
    },
    control: {
      stop: async (session, agent) =>
        describeSteered('It was not stopped', await (await attachTo(where)).stop(agent ?? session)),
      say: async (session, agent, text) =>
        describeSteered('It was not told', await (await attachTo(where)).send(agent ?? session, text)),
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

const TOKEN_VARIABLE = 'TROUPE_TELEGRAM_TOKEN';

function inConfigFolder(name: string): string {
  const { env, home } = thisMachine();
  return path.join(configFolder(env, home), name);
}

function tokenFile(): string {
  return inConfigFolder('telegram-token');
}

function readToken(): Promise<string | undefined> {
  return readSecret(TOKEN_VARIABLE, tokenFile());
}

function healthFile(): string {
  return path.join(stateFolder(thisMachine()), 'telegram-health.json');
}

function readChatOptions({ telegram }: Config): ChatOptions {
  const { chats = [], users = [], sessions = 'topic', quietHours } = telegram ?? {};
  if (chats.length === 0)
    throw new UserError(
      'telegram-no-chat',
      'No chat is named that may be told.',
      'Find yours with: troupe telegram setup',
    );
  const quiet = quietHours && { from: minutesOf(quietHours.from), to: minutesOf(quietHours.to) };
  return { chats, users, sessions, announce: readAnnounce(telegram?.announce), ...known({ quietHours: quiet }) };
}

function readAnnounce(
  announce: { readonly [K in keyof AnnounceSettings]?: boolean | undefined } = {},
): AnnounceSettings {
  return { ...DEFAULT_ANNOUNCE, ...known(announce) };
}

/** Guides a person from a bot token to a configured chat. */
export async function setUpTelegram({ write, askWords }: Terminal): Promise<void> {
  const say = (text: string): void => write(`${text}\n`);
  const { telegram } = await readOwnSettings();
  const token = await readToken();
  // From the environment, which troupe cannot change.
  const isGiven = Boolean(process.env[TOKEN_VARIABLE]?.trim());
  const api = await findBot({
    botOf: (one) => createGrammyApi({ token: one, pollSeconds: 10, ...known({ apiRoot: telegram?.apiRoot }) }),
    ...(token !== undefined && { known: { token, isGiven, from: tokenFile() } }),
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

/** Without letters that look alike. */
function makeCode(): string {
  return [...randomBytes(10)].map((byte) => 'abcdefghjkmnpqrstuvwxyz23456789'[byte % 31]).join('');
}

async function writeChats(chats: readonly number[]): Promise<string> {
  const file = inConfigFolder('config.json');
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

/** `troupe doctor` waits for the answer. */
const PATIENCE_SECONDS = 8;

/** Undefined, and no request made, if no bot is set up. */
export async function checkTelegram(): Promise<TelegramHealth | undefined> {
  const token = await readToken();
  if (token === undefined) return undefined;
  const { telegram } = await readOwnSettings();
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
  // A killed process leaves its lock behind.
  if (!isRunning(asAmount(raw?.['pid']) ?? 0)) return undefined;
  return {
    state: asText(raw?.['state']) ?? 'ok',
    text: asText(raw?.['text']) ?? '',
    strangers: asAmount(raw?.['strangers']) ?? 0,
  };
}

export interface TelegramHealth {
  /** Telegram's answer now. */
  readonly reached: 'ok' | 'network' | 'revoked' | 'refused';
  readonly name?: string;
  readonly chats: number;
  /** The last state that the running bot saved; undefined if none runs. */
  readonly running?: { readonly state: string; readonly text: string; readonly strangers: number };
}

/** The stored state; undefined if there is none yet. Throws a `UserError` that says what cannot be read from the file. */
function loadState<State>(
  file: string,
  parse: (text: string) => State,
  { code, what, remedy }: Readonly<Record<'code' | 'what' | 'remedy', string>>,
): State | undefined {
  try {
    return parse(readTextSync(file));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new UserError(code, `${what} cannot be read from ${file}: ${messageOf(cause)}`, remedy, { cause });
  }
}

/** From the environment, else from a file that only its owner may read; undefined if there is none. */
async function readSecret(variable: string, file: string): Promise<string | undefined> {
  const given = process.env[variable]?.trim();
  if (given) return given;
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new UserError('secret-open', `Others on this machine may read ${file}.`, `Close it: chmod 600 ${file}`);
    return (await readText(file)).trim() || undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
