import type { SessionDetail } from '../../core/index.ts';
import { known } from '../../lib/json.ts';
import { moreCallsLine, newsLines, sessionLine } from '../messages/notification-lines.ts';
import { cutAt, joinRich, quoteOf, type RichText, rich } from '../messages/rich-text.ts';
import { isLoud, type News, settleNotice, type Told, withTold } from '../notification.ts';
import { keyOf } from '../tracker.ts';
import { endAsk, sendAsk } from './approvals.ts';
import { BotApiError, type BotApiProblem, LONGEST_MESSAGE, LONGEST_TOPIC_NAME, MOST_MARKS } from './bot-api.ts';
import { type ChatContext, isQuiet } from './chat-context.ts';
import { type ChatState, type Reply, withChat, withSession } from './chat-state.ts';
import { type Job, placeSessions, sharesChat, wantedJobs } from './jobs.ts';
import { change, recover, SETTLE_MS, sendAs, sendKept } from './send.ts';

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

/** Does one job: what is sent is written down before and after, so that it happens once. */
export async function deliver(job: Job, context: ChatContext): Promise<void> {
  const { work } = job;
  try {
    await act(job, context);
  } catch (error) {
    const isGone = error instanceof BotApiError && error.problem === 'no-topic';
    if (isGone && (work.kind === 'status' || work.kind === 'news'))
      context.book.keep((state) => withoutTopic(state, keyOf(work.session)));
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
      return tellNews(chat, work.session, work.news, context);
    case 'board':
      return showBoard(chat, work.text, context);
    case 'ask':
      return sendAsk(chat, work.ask, work.session, context);
    case 'ask-over':
      return endAsk(work, context);
    case 'reply':
      return sendReply(work.reply, context);
  }
}

async function openTopic(chat: number, session: SessionDetail, context: ChatContext): Promise<void> {
  const title = [session.project, session.title].map((part) => quoteOf(part ?? '')).filter((part) => part !== '');
  const name = cutAt(title.join(': ') || session.id.slice(0, 8), LONGEST_TOPIC_NAME);
  const what = { purpose: { kind: 'topic', session: keyOf(session) }, text: rich(name) } as const;
  await sendAs(chat, what, context, ({ text }) => context.api.createTopic(chat, text)).catch((error: unknown) => {
    // Better in the group itself than nowhere.
    if (error instanceof BotApiError && error.problem === 'no-rights') context.forums.delete(chat);
    throw error;
  });
}

async function showStatus(chat: number, session: SessionDetail, text: RichText, context: ChatContext): Promise<void> {
  const key = keyOf(session);
  const { status, thread } = context.book.read().sessions[key] ?? {};
  if (!status) {
    const what = { purpose: { kind: 'status', session: key }, text, ...known({ thread }) } as const;
    return sendKept(chat, what, true, context);
  }
  const isThere = await change(() => context.api.edit({ chat, message: status.message }, text));
  context.book.note((state) =>
    isThere
      ? withSession(state, key, { status: { message: status.message, text: text.text } })
      : withoutStatus(state, key),
  );
}

async function showBoard(chat: number, text: RichText, context: ChatContext): Promise<void> {
  const { board } = context.book.read().chats[chat] ?? {};
  if (!board) return sendKept(chat, { purpose: { kind: 'board' }, text }, true, context);
  const isThere = await change(() => context.api.edit({ chat, message: board.message }, text));
  context.book.note((state) => {
    if (isThere) return withChat(state, chat, { board: { message: board.message, text: text.text } });
    const { board: _gone, ...rest } = state.chats[chat] ?? { lastId: 0 };
    return { ...state, chats: { ...state.chats, [chat]: rest } };
  });
}

function withoutStatus(state: ChatState, key: string): ChatState {
  const place = state.sessions[key];
  if (!place) return state;
  const { status: _gone, ...rest } = place;
  return { ...state, sessions: { ...state.sessions, [key]: rest } };
}

