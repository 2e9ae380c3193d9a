import type { Live } from '../../../sessions/index.ts';
import { createServer, type Server, type ServerOptions } from '../create-server.ts';
import { Logins } from '../gate.ts';
import { type Answer, ask, type Question } from './ask.ts';

export const TOKEN = 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY';
export const KEYS = { terminal: 'key-of-terminal', cli: 'key-of-cli', telegram: 'key-of-telegram' };
export const STARTED_AT = Date.parse('2026-05-04T03:02:01Z');

export interface Served extends Server {
  readonly port: number;
  /** The cookie of a browser that logs in now. */
  logIn(): string;
  /** Our own mistakes, as they were reported. */
  readonly errors: readonly unknown[];
  /** With the token, unless the question has headers of its own. */
  get(path: string, question?: Question): Promise<Answer>;
  json(path: string): Promise<unknown>;
}

/** A server on a free port. */
export async function serve(live: Live, options: Partial<ServerOptions> = {}): Promise<Served> {
  const errors: unknown[] = [];
  const logins = new Logins({ clock: Date.now });
  const server = createServer({
    live,
    token: TOKEN,
    keys: KEYS,
    logins,
    epoch: 'e1',
    version: '9.9.9',
    startedAt: STARTED_AT,
    onError: (error) => errors.push(error),
    ...options,
  });
  const { port } = await server.listen();
  const get: Served['get'] = (path, question = {}) =>
    ask(port, { headers: { Authorization: `Bearer ${TOKEN}` }, ...question, path });
  return {
    ...server,
    port,
    logIn: () =>
      `troupe-${port}=${logins.redeem(new URL(logins.createLink(), 'http://x').searchParams.get('code') ?? '')}`,
    errors,
    get,
    async json(path) {
      const { status, text } = await get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
  };
}
