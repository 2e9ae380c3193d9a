// The bot in this process, beside the Bot API on loopback, in a time that goes as fast as a test wants it to.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AnswerOutcome, ApprovalAnswer, Person } from '../../src/core/index.ts';
import { makeTemporaryFolder } from '../../src/lib/testing/temporary-folder.ts';
import { DEFAULT_ANNOUNCE } from '../../src/notify/notification.ts';
import type { AgentControl, ChatActions, ChatOptions } from '../../src/notify/telegram/chat-context.ts';
import { newState, parseState } from '../../src/notify/telegram/chat-state.ts';
import { createGrammyApi } from '../../src/notify/telegram/grammy-api.ts';
import { runTelegram } from '../../src/notify/telegram/run-telegram.ts';
import type { NotificationFeed } from '../../src/notify/tracker.ts';
import { maskText } from '../../src/redact/index.ts';
import type { BotServer } from './bot-server.ts';

export interface FastTime {
  clock(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** So many times as fast as real time. */
export function fastTime(speed: number, from = Date.now()): FastTime {
  const began = performance.now();
  return {
    clock: () => Math.floor(from + (performance.now() - began) * speed),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const timer = setTimeout(end, ms / speed);
        function end(): void {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        }
        signal?.addEventListener('abort', end);
      }),
  };
}

export interface BotOptions {
  readonly server: Pick<BotServer, 'token' | 'url'>;
  readonly feed: NotificationFeed;
  readonly time: FastTime;
  readonly options?: Partial<ChatOptions>;
  readonly chats: readonly number[];
  /** In place of a file of its own: what an earlier one left. */
  readonly file?: string;
  /** Where nothing was left: from when on things are news. */
  readonly since?: number;
  /** In place of the server's address. */
  readonly fetch?: typeof fetch;
  readonly exportSession?: ChatActions['exportSession'];
  /** In place of none. */
  readonly control?: AgentControl;
  readonly answer?: (ask: string, answer: ApprovalAnswer, by: Person, isPressed: boolean) => Promise<AnswerOutcome>;
}

export interface RunningBot {
  readonly file: string;
  readonly notes: readonly string[];
  readonly health: readonly { readonly state: string }[];
  readonly answers: readonly { readonly ask: string; readonly answer: ApprovalAnswer; readonly by: Person }[];
  /** So often the state was kept. */
  saves(): number;
  stop(): Promise<void>;
  /** As `kill -9`: what it would have written from now on is lost, and so is every answer on its way. */
  kill(): void;
}

export function startBot({ server, feed, time, chats, since = 0, ...rest }: BotOptions): RunningBot {
  const file = rest.file ?? path.join(makeTemporaryFolder('telegram'), 'telegram.json');
  const stop = new AbortController();
  const notes: string[] = [];
  const health: { state: string }[] = [];
  const answers: { ask: string; answer: ApprovalAnswer; by: Person }[] = [];
  let isKilled = false;
  let saves = 0;
  const nothing = async (): Promise<AnswerOutcome> => ({ outcome: 'unknown' });
  const running = runTelegram({
    api: createGrammyApi({
      token: server.token,
      apiRoot: server.url,
      pollSeconds: 1,
      ...(rest.fetch && { fetch: rest.fetch }),
    }),
    feed,
    options: { chats, users: [], sessions: 'topic', announce: DEFAULT_ANNOUNCE, ...rest.options },
    actions: {
      answer(ask, answer, by, isPressed) {
        answers.push({ ask, answer, by });
        return (rest.answer ?? nothing)(ask, answer, by, isPressed);
      },
      ...(rest.control && { control: rest.control }),
      exportSession:
        rest.exportSession ?? (async ({ id }) => ({ name: `${id}.html`, bytes: Buffer.from(`<p>${id}</p>`) })),
    },
    store: {
      load: () => (rest.file === undefined ? newState(since) : parseState(readFileSync(file, 'utf8'))),
      save(state) {
        saves++;
        if (!isKilled && rest.fetch === undefined) writeFileSync(file, JSON.stringify(state));
      },
      saveHealth: (report) => void health.push(report),
    },
    clock: time.clock,
    sleep: time.sleep,
    mask: (text) => maskText(text).text,
    createNonce: () => Math.random().toString(36).slice(2),
    note: (text) => notes.push(text),
    pid: process.pid,
    signal: stop.signal,
  });
  return {
    file,
    notes,
    health,
    answers,
    saves: () => saves,
    async stop() {
      stop.abort();
      await running;
    },
    kill() {
      isKilled = true;
      stop.abort();
    },
  };
}
