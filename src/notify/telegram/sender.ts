import { type SessionDetail, sessionKey } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { formatNotification, moreCallsLine, sessionLine } from '../messages/notification-lines.ts';
import { cutAt, joinRich, quoteOf, type RichText, rich, splitRich } from '../messages/rich-text.ts';
import { isLoud, type Notification, recordSent, settleNotice } from '../notification.ts';
import { closeApproval, sendApproval } from './approvals.ts';
import {
  BotApiError,
  type BotApiProblem,
  LONGEST_MESSAGE,
  LONGEST_TOPIC_NAME,
  MOST_MARKS,
  problemIn,
} from './bot-api.ts';
import { type ChatContext, isQuiet } from './chat-context.ts';
import { type NewsLine, type Reply, withChat, withSession } from './chat-state.ts';
import { isChatShared, type Job, placeSessions, planJobs, type Waiting, type Work } from './jobs.ts';
import { change, recover, SETTLE_MS, sendMessage, sendWith } from './send.ts';

const TICK_MS = 200;
const LOOK_MS = 1_000;

const HOLD_MS = 10_000;
const HOLDS_MS: Partial<Record<BotApiProblem, number>> = { network: 3_000, revoked: 60_000, blocked: 600_000 };

/** Keeps the chats up to date, one request at a time in each. */
export class Sender {
  readonly #context: ChatContext;
  readonly #signal: AbortSignal;
  /** Requests under way, by chat. */
  readonly #busy = new Map<number, Promise<void>>();
  readonly #waiting = new Map<string, Waiting>();
  /** Since when a message has been out of date. */
  readonly #dirty = new Map<string, number>();
  readonly #lookedAt = new Map<string, number>();

