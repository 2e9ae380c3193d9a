import type { AnswerOutcome, ApprovalAnswer, Person } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { cutAt, quoteOf } from '../messages/rich-text.ts';
import type { AnnounceSettings } from '../notification.ts';
import type { NotificationTracker } from '../tracker.ts';
import type { BotApi, Limits } from './bot-api.ts';
import type { ChatState, Reply } from './chat-state.ts';
import type { Health } from './health.ts';

/** What every part of the conversation works with. */
export interface ChatContext {
  readonly api: BotApi;
  readonly tracker: NotificationTracker;
  readonly limits: Limits;
  readonly options: ChatOptions;
  /** Chats in which a topic can be opened, as far as is known. */
  readonly forums: Set<number>;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly book: StateBook;
  readonly health: Health;
  readonly actions: ChatActions;
  readonly exports: ExportJobs;
  /** Must not be guessed. */
  createNonce(): string;
}

/** The state, and the file that it is kept in. */
interface StateBook {
  read(): ChatState;
  /** Kept on the disk before this returns. */
  keep(change: (state: ChatState) => ChatState): void;
  /** For what can be found out again: kept with the next thing that cannot. */
  note(change: (state: ChatState) => ChatState): void;
}

/** What the chat may ask for beyond its own. */
export interface ChatActions {
  /** `isPressed`: the person said so just now, and it may be proven with their passphrase. */
  answer(ask: string, answer: ApprovalAnswer, by: Person, isPressed: boolean): Promise<AnswerOutcome>;
  /** A session, redacted, as one file. Throws a `UserError` where it cannot be. */
  exportSession(session: { readonly id: string; readonly cwd: string | null }): Promise<ExportedFile>;
  /** Words to an agent, and its end, where its host has a way. Left out: there is none yet. */
  readonly control?: AgentControl;
}

interface ExportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
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
  readonly announce: AnnounceSettings;
  /** Minutes since midnight, by the clock of this machine. */
  readonly quietHours?: { readonly from: number; readonly to: number };
}

export function isQuiet(quiet: ChatOptions['quietHours'], now: number): boolean {
  if (!quiet) return false;
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  return quiet.from <= quiet.to ? minute >= quiet.from && minute < quiet.to : minute >= quiet.from || minute < quiet.to;
}

/** A file, or why there is none. */
type FinishedExport = ExportedFile | { readonly whyNot: string };

/** Makes the files that people asked for in the background: an export takes a while, and the chat has to go on. */
export class ExportJobs {
  readonly #make: (session: string) => Promise<ExportedFile>;
  readonly #made = new Map<string, FinishedExport | undefined>();
  /** One at a time: each takes a core. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(make: (session: string) => Promise<ExportedFile>) {
    this.#make = make;
  }

  /** Starts requested exports, and forgets those that no reply waits for. */
  update(replies: readonly Reply[]): void {
    const wanted = new Map(replies.flatMap(({ id, body }) => ('exportOf' in body ? [[id, body.exportOf]] : [])));
    for (const id of this.#made.keys()) if (!wanted.has(id)) this.#made.delete(id);
    for (const [id, session] of wanted) {
      if (this.#made.has(id)) continue;
      this.#made.set(id, undefined);
      this.#last = this.#last
        .then(() => this.#make(session))
        .then(
          (file) => this.#keep(id, file),
          (error: unknown) => this.#keep(id, { whyNot: reasonOf(error) }),
        );
    }
  }

  /** Undefined while it is being made. */
  get(reply: string): FinishedExport | undefined {
    return this.#made.get(reply);
  }

  #keep(id: string, file: FinishedExport): void {
    if (this.#made.has(id)) this.#made.set(id, file);
  }
}

function reasonOf(error: unknown): string {
  return cutAt(quoteOf(error instanceof Error ? error.message : String(error)), 200);
}
