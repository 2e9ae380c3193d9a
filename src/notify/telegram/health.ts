import type { Clock } from '../../lib/clock.ts';
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
  webhook:
    'A webhook is set for this bot: what people write and press goes there. Use another bot, or take the webhook away.',
  'no-rights':
    'The bot may not open topics in a group. Make it an admin who may manage topics; until then sessions share the group.',
  blocked: 'A chat does not take messages of this bot. Let it in again, or take the chat out of the settings.',
};

/** So long the words about a thing are not said again, and a chat that refused us counts as one that does. */
const AGAIN_MS = 10 * 60_000;
/** Two programs cut each other off in turn, and each is served in between: it is over when nothing was heard of it for longer than that takes. */
const CONFLICT_MS = 2 * 60_000;

/** Says a trouble once, and when it is over. */
export function createHealth({ clock, pid, save, note }: HealthOptions): Health {
  let state: HealthReport['state'] = 'ok';
  let strangers = 0;
  /** Troubles beside which everything else goes on. */
  let beside: { readonly problem: 'blocked' | 'conflict' | 'webhook'; readonly until: number } | undefined;
  let kept = '';
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
    const shown = state === 'ok' && beside && now < beside.until ? beside.problem : state;
    const isKept = kept === `${shown} ${strangers}`;
    kept = `${shown} ${strangers}`;
    const text = shown === 'ok' ? 'Everything is in order.' : (WORDS[shown] ?? '');
    if (!isKept) save({ pid, at: new Date(now).toISOString(), state: shown, text, strangers });
  };
  const become = (next: HealthReport['state'], words: string): void => {
    if (next !== state) note(`troupe: ${words}`);
    state = next;
    keep();
  };
  keep();
  return {
    met(error) {
      if (!(error instanceof BotApiError)) return sayOnce(error instanceof Error ? error.message : String(error));
      const { problem, message } = error;
      const words = WORDS[problem] ?? message;
      switch (problem) {
        case 'network':
        case 'revoked':
          return become(problem, words);
        case 'blocked':
        case 'conflict':
        case 'webhook':
          beside = { problem, until: clock() + (problem === 'blocked' ? AGAIN_MS : CONFLICT_MS) };
          sayOnce(words);
          // Whoever says so has been reached.
          return become('ok', 'Telegram answers again.');
        case 'no-rights':
          return sayOnce(words);
        case 'refused':
          return sayOnce(`Telegram refused a message: ${message}`);
      }
    },
    well: () => become('ok', 'Telegram answers again.'),
    stranger(chat, user) {
      strangers++;
      sayOnce(`a stranger wrote to the bot, and got no answer (chat ${chat}, user ${user ?? 'unknown'})`);
      keep();
    },
  };
}
