import type { Clock } from '../../lib/clock.ts';
import { BotApiError, type BotApiProblem } from './bot-api.ts';

/** The state of the bot, for `troupe doctor` and the person at the terminal. */
export interface HealthReport {
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly state: 'ok' | BotApiProblem;
  readonly text: string;
  /** Messages from people who are not allowed to use the bot. */
  readonly strangers: number;
}

interface HealthOptions {
  readonly clock: Clock;
  readonly pid: number;
  save(report: HealthReport): void;
  note(text: string): void;
}

const TEXTS: Partial<Readonly<Record<BotApiProblem, string>>> = {
  network: 'Telegram cannot be reached; it is tried again.',
  revoked: 'Telegram does not know the token any more. Get a new one from @BotFather, then: troupe telegram setup',
  conflict: 'Another program asks for the updates of this bot. Stop it, or use another bot.',
  webhook:
    'A webhook is set for this bot: what people write and press goes there. Use another bot, or take the webhook away.',
  'no-rights':
    'The bot may not open topics in a group. Make it an admin who may manage topics; until then sessions share the group.',
  blocked: 'A chat does not take messages of this bot. Let it in again, or take the chat out of the settings.',
};

/** A note is not repeated for this long, and a chat that refused a message counts as blocked for as long. */
const AGAIN_MS = 10 * 60_000;
/** Two programs interrupt each other in turn, and each is served in between: the conflict is over after this long without an error. */
const CONFLICT_MS = 2 * 60_000;

/** Reports each problem once, and when it is over. */
export class Health {
  readonly #options: HealthOptions;
  #state: HealthReport['state'] = 'ok';
  #strangers = 0;
  /** Problems that do not stop everything else. */
  #partial: { readonly problem: 'blocked' | 'conflict' | 'webhook'; readonly until: number } | undefined;
  #saved = '';
  readonly #notedAt = new Map<string, number>();

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#save();
  }

  /** Called for every request that failed. */
  reportFailure(error: unknown): void {
    if (error instanceof BotApiError) this.#reportProblem(error.problem, error.message);
    else this.#noteOnce(error instanceof Error ? error.message : String(error));
  }

  #reportProblem(problem: BotApiProblem, message: string): void {
    const text = TEXTS[problem] ?? message;
    switch (problem) {
      case 'network':
      case 'revoked':
        this.#become(problem, text);
        break;
      case 'blocked':
      case 'conflict':
      case 'webhook': {
        const until = this.#options.clock() + (problem === 'blocked' ? AGAIN_MS : CONFLICT_MS);
        this.#partial = { problem, until };
        this.#noteOnce(text);
        // Telegram has been reached, since it answered with the problem.
        this.reportSuccess();
        break;
      }
      case 'no-rights':
        this.#noteOnce(text);
        break;
      case 'refused':
        this.#noteOnce(`Telegram refused a message: ${message}`);
        break;
    }
  }

  reportSuccess(): void {
    this.#become('ok', 'Telegram answers again.');
  }

  countStranger(chat: number, user: number | undefined): void {
    this.#strangers++;
    this.#noteOnce(`a stranger wrote to the bot, and got no answer (chat ${chat}, user ${user ?? 'unknown'})`);
    this.#save();
  }

  #become(next: HealthReport['state'], text: string): void {
    if (next !== this.#state) this.#options.note(`troupe: ${text}`);
    this.#state = next;
    this.#save();
  }

  #noteOnce(text: string): void {
    const now = this.#options.clock();
    for (const [noted, at] of this.#notedAt) if (now - at > AGAIN_MS) this.#notedAt.delete(noted);
    // A crowd of strangers is counted, not named one by one.
    if (this.#notedAt.has(text) || this.#notedAt.size > 100) return;
    this.#notedAt.set(text, now);
    this.#options.note(`troupe: ${text}`);
  }

  #save(): void {
    const { clock, pid, save } = this.#options;
    const now = clock();
    const strangers = this.#strangers;
    const state =
      this.#state === 'ok' && this.#partial && now < this.#partial.until ? this.#partial.problem : this.#state;
    if (this.#saved === `${state} ${strangers}`) return;
    this.#saved = `${state} ${strangers}`;
    const text = state === 'ok' ? 'Everything is in order.' : (TEXTS[state] ?? '');
    save({ pid, at: new Date(now).toISOString(), state, text, strangers });
  }
}
