import type { Answered, AskAnswer, Person } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { NewsDesk } from '../news-desk.ts';
import type { BotApi } from './bot-api.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatState } from './chat-state.ts';
import type { Health } from './health.ts';
import type { Limits } from './limits.ts';
import type { MadeExports } from './made-exports.ts';

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