  constructor(context: ChatContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Until the signal. */
  async run(): Promise<void> {
    const { book, tracker, options, sleep } = this.#context;
    const signal = this.#signal;
    // A message that was under way when the previous process ended may still arrive.
    if (Object.values(book.read().chats).some(({ pending }) => pending)) await sleep(SETTLE_MS, signal);
    while (!signal.aborted) {
      if (tracker.picture()) await this.#look();
      const jobs = this.#planJobs();
      for (const chat of options.chats) if (!this.#busy.has(chat)) this.#begin(chat, jobs);
      await sleep(TICK_MS, signal);
    }
    await Promise.all(this.#busy.values());
  }

  /** Finds the notifications of sessions whose chats are free: while a message is under way, what is left is not known. */
  async #look(): Promise<void> {
    const { book, tracker, clock, health } = this.#context;
    for (const session of tracker.warm()) {
      const key = sessionKey(session);
      const place = book.read().sessions[key];
      if (!place || this.#busy.has(place.chat) || clock() - (this.#lookedAt.get(key) ?? 0) < LOOK_MS) continue;
      this.#lookedAt.set(key, clock());
      const told = settleNotice(place.told, session);
      if (told !== place.told) book.note((state) => withSession(state, key, { told }));
      try {
        const news = await tracker.look(session, told);
        if (book.read().sessions[key]?.told !== told) continue;
        if (news.length === 0) this.#waiting.delete(key);
        else this.#waiting.set(key, { news, since: this.#waiting.get(key)?.since ?? clock() });
      } catch (error) {
        // One unreadable session must not silence the others.
        health.reportFailure(error);
      }
    }
  }

  #planJobs(): readonly Job[] {
    const { book, tracker, options, forums, clock, exports } = this.#context;
    const picture = tracker.picture();
    if (!picture) return [];
    const now = clock();
    const before = book.read();
    const state = placeSessions({ state: before, picture, options, forums, now });
    if (state !== before) book.keep(() => state);
    exports.update(state.replies);
    const asked = new Set<string>();
    const jobs = planJobs({
      ...{ state, picture, options, forums, news: this.#waiting, now },
      isExported: (reply) => exports.get(reply) !== undefined,
      dirtySince: (slot) => {
        asked.add(slot);
        const since = this.#dirty.get(slot) ?? now;
        this.#dirty.set(slot, since);
        return since;
      },
    });
    for (const slot of this.#dirty.keys()) if (!asked.has(slot)) this.#dirty.delete(slot);
    return jobs;
  }

  #begin(chat: number, jobs: readonly Job[]): void {
    const context = this.#context;
    const { limits } = context;
    if (context.book.read().chats[chat]?.pending) {
      if (limits.waitFor(chat, 'edit') === 0) this.#start(chat, recover(chat, context, this.#signal));
      return;
    }
    const job = jobs
      .filter((one) => one.chat === chat && limits.waitFor(chat, one.request) === 0)
      .toSorted((a, b) => a.deadline - b.deadline)[0];
    if (!job) return;
    limits.take(chat, job.request);
    this.#start(chat, deliver(job, context));
    if (job.work.kind !== 'news' && job.work.kind !== 'correction') return;
    // What is left to send depends on what this message has room for.
    this.#waiting.delete(sessionKey(job.work.session));
    this.#lookedAt.delete(sessionKey(job.work.session));
  }

  #start(chat: number, request: Promise<void>): void {
    const done = request
      .then(
        () => this.#context.health.reportSuccess(),
        (error: unknown) => this.#hold(chat, error),
      )
      .finally(() => this.#busy.delete(chat));
    this.#busy.set(chat, done);
  }

  #hold(chat: number, error: unknown): void {
    const { health, limits, options } = this.#context;
    health.reportFailure(error);
    const problem = problemIn(error) ?? 'refused';
    const isFlood = error instanceof BotApiError && problem === 'flood';
    const ms = isFlood ? error.retryAfterMs : (HOLDS_MS[problem] ?? HOLD_MS);
    // A revoked token is revoked for all chats.
    for (const one of problem === 'revoked' ? options.chats : [chat]) limits.hold(one, ms);
  }
}

/** Does one job. What is sent is recorded before and after, so that it is sent once. */
async function deliver(job: Job, context: ChatContext): Promise<void> {
  const { work } = job;
  try {
    await act(job, context);
  } catch (error) {
    // The topic was deleted: the session gets a new one.
    if (problemIn(error) === 'no-topic' && (work.kind === 'status' || work.kind === 'news'))
      context.book.keep((state) =>
        withSession(state, sessionKey(work.session), { thread: undefined, status: undefined }),
      );
    throw error;
  }
}

async function act(job: Job, context: ChatContext): Promise<void> {
  const { work, chat } = job;
  switch (work.kind) {
    case 'topic':
      return openTopic(chat, work.session, context);
    case 'status':
      return showStatus(chat, work.session, work.text, context);
    case 'news':
      return sendNotifications(chat, work.session, work.news, context);
    case 'correction':
      return correct(chat, work, context);
    case 'board':
      return showBoard(chat, work.text, context);
    case 'ask':
      return sendApproval(chat, work.ask, work.session, context);
    case 'ask-over':
      return closeApproval(work, context);
    case 'reply':
      return sendReply(work.reply, context);
  }
}

async function openTopic(chat: number, session: SessionDetail, context: ChatContext): Promise<void> {
  const title = [session.project, session.title].map((part) => quoteOf(part ?? '')).filter((part) => part !== '');
  const name = cutAt(title.join(': ') || session.id.slice(0, 8), LONGEST_TOPIC_NAME);
  const what = { purpose: { kind: 'topic', session: sessionKey(session) }, text: rich(name) } as const;
  await sendWith(chat, what, context, ({ text }) => context.api.createTopic(chat, text)).catch((error: unknown) => {
    // Better in the group itself than nowhere.
    if (problemIn(error) === 'no-rights') context.forums.delete(chat);
    throw error;
  });
}

async function showStatus(chat: number, session: SessionDetail, text: RichText, context: ChatContext): Promise<void> {
  const key = sessionKey(session);
  const { status, thread } = context.book.read().sessions[key] ?? {};
  if (!status) {
    const what = { purpose: { kind: 'status', session: key }, text, ...known({ thread }) } as const;
    return sendMessage(chat, what, true, context);
  }
  const isThere = await change(() => context.api.edit({ chat, message: status.message }, text));
  const shown = isThere ? { ...status, text: text.text } : undefined;
  context.book.note((state) => withSession(state, key, { status: shown }));
}

/** The message says what is known now. */
async function correct(
  chat: number,
  { session, sent, news }: Extract<Work, { kind: 'correction' }>,
  { api, book, tracker }: ChatContext,
): Promise<void> {
  const key = sessionKey(session);
  const texts = new Map<string, RichText>();
  for (const one of news) texts.set(one.id, formatNotification(one, session, await tracker.readText(one, session)));
  const lines = sent.lines.map((line) => ({ ...line, text: texts.get(line.id ?? '') ?? line.text }));
  const [text = rich()] = splitRich(joinRich(lines.map((line) => line.text)), LONGEST_MESSAGE, MOST_MARKS);
  const isThere = await change(() => api.edit({ chat, message: sent.message }, text));
  book.keep((state) => {
    const place = state.sessions[key];
    const before = place?.corrigible ?? [];
    const others = before.filter(({ message }) => message !== sent.message);
    const corrigible = isThere ? before.map((one) => (one.message === sent.message ? { ...one, lines } : one)) : others;
    return withSession(state, key, { corrigible, ...(place && { told: news.reduce(recordSent, place.told) }) });
  });
}

async function showBoard(chat: number, text: RichText, context: ChatContext): Promise<void> {
  const { board } = context.book.read().chats[chat] ?? {};
  if (!board) return sendMessage(chat, { purpose: { kind: 'board' }, text }, true, context);
  const isThere = await change(() => context.api.edit({ chat, message: board.message }, text));
  const shown = isThere ? { ...board, text: text.text } : undefined;
  context.book.note((state) => withChat(state, chat, { board: shown }));
}

async function sendReply({ id, chat, thread, body }: Reply, context: ChatContext): Promise<void> {
  const reply = (text: RichText): Promise<void> =>
    sendMessage(chat, { purpose: { kind: 'reply', reply: id }, text, ...known({ thread }) }, true, context);
  if ('text' in body) return reply(body.text);
  const made = context.exports.get(id);
  if (!made) return;
  if ('whyNot' in made) return reply(rich('It could not be exported: ', { code: made.whyNot }));
  const caption = `Session ${body.exportOf.slice(0, 60)}, secrets taken out`;
  const what = { purpose: { kind: 'file', reply: id }, text: rich(caption), ...known({ thread }) } as const;
  await sendWith(chat, what, context, (text) =>
    context.api.sendFile({ chat, ...made, caption: text.text, ...known({ thread }) }),
  );
}

/** What happened in a session, in one message: as much as fits, the rest with the next. */
async function sendNotifications(
  chat: number,
  session: SessionDetail,
  news: readonly Notification[],
  context: ChatContext,
): Promise<void> {
  const { book, tracker, options, clock } = context;
  const key = sessionKey(session);
  const place = book.read().sessions[key];
  const picture = tracker.picture();
  if (!place || !picture) return;
  if ((place.mutedUntil ?? 0) > clock()) {
    return book.keep((state) => withSession(state, key, { told: news.reduce(recordSent, place.told) }));
  }
  const head = isChatShared(book.read(), picture, key, clock()) ? [sessionLine(session)] : [];
  const room = {
    units: LONGEST_MESSAGE - (head[0]?.text.length ?? 0) - 1,
    marks: MOST_MARKS - (head[0]?.marks.length ?? 0),
  };
  const batch = await batchNotifications(news, session, room, (one) => tracker.readText(one, session));
  const told = batch.news.reduce(recordSent, place.told);
  const text = joinRich([...head, ...batch.lines.map((line) => line.text)]);
  const isSilent = isQuiet(options.quietHours, clock()) || !batch.news.some(isLoud);
  const { thread } = place;
  const lines: readonly NewsLine[] = [...head.map((line) => ({ text: line })), ...batch.lines];
  const purpose = { kind: 'news', session: key, told, ...(lines.some(({ id }) => id) && { lines }) } as const;
  await sendMessage(chat, { purpose, text, ...known({ thread }) }, isSilent, context);
}

/** So many calls are shown in a message; a phone that was away is not flooded with what it missed. */
const MOST_CALLS = 16;

/** As many news, in their order, as there is room for; of many calls the last ones, the others counted under their agents' names. */
export async function batchNotifications(
  all: readonly Notification[],
  session: SessionDetail,
  room: { readonly units: number; readonly marks: number },
  wordsOf: (news: Notification) => Promise<string>,
): Promise<{ readonly lines: readonly NewsLine[]; readonly news: readonly Notification[] }> {
  const calls = all.filter((news) => news.kind === 'called');
  const folded = calls.slice(0, Math.max(0, calls.length - MOST_CALLS));
  const left = new Set<Notification>(folded);
  const lines: NewsLine[] = [];
  const told: Notification[] = [];
  let [units, marks] = [0, 0];
  for (const news of all) {
    // One line counts all folded calls, in place of the first of them.
    const isFirst = news === folded[0];
    if (isFirst || !left.has(news)) {
      const line = isFirst ? moreCallsLine(folded, session) : formatNotification(news, session, await wordsOf(news));
      units += line.text.length + 1;
      marks += line.marks.length;
      if (lines.length > 0 && (units > room.units || marks > room.marks)) break;
      lines.push({ text: line, ...(news.kind === 'ended' && { id: news.id }) });
    }
    told.push(news);
  }
  return { lines, news: told };
}
