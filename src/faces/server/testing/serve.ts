import type { Live } from '../../face.ts';
import { createServer, type Server, type ServerOptions } from '../create-server.ts';
import { type Answer, ask, type Question } from './ask.ts';

export const TOKEN = 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY';
export const STARTED_AT = Date.parse('2026-05-04T03:02:01Z');

export interface Served extends Server {
  readonly port: number;
  /** Our own mistakes, as they were reported. */
  readonly errors: readonly unknown[];
  /** With the token, unless the question has headers of its own. */
  get(path: string, question?: Question): Promise<Answer>;
  json(path: string): Promise<unknown>;
}

/** A server on a free port. */
export async function serve(live: Live, options: Partial<ServerOptions> = {}): Promise<Served> {
  const errors: unknown[] = [];
  const server = createServer({
    live,
    token: TOKEN,
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
    errors,
    get,
    async json(path) {
      const { status, text } = await get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
  };
}
