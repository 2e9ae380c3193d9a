import type { News } from '../news.ts';
import { keyOf } from '../news-desk.ts';
import { settleNotice } from '../news-of.ts';
import type { Told } from '../told.ts';
import { BotApiError, type BotApiProblem } from './bot-api.ts';
import type { ChatContext } from './chat-context.ts';
import { withSession } from './chat-state.ts';
import { deliver } from './deliver.ts';
import { placeSessions } from './place-sessions.ts';
import { recover, SETTLE_MS } from './recover.ts';
import { type Job, wantedJobs } from './wanted-jobs.ts';

interface Waiting {
  readonly news: readonly News[];
  readonly since: number;
  /** What had been told when it was looked for: with anything else it is old. */
  readonly told: Told;
}

const TICK_MS = 200;
const LOOK_MS = 1_000;

function holdFor(problem: BotApiProblem): number {
  switch (problem) {
    case 'network':
      return 3_000;
    case 'revoked':
      return 60_000;
    case 'blocked':
      return 600_000;
    default:
      return 10_000;
  }
}

/** Keeps the chats as they should be, one request at a time in each, until the signal. */
export async function runSender(context: ChatContext, signal: AbortSignal): Promise<void> {
  const { book, desk, options, forums, clock, sleep, limits, health, exports } = context;
  const busy = new Map<number, Promise<void>>();
  const waiting = new Map<string, Waiting>();
  const dirty = new Map<string, number>();
  const lookedAt = new Map<string, number>();

  // What was under way when we were stopped may still arrive.
  if (Object.values(book.read().chats).some(({ pending }) => pending)) await sleep(SETTLE_MS, signal);
  while (!signal.aborted) {
    if (desk.picture()) await look();
    const jobs = jobsNow();
    for (const chat of options.chats) if (!busy.has(chat)) begin(chat, jobs);
    await sleep(TICK_MS, signal);
  }
  await Promise.all(busy.values());

  function jobsNow(): readonly Job[] {
    const picture = desk.picture();
    if (!picture) return [];
    const now = clock();
    const state = book.read();
    const placed = placeSessions(state, picture, options, forums, now);
    if (placed !== state) book.keep(() => placed);
    exports.attend(placed.replies);
    const asked = new Set<string>();
    const dirtySince = (slot: string): number => {
      asked.add(slot);
      const since = dirty.get(slot) ?? now;
      dirty.set(slot, since);
      return since;
    };
    const isMade = (reply: string): boolean => exports.of(reply) !== undefined;
    const jobs = wantedJobs({ state: placed, picture, options, forums, news: waiting, isMade, dirtySince, now });
    for (const slot of dirty.keys()) if (!asked.has(slot)) dirty.delete(slot);
    return jobs;
  }

  function begin(chat: number, jobs: readonly Job[]): void {
    if (book.read().chats[chat]?.pending) {
      if (limits.waitFor(chat, 'edit') === 0) run(chat, () => recover(chat, context, signal));
      return;
    }
    const job = jobs
      .filter((one) => one.chat === chat && limits.waitFor(chat, one.request) === 0)
      .toSorted((a, b) => a.deadline - b.deadline)[0];
    if (!job) return;
    limits.take(chat, job.request);
    run(chat, () => deliver(job, context));
    if (job.work.kind !== 'news') return;
    // What was told decides what is to tell.
    waiting.delete(keyOf(job.work.session));
    lookedAt.delete(keyOf(job.work.session));
  }

  function run(chat: number, act: () => Promise<void>): void {
    const done = act()
      .then(health.well, (error: unknown) => meet(chat, error))
      .finally(() => busy.delete(chat));
    busy.set(chat, done);
  }

  function meet(chat: number, error: unknown): void {
    health.met(error);
    const problem = error instanceof BotApiError ? error.problem : 'refused';
    // A token is none for any chat.
    const held = problem === 'revoked' ? options.chats : [chat];
    for (const one of held)
      limits.hold(one, error instanceof BotApiError && problem === 'flood' ? error.retryAfterMs : holdFor(problem));
  }

  /** What there is to tell of the sessions whose chats are free: while something is being told, nobody can say what is left. */
  async function look(): Promise<void> {
    for (const session of desk.warm()) {
      const key = keyOf(session);
      const place = book.read().sessions[key];
      if (!place || busy.has(place.chat) || clock() - (lookedAt.get(key) ?? 0) < LOOK_MS) continue;
      lookedAt.set(key, clock());
      const told = settleNotice(place.told, session);
      if (told !== place.told) book.note((state) => withSession(state, key, { told }));
      try {
        const news = await desk.look(session, told);
        if (book.read().sessions[key]?.told !== told) continue;
        if (news.length === 0) waiting.delete(key);
        else waiting.set(key, { news, told, since: waiting.get(key)?.since ?? clock() });
      } catch (error) {
        // What cannot be read of one is no reason to be silent about the others.
        health.met(error);
      }
    }
  }
}