async function sendReply({ id, chat, thread, body }: Reply, context: ChatContext): Promise<void> {
  const reply = (text: RichText): Promise<void> =>
    sendKept(chat, { purpose: { kind: 'reply', reply: id }, text, ...known({ thread }) }, true, context);
  if ('text' in body) return reply(body.text);
  const made = context.exports.of(id);
  if (!made) return;
  if ('whyNot' in made) return reply(rich('It could not be exported: ', { code: made.whyNot }));
  const caption = `Session ${body.exportOf.slice(0, 60)}, secrets taken out`;
  const what = { purpose: { kind: 'file', reply: id }, text: rich(caption), ...known({ thread }) } as const;
  await sendAs(chat, what, context, (text) =>
    context.api.sendFile({ chat, ...made, caption: text.text, ...known({ thread }) }),
  );
}

/** Somebody deleted it: the session gets another. */
function withoutTopic(state: ChatState, key: string): ChatState {
  const place = state.sessions[key];
  if (!place) return state;
  const { thread: _thread, status: _status, ...rest } = place;
  return { ...state, sessions: { ...state.sessions, [key]: rest } };
}

/** What happened in a session, in one message: as much as fits, the rest with the next. */
export async function tellNews(
  chat: number,
  session: SessionDetail,
  news: readonly News[],
  context: ChatContext,
): Promise<void> {
  const { book, desk, options, clock } = context;
  const key = keyOf(session);
  const place = book.read().sessions[key];
  const picture = desk.picture();
  if (!place || !picture) return;
  if ((place.mutedUntil ?? 0) > clock()) {
    return book.keep((state) => withSession(state, key, { told: news.reduce(withTold, place.told) }));
  }
  const head = sharesChat(book.read(), picture, key, clock()) ? [sessionLine(session)] : [];
  const room = {
    units: LONGEST_MESSAGE - (head[0]?.text.length ?? 0) - 1,
    marks: MOST_MARKS - (head[0]?.marks.length ?? 0),
  };
  const batch = await batchNews(news, session, room, (one) => desk.words(one, session));
  const told = batch.news.reduce(withTold, place.told);
  const text = joinRich([...head, ...batch.lines]);
  const isSilent = isQuiet(options.quietHours, clock()) || !batch.news.some(isLoud);
  const { thread } = place;
  const purpose = { kind: 'news', session: key, told } as const;
  await sendKept(chat, { purpose, text, ...known({ thread }) }, isSilent, context);
}

type Call = Extract<News, { kind: 'called' }>;

/** So many calls are shown in a message; a phone that was away is not flooded with what it missed. */
const MOST_CALLS = 16;

export interface Batch {
  readonly lines: readonly RichText[];
  readonly news: readonly News[];
}

export interface Room {
  readonly units: number;
  readonly marks: number;
}

/** As many news, in their order, as there is room for; of many calls the last ones, the others counted under their agents' names. */
export async function batchNews(
  all: readonly News[],
  session: SessionDetail,
  room: Room,
  wordsOf: (news: News) => Promise<string>,
): Promise<Batch> {
  const folded = foldedCalls(all);
  const lines: RichText[] = [];
  const told: News[] = [];
  let [units, marks] = [0, 0];
  for (const news of all) {
    const line = folded.has(news) ? lineFor(news, session, folded) : newsLines(news, session, await wordsOf(news));
    if (line) {
      units += line.text.length + 1;
      marks += line.marks.length;
      if (lines.length > 0 && (units > room.units || marks > room.marks)) break;
      lines.push(line);
    }
    told.push(news);
  }
  return { lines, news: told };
}

function foldedCalls(all: readonly News[]): ReadonlySet<News> {
  const calls = all.filter((news): news is Call => news.kind === 'called');
  return new Set(calls.slice(0, Math.max(0, calls.length - MOST_CALLS)));
}

/** All that are left out stand in one line, where the first of them would have been. */
function lineFor(news: News, session: SessionDetail, folded: ReadonlySet<News>): RichText | undefined {
  const [first] = folded;
  if (news !== first) return undefined;
  const calls = [...folded].filter((one): one is Call => one.kind === 'called');
  return calls.length === 0 ? rich() : moreCallsLine(calls, session);
}
