// The Bot API through grammY: its client, its types; the order in which things are asked is ours.

import { Api, GrammyError, HttpError, InputFile } from 'grammy';
import type { Message, MessageEntity, Update as RawUpdate, User } from 'grammy/types';
import { withinTime } from '../../lib/clock.ts';
import { known } from '../../lib/json.ts';
import type { RichText } from '../messages/rich-text.ts';
import { type BotApi, BotApiError, type BotApiProblem, type Buttons, type ChatUser, type Update } from './bot-api.ts';

interface GrammyOptions {
  readonly token: string;
  /** In place of Telegram's own. */
  readonly apiRoot?: string;
  /** How long to wait for updates at a time. */
  readonly pollSeconds?: number;
  /** How long to wait for an answer to anything else; files may take longer. */
  readonly requestSeconds?: number;
  /** In place of the network. */
  readonly fetch?: typeof fetch;
}

const POLL_SECONDS = 50;
const REQUEST_SECONDS = 30;
/** Fifty megabytes over a slow line. */
const FILE_SECONDS = 600;

export function createGrammyApi(options: GrammyOptions): BotApi {
  const { token, apiRoot, fetch, pollSeconds = POLL_SECONDS, requestSeconds = REQUEST_SECONDS } = options;
  const api = new Api(token, { timeoutSeconds: FILE_SECONDS, ...known({ apiRoot, fetch: fetch as never }) });
  /** Its types of signals are of a shim that older Nodes need; the shim's and ours are the same at work. */
  const soon = <T>(act: (signal: never) => Promise<T>): Promise<T> => within(requestSeconds, undefined, act);
  return {
    me: () => soon(async (signal) => ({ ...(await api.getMe(signal)) })),
    chat: (id) =>
      soon(async (signal) => {
        const chat = await api.getChat(id, signal);
        return { isForum: chat.is_forum === true, title: chat.title ?? chat.first_name ?? '' };
      }),
    offer: (commands) =>
      soon(async (signal) => {
        const offered = commands.map(({ command, does }) => ({ command, description: does }));
        await api.setMyCommands(offered, {}, signal);
      }),
    send: ({ chat, thread, text, buttons, isSilent }) =>
      soon(async (signal) => {
        const sent = await api.sendMessage(
          chat,
          text.text,
          { ...bodyOf(text, buttons), disable_notification: isSilent, ...known({ message_thread_id: thread }) },
          signal,
        );
        return sent.message_id;
      }),
    edit: ({ chat, message }, text, buttons) =>
      soon(async (signal) => void (await api.editMessageText(chat, message, text.text, bodyOf(text, buttons), signal))),
    sendFile: ({ chat, thread, name, bytes, caption }) =>
      asked(async () => {
        const more = { caption, ...known({ message_thread_id: thread }) };
        return (await api.sendDocument(chat, new InputFile(bytes, name), more)).message_id;
      }),
    editCaption: ({ chat, message }, caption) =>
      soon(async (signal) => void (await api.editMessageCaption(chat, message, { caption }, signal))),
    createTopic: (chat, name) =>
      soon(async (signal) => (await api.createForumTopic(chat, name, {}, signal)).message_thread_id),
    renameTopic: (chat, topic, name) =>
      soon(async (signal) => void (await api.editForumTopic(chat, topic, { name }, signal))),
    answerPress: (press, text) => soon(async (signal) => void (await api.answerCallbackQuery(press, { text }, signal))),
    updates: (offset, end) =>
      within(pollSeconds + 10, end, async (signal) => {
        const wanted = { offset, timeout: pollSeconds, allowed_updates: ['message', 'callback_query'] as const };
        return (await api.getUpdates(wanted, signal)).map(toUpdate);
      }),
    forget: (offset) => soon(async (signal) => void (await api.getUpdates({ offset, limit: 1, timeout: 0 }, signal))),
  };
}

function within<T>(seconds: number, end: AbortSignal | undefined, act: (signal: never) => Promise<T>): Promise<T> {
  return asked(() => withinTime(seconds * 1_000, end, (signal) => act(signal as never)));
}

/** Everything of a message but its text. */
function bodyOf({ marks }: RichText, buttons: Buttons | undefined) {
  const entities = marks.map(({ kind, from, length }): MessageEntity => ({ type: kind, offset: from, length }));
  const rows = buttons?.map((row) => row.map(({ text, data }) => ({ text, callback_data: data })));
  const markup = rows && { reply_markup: { inline_keyboard: rows } };
  return { entities, link_preview_options: { is_disabled: true }, ...markup };
}

function toUpdate(raw: RawUpdate): Update {
  const { message, callback_query: query } = raw;
  if (message) return { id: raw.update_id, kind: 'message', message: toMessage(message) };
  if (!query) return { id: raw.update_id, kind: 'other' };
  const place = query.message && { chat: query.message.chat.id, message: query.message.message_id };
  const press = { id: query.id, from: toUser(query.from), data: query.data ?? '', ...known({ place }) };
  return { id: raw.update_id, kind: 'press', press };
}

function toMessage({ chat, message_id, message_thread_id, is_topic_message, from, text }: Message) {
  const thread = is_topic_message ? message_thread_id : undefined;
  const user = from && toUser(from);
  return { chat: chat.id, message: message_id, text: text ?? '', ...known({ thread, from: user }) };
}

function toUser({ id, username }: User): ChatUser {
  return { id, ...known({ username }) };
}

async function asked<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw toProblem(error);
  }
}

function toProblem(error: unknown): unknown {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error;
    const retryAfterMs = (parameters.retry_after ?? 1) * 1_000;
    return new BotApiError(problemOf(code, description), description, { retryAfterMs, cause: error });
  }
  // Its own words hold the address, and the address the token.
  if (error instanceof HttpError) return new BotApiError('network', reasonOf(error.error), { cause: undefined });
  return error;
}

function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'no connection';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return code === '' ? 'no connection' : `no connection (${code})`;
}

function problemOf(code: number, description: string): BotApiProblem {
  if (code === 429) return 'flood';
  if (code === 401 || code === 404) return 'revoked';
  if (code === 409) return /webhook/i.test(description) ? 'webhook' : 'conflict';
  if (code === 403) return 'blocked';
  if (code >= 500) return 'network';
  const word = WORDS.find(([pattern]) => pattern.test(description));
  return word ? word[1] : 'refused';
}

/** Telegram has no codes for these. */
const WORDS: readonly (readonly [RegExp, BotApiProblem])[] = [
  [/not modified|TOPIC_NOT_MODIFIED/i, 'same'],
  [/message to edit not found|message can't be edited|MESSAGE_ID_INVALID|TOPIC_ID_INVALID/i, 'gone'],
  [/thread not found|TOPIC_CLOSED|TOPIC_DELETED/i, 'no-topic'],
  [/not enough rights to (create|edit|manage) (a|the)? ?topic|CHAT_ADMIN_REQUIRED/i, 'no-rights'],
  [/chat not found|not enough rights|CHAT_WRITE_FORBIDDEN|group chat was upgraded/i, 'blocked'],
];
