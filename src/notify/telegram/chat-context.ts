import type { Answered, AskAnswer, Person } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { cutAt, quoteOf } from '../messages/rich-text.ts';
import type { Wishes } from '../notification.ts';
import type { NewsDesk } from '../tracker.ts';
import type { BotApi, Limits } from './bot-api.ts';
import type { ChatState, Reply } from './chat-state.ts';
import type { Health } from './health.ts';

/** What every part of the conversation works with. */
export interface ChatContext {
  readonly api: BotApi;
  readonly desk: NewsDesk;
  readonly limits: Limits;
  readonly options: ChatOptions;
  /** Chats in which a topic can be opened, as far as is known. */
  readonly forums: Set<number>;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly book: StateBook;
  readonly health: Health;
  readonly outside: Outside;
  readonly exports: MadeExports;
  /** Must not be guessed. */
  createNonce(): string;
  /** For the person at the terminal. */
  note(text: string): void;
}

/** The state, and the file that it is kept in. */
export interface StateBook {
  read(): ChatState;
  /** Kept on the disk before this returns. */
  keep(change: (state: ChatState) => ChatState): void;
  /** For what can be found out again: kept with the next thing that cannot. */
  note(change: (state: ChatState) => ChatState): void;
}

/** What the chat may ask for beyond its own. */
export interface Outside {
  answer(ask: string, answer: AskAnswer, by: Person): Promise<Answered>;
  /** A session, redacted, as one file. Throws a `UserError` where it cannot be. */
  exportSession(session: ExportedSession): Promise<{ readonly name: string; readonly bytes: Uint8Array }>;
  /** Words to an agent, and its end, where its host has a way. Left out: there is none yet. */
  readonly control?: AgentControl;
}

export interface ExportedSession {
  readonly id: string;
  readonly cwd: string | null;
}

export interface AgentControl {
  /** Gives what became of it, in a sentence. Throws a `UserError` where the host has no way. */
  stop(session: string, agent: string | undefined): Promise<string>;
  say(session: string, agent: string | undefined, text: string): Promise<string>;
}

/** What the person wants of the chats (docs/TELEGRAM.md). */
export interface ChatOptions {
  /** Where sessions are told about, and commands are taken. Nobody else gets a word. */
  readonly chats: readonly number[];
  /** Who may press and command; everyone in those chats where none are named. */
  readonly users: readonly number[];
  /** `topic`: each session has its own, in a chat that has topics. */
  readonly sessions: 'topic' | 'chat';
  readonly wishes: Wishes;
  readonly quietHours?: QuietHours;
}

/** Minutes since midnight, by the clock of this machine. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

export function isQuiet(quiet: QuietHours | undefined, now: number): boolean {
  if (!quiet) return false;
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  return quiet.from <= quiet.to ? minute >= quiet.from && minute < quiet.to : minute >= quiet.from || minute < quiet.to;
}

/** A file, or why there is none. */
export type MadeExport = { readonly name: string; readonly bytes: Uint8Array } | { readonly whyNot: string };

export interface MadeExports {
  /** Begins what is asked for, and forgets what nobody waits for any more. */
  attend(replies: readonly Reply[]): void;
  /** Undefined while it is being made. */
  of(reply: string): MadeExport | undefined;
}

/** Files for people who asked for them, made beside everything else: it takes a while, and their chat has to go on. */
export function createMadeExports(make: (session: string) => ReturnType<Outside['exportSession']>): MadeExports {
  const made = new Map<string, MadeExport | undefined>();
  /** One at a time: each takes a core. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    attend(replies) {
      const wanted = new Map(replies.flatMap(({ id, body }) => ('exportOf' in body ? [[id, body.exportOf]] : [])));
      for (const id of made.keys()) if (!wanted.has(id)) made.delete(id);
      for (const [id, session] of wanted) {
        if (made.has(id)) continue;
        made.set(id, undefined);
        last = last
          .then(() => make(session))
          .then(
            (file) => keep(id, file),
            (error: unknown) => keep(id, { whyNot: reasonOf(error) }),
          );
      }
    },
    of: (reply) => made.get(reply),
  };

  function keep(id: string, file: MadeExport): void {
    if (made.has(id)) made.set(id, file);
  }
}

function reasonOf(error: unknown): string {
  return cutAt(quoteOf(error instanceof Error ? error.message : String(error)), 200);
}
