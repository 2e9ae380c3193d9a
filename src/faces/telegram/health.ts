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
  'no-rights':
    'The bot may not open topics in a group. Make it an admin who may manage topics; until then sessions share the group.',
  blocked: 'A chat does not take messages of this bot. Let it in again, or take the chat out of the settings.',
};

/** So long the words about a thing are not said again. */
const AGAIN_MS = 10 * 60_000;

/** Says a trouble once, and when it is over. */
export function createHealth({ clock, pid, save, note }: HealthOptions): Health {
  let state: HealthReport['state'] = 'ok';
  let strangers = 0;
  let blockedAt = Number.NEGATIVE_INFINITY;
  const saidAt = new Map<string, number>();
  const sayOnce = (text: string): void => {
    const now = clock();
    for (const [words, at] of saidAt) if (now - at > AGAIN_MS) saidAt.delete(words);
    // A crowd of strangers is counted, not named one by one.
    if (saidAt.has(text) || saidAt.size > 100) return;
    saidAt.set(text, now);
    note(`troupe: ${text}`);
  };
  const keep = (): void => {
    const now = clock();
    const isBlocked = state === 'ok' && now - blockedAt < AGAIN_MS;
    const shown = isBlocked ? 'blocked' : state;
    const text = shown === 'ok' ? 'Everything is in order.' : (WORDS[shown] ?? '');
    save({ pid, at: new Date(now).toISOString(), state: shown, text, strangers });
  };
  const become = (next: HealthReport['state'], words: string): void => {
    if (next === state) return;
    state = next;
    note(`troupe: ${words}`);
    keep();
  };
  keep();
  return {
    met(error) {
      if (!(error instanceof BotApiError)) return sayOnce(error instanceof Error ? error.message : String(error));
      const words = WORDS[error.problem];
      if (error.problem === 'no-rights') return sayOnce(words ?? error.message);
      if (error.problem === 'blocked') {
        // One chat: the others go on.
        blockedAt = clock();
        sayOnce(words ?? error.message);
        keep();
      } else if (words) become(error.problem, words);
      else if (error.problem === 'refused') sayOnce(`Telegram refused a message: ${error.message}`);
    },
    well: () => become('ok', 'Telegram answers again.'),
    stranger(chat, user) {
      strangers++;
      sayOnce(`a stranger wrote to the bot, and got no answer (chat ${chat}, user ${user ?? 'unknown'})`);
      keep();
    },
  };
}
