// A Bot API on loopback that behaves as the real one, and records what a person would see.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChats, type ServerChat, type Shown } from './chats.ts';
import { readMultipart } from './multipart.ts';
import { bad, Refusal } from './rules.ts';

export interface BotServer {
  readonly url: string;
  readonly token: string;
  /** Every request that was taken, in order. */
  readonly taken: readonly TakenRequest[];
  /** Every one that was not. */
  readonly refused: readonly { readonly method: string; readonly code: number; readonly description: string }[];
  /** What stands in a chat, oldest first: as people see it now. */
  messages(chat: number, thread?: number): readonly Shown[];
  texts(chat: number, thread?: number): readonly string[];
  topics(chat: number): ReadonlyMap<number, string>;
  /** A person writes. */
  say(chat: number, user: Person, text: string, thread?: number): void;
  /** A person presses; gives what they are told, once they are. */
  press(chat: number, message: number, user: Person, data: string): Promise<string>;
  /** From now on: `down` answers nothing, `revoked` knows no token. */
  be(state: 'well' | 'down' | 'revoked'): void;
  /** So often it was asked while it was down. */
  turnedAway(): number;
  block(chat: number): void;
  /** As after a week without updates: the next has this number. */
  numberUpdatesFrom(next: number): void;
  deleteTopic(chat: number, topic: number): void;
  /** Called at the next requests but those for updates: `cut` makes as if the line had gone dead before it arrived, or behind it. */
  onRequest(listener: (method: string) => 'cut-before' | 'cut-after' | undefined): void;
  close(): Promise<void>;
}

export interface TakenRequest {
  readonly at: number;
  readonly method: string;
  readonly chat: number | undefined;
  readonly thread: number | undefined;
  readonly message: number | undefined;
  readonly text: string | undefined;
  readonly isSilent: boolean;
}

export interface Person {
  readonly id: number;
  readonly username?: string;
}

export interface BotServerOptions {
  readonly chats: readonly ServerChat[];
  readonly clock?: () => number;
  /** Real time between looking for new updates, in milliseconds. */
  readonly port?: number;
}

type Fields = Readonly<Record<string, unknown>>;

export async function startBotServer({
  chats: known,
  clock = Date.now,
  port = 0,
}: BotServerOptions): Promise<BotServer> {
  const token = '123456:test-token-of-the-loopback';
  const taken: TakenRequest[] = [];
  const refused: { method: string; code: number; description: string }[] = [];
  const updates: { update_id: number; [kind: string]: unknown }[] = [];
  const told = new Map<string, (text: string) => void>();
  const chats = createChats(known, clock);
  let state: Parameters<BotServer['be']>[0] = 'well';
  let nextUpdate = 1;
  let turnedAway = 0;
  let listen: Parameters<BotServer['onRequest']>[0] = () => undefined;
  let waiting: { end(refusal?: Refusal): void } | undefined;

  const add = (update: object): void => {
    updates.push({ update_id: nextUpdate++, ...update });
    waiting?.end();
  };
  const getUpdates = (fields: Fields): Promise<unknown> => {
    const asked = Number(fields['offset'] ?? 0);
    // One that is far ahead is none of this numbering: as the real one, from the first that is there.
    const offset = asked > nextUpdate + 10 ? 0 : asked;
    while (updates[0] && updates[0].update_id < offset) updates.shift();
    waiting?.end(
      new Refusal(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    );
    if (updates.length > 0) return Promise.resolve(updates.slice(0, 100));
    return new Promise((resolve, reject) => {
      const end = (refusal?: Refusal): void => {
        clearTimeout(timer);
        if (waiting === mine) waiting = undefined;
        if (refusal) reject(refusal);
        else resolve(updates.slice(0, 100));
      };
      const mine = { end };
      const timer = setTimeout(end, Number(fields['timeout'] ?? 0) * 1000);
      waiting = mine;
    });
  };
  const answer = async (method: string, fields: Fields): Promise<unknown> => {
    switch (method) {
      case 'getMe':
        return { id: 123456, is_bot: true, first_name: 'troupe', username: 'troupe_test_bot' };
      case 'getUpdates':
        return getUpdates(fields);
      case 'answerCallbackQuery': {
        const tell = told.get(String(fields['callback_query_id']));
        if (!tell) throw bad('query is too old and response timeout expired or query ID is invalid');
        told.delete(String(fields['callback_query_id']));
        tell(String(fields['text'] ?? ''));
        return true;
      }
      case 'setMyCommands':
        return true;
      default:
        return chats.answer(method, fields);
    }
  };
  const note = (method: string, fields: Fields, result: unknown): void => {
    if (method === 'getUpdates') return;
    const made = result as { message_id?: number; message_thread_id?: number } | undefined;
    taken.push({
      at: clock(),
      method,
      chat: fields['chat_id'] === undefined ? undefined : Number(fields['chat_id']),
      thread: fields['message_thread_id'] === undefined ? undefined : Number(fields['message_thread_id']),
      message: made?.message_id ?? made?.message_thread_id,
      text: (fields['text'] ?? fields['caption'] ?? fields['name']) as string | undefined,
      isSilent: fields['disable_notification'] === true,
    });
  };

  const server = http.createServer(async (request, response) => {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? [];
    if (state === 'down') {
      turnedAway++;
      return void request.socket.destroy();
    }
    try {
      const fields = await readFields(request);
      if (given !== token || state === 'revoked') throw new Refusal(401, 'Unauthorized');
      const isAsking = ['getUpdates', 'getMe', 'getChat', 'setMyCommands'].includes(method);
      const cut = isAsking ? undefined : listen(method);
      if (cut === 'cut-before') return void request.socket.destroy();
      const result = await answer(method, fields);
      note(method, fields, result);
      if (cut === 'cut-after') return void request.socket.destroy();
      send(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ method, code: error.code, description: error.message });
      send(response, error.code, {
        ok: false,
        error_code: error.code,
        description: error.message,
        parameters: error.parameters,
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    taken,
    refused,
    messages: chats.messages,
    texts: (chat, thread) => chats.messages(chat, thread).map(({ text }) => text),
    topics: chats.topics,
    say(chat, user, text, thread) {
      const message = chats.receive(chat, user, text, thread);
      add({ message });
    },
    press(chat, message, user, data) {
      const id = `press-${nextUpdate}`;
      return new Promise((resolve) => {
        told.set(id, resolve);
        add({
          callback_query: {
            id,
            from: { is_bot: false, first_name: 'P', ...user },
            data,
            message: { chat: { id: chat }, message_id: message, date: 1 },
          },
        });
      });
    },
    be(next) {
      state = next;
      if (next !== 'well') waiting?.end(next === 'revoked' ? new Refusal(401, 'Unauthorized') : undefined);
      if (next === 'down') server.closeAllConnections();
    },
    turnedAway: () => turnedAway,
    block: chats.block,
    numberUpdatesFrom(next) {
      nextUpdate = next;
    },
    deleteTopic: chats.deleteTopic,
    onRequest(listener) {
      listen = listener;
    },
    close() {
      waiting?.end();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readFields(request: http.IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return readMultipart(body, type);
  return body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
}

function send(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
