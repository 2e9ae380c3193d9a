import type { Ask, LiveSnapshot, SessionDetail } from '../../core/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { UserError } from '../../lib/user-error.ts';
import { askMessage } from '../messages/ask-message.ts';
import type { RichText } from '../messages/rich-text.ts';
import type { News, Wishes } from '../news.ts';
import { keyOf, type NewsFeed, openNewsDesk } from '../news-desk.ts';
import { newsLines } from '../news-lines.ts';
import { settleNotice } from '../news-of.ts';
import { nothingTold, type Told, withTold } from '../told.ts';
import { askEvent, bodyOf, newsEvent, type WebhookEvent, type WebhookForm } from './payload.ts';
import type { PostOutcome } from './post.ts';

/** What has to outlive us: what was taken is not sent again, and nothing is left out. */
export interface WebhookState {
  readonly since: number;
  readonly sessions: Readonly<Record<string, { readonly told: Told; readonly seenAt: number }>>;
  /** Of asks, the newest. */
  readonly asks: readonly string[];
}

export interface WebhookRun {
  readonly feed: NewsFeed;
  readonly wishes: Wishes;
  readonly form: WebhookForm;
  /** A text without the credentials in it. */
  readonly mask: (text: string) => string;
  readonly store: { load(): WebhookState | undefined; save(state: WebhookState): void };
  readonly send: (id: string, body: string, attempt: number) => Promise<PostOutcome>;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

const LOOK_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** So often something is sent that is not wanted, before the next comes. */
const MOST_REFUSALS = 5;
const FORGET_MS = 3 * 86_400_000;
const ASKS_KEPT = 200;
const GONE = 'webhook-gone';

/** Something to send, and when it happened. */
interface Due {
  readonly at: number;
  readonly send: () => Promise<void>;
}

/** Sends what happens, one after the other, each until it was taken; until the signal. */
export async function runWebhook(run: WebhookRun): Promise<void> {
  const { feed, wishes, store, clock, sleep, note, signal } = run;
  let state: WebhookState = store.load() ?? { since: clock(), sessions: {}, asks: [] };
  const keep = (next: WebhookState): void => {
    state = next;
    store.save(state);
  };
  keep(state);
  const desk = openNewsDesk({ feed, wishes, clock, mask: run.mask });
  const trouble = { said: '' };
  try {
    while (!signal.aborted) {
      const picture = desk.picture();
      if (picture) await sendAll(picture).catch(unlessItIsOver);
      await sleep(LOOK_MS, signal);
    }
  } finally {
    desk.close();
  }

  async function sendAll(picture: LiveSnapshot): Promise<void> {
    const due = [...asksDue(picture), ...(await newsDue())];
    for (const { send } of due.toSorted((a, b) => a.at - b.at)) {
      if (signal.aborted) return;
      await send();
    }
  }

  async function newsDue(): Promise<readonly Due[]> {
    const due: Due[] = [];
    for (const session of desk.warm()) {
      const told = toldOf(session);
      const settled = settleNotice(told, session);
      if (settled !== told) remember(session, settled);
      // What cannot be read of one is no reason to be silent about the others.
      const found = await desk.look(session, settled).catch((error: unknown) => {
        meet(error);
        return [];
      });
      for (const news of found) due.push({ at: news.at, send: () => sendNews(news, session) });
    }
    return due;
  }

  async function sendNews(news: News, session: SessionDetail): Promise<void> {
    const text = newsLines(news, session, await desk.words(news, session));
    if (await insist(newsEvent(news, session, text.text), text)) remember(session, withTold(toldOf(session), news));
  }

  function asksDue(picture: LiveSnapshot): readonly Due[] {
    return picture.asks.flatMap((ask): Due[] => {
      const at = Date.parse(ask.end?.at ?? ask.at);
      const isSent = state.asks.includes(markOf(ask));
      return isSent || at < state.since ? [] : [{ at, send: () => sendAsk(ask, picture) }];
    });
  }

  async function sendAsk(ask: Ask, picture: LiveSnapshot): Promise<void> {
    const session = picture.sessions.find(({ id }) => id === ask.session);
    const agent = session?.subagents.find(({ id }) => id === ask.agent.id);
    const text = askMessage(ask, agent);
    if (await insist(askEvent(ask, session, text.text), text))
      keep({ ...state, asks: [...state.asks, markOf(ask)].slice(-ASKS_KEPT) });
  }

  /** True when it was taken, or given up. False only where we are to end. */
  async function insist(event: WebhookEvent, text: RichText): Promise<boolean> {
    const body = bodyOf(event, text, run);
    let refusals = 0;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const outcome = await run.send(event.id, body, attempt);
      if (outcome.kind === 'taken') {
        if (trouble.said !== '') note('troupe: the webhook takes events again.');
        trouble.said = '';
        return true;
      }
      if (signal.aborted) return false;
      if (outcome.kind === 'gone')
        throw new UserError(
          GONE,
          'The address is gone: it answered 410.',
          'Write another into config.json: it gets the rest.',
        );
      if (outcome.kind === 'never' && ++refusals >= MOST_REFUSALS) {
        note(`troupe: the webhook does not want ${event.id}: ${outcome.why}; it is left out.`);
        return true;
      }
      meet(new Error(`the webhook did not take an event, it is sent again: ${outcome.why}`));
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS);
      await sleep(Math.max(outcome.afterMs, pause * (0.75 + run.random() / 2)), signal);
    }
    return false;
  }

  /** Whatever else it is, the next look may go better. */
  function unlessItIsOver(error: unknown): void {
    if (error instanceof UserError && error.code === GONE) throw error;
    meet(error);
  }

  function toldOf(session: SessionDetail): Told {
    return state.sessions[keyOf(session)]?.told ?? nothingTold(state.since);
  }

  function remember(session: SessionDetail, told: Told): void {
    const now = clock();
    const recent = Object.entries(state.sessions).filter(([, { seenAt }]) => now - seenAt < FORGET_MS);
    keep({ ...state, sessions: { ...Object.fromEntries(recent), [keyOf(session)]: { told, seenAt: now } } });
  }

  function meet(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== trouble.said) note(`troupe: ${text}`);
    trouble.said = text;
  }
}

function markOf({ id, end }: Ask): string {
  return `${end === null ? 'open' : 'ended'}:${id}`;
}
