import type { Clock } from '../../base/clock.ts';
import { BotApiError, type BotApiProblem } from './bot-api.ts';

/** How the face is, for `troupe doctor` and for the person at the terminal. */
export interface HealthReport {
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly state: 'ok' | BotApiProblem;
  readonly text: string;
  /** Messages of people who are not allowed to say anything. */
  readonly strangers: number;
}

export interface Health {
  /** Told of every request that failed. */
  met(error: unknown): void;
  /** Told of every one that did not. */
  well(): void;
  stranger(chat: number, user: number | undefined): void;
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly pid: number;
  save(report: HealthReport): void;
  note(text: string): void;
}

const WORDS: Partial<Readonly<Record<BotApiProblem, string>>> = {
  network: 'Telegram cannot be reached; it is tried again.',
  revoked: 'Telegram does not know the token any more. Get a new one from @BotFather, then: troupe telegram setup',
  conflict: 'Another program asks for the updates of this bot. Stop it, or use another bot.',
  blocked: 'A chat does not take messages of this bot. Let it in again, or take the chat out of the settings.',
};

/** Says a trouble once, and when it is over. */
export function createHealth({ clock, pid, save, note }: HealthOptions): Health {
  let state: HealthReport['state'] = 'ok';
  let strangers = 0;
  const logged = new Set<string>();
  const tell = (next: HealthReport['state'], text: string): void => {
    if (next !== state) note(`troupe: ${text}`);
    const isNew = next !== state;
    state = next;
    if (isNew) keep(text);
  };
  const keep = (text: string): void => save({ pid, at: new Date(clock()).toISOString(), state, text, strangers });
  keep('Everything is in order.');
  return {
    met(error) {
      if (!(error instanceof BotApiError)) return note(`troupe: ${error instanceof Error ? error.message : error}`);
      const words = WORDS[error.problem];
      if (words) return tell(error.problem, words);
      if (error.problem === 'refused') note(`troupe: Telegram refused a message: ${error.message}`);
    },
    well() {
      tell('ok', 'Telegram answers again.');
    },
    stranger(chat, user) {
      strangers++;
      const who = `chat ${chat}, user ${user ?? 'unknown'}`;
      // Whoever writes a thousand times is named once; a crowd is counted.
      if (logged.size < 100 && !logged.has(who))
        note(`troupe: a stranger wrote to the bot, and got no answer (${who})`);
      logged.add(who);
      if (logged.size > 1_000) logged.clear();
      keep('Everything is in order.');
    },
  };
}
