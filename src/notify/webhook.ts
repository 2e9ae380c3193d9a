import { createHash, createHmac } from 'node:crypto';
import {
  type AgentReport,
  type ApprovalRequest,
  type LiveSessionReport,
  type LiveSnapshot,
  type RunReport,
  type SessionDetail,
  sessionKey,
  type TimelineCall,
} from '../core/index.ts';
import { type Clock, withinTime } from '../lib/clock.ts';
import { asObject } from '../lib/json.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import { approvalMessage, formatNotification } from './messages/notification-lines.ts';
import { type RichText, rich, splitRich } from './messages/rich-text.ts';
import {
  type AnnounceSettings,
  emptyRecord,
  type Notification,
  parseRecord,
  recordSent,
  revisionOf,
  type SentRecord,
  settleNotice,
} from './notification.ts';
import { type NotificationFeed, NotificationTracker } from './tracker.ts';

/** What has to outlive us: what was taken is not sent again, and nothing is left out. */
export interface WebhookState {
  readonly since: number;
  readonly sessions: Readonly<Record<string, { readonly told: SentRecord; readonly seenAt: number }>>;
  /** Of asks, the newest. */
  readonly asks: readonly string[];
}

export function parseWebhookState(text: string): WebhookState {
  const raw = asObject(JSON.parse(text));
  const [since, sessions, asks] = [raw?.['since'], asObject(raw?.['sessions']), raw?.['asks']];
  if (typeof since !== 'number' || !sessions || !Array.isArray(asks))
    throw new Error('it is not what troupe webhook writes');
  const places = Object.entries(sessions).map(([key, value]) => {
    const { told, seenAt } = asObject(value) ?? {};
    return [key, { told: parseRecord(told, since), seenAt: typeof seenAt === 'number' ? seenAt : since }] as const;
  });
  return { since, sessions: Object.fromEntries(places), asks };
}

interface WebhookRun {
  readonly feed: NotificationFeed;
  readonly announce: AnnounceSettings;
  readonly form: WebhookForm;
  /** A text without the credentials in it. */
  readonly mask: (text: string) => string;
  readonly store: { load(): WebhookState | undefined; save(state: WebhookState): void };
  readonly send: (event: Pick<Posted, 'id' | 'revision' | 'body' | 'attempt'>) => Promise<PostOutcome>;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly note: (text: string) => void;
  readonly seesAllProcesses?: boolean;
  readonly signal: AbortSignal;
}

const LOOK_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** So often something is sent that is not wanted, before the next comes. */
const MOST_REFUSALS = 5;
const FORGET_MS = 3 * 86_400_000;
const ASKS_KEPT = 200;
const GONE_CODE = 'webhook-gone';

interface Due {
  /** When it happened. */
  readonly at: number;
  readonly send: () => Promise<void>;
}

/** Sends events in order, each until it is accepted. */
export class Webhook {
  readonly #run: WebhookRun;
  readonly #tracker: NotificationTracker;
  #state: WebhookState;
  /** The problem noted last; '' once it is over. */
  #noted = '';

  constructor(run: WebhookRun) {
    const { store, feed, announce, clock, mask, seesAllProcesses = true } = run;
    this.#run = run;
    this.#state = store.load() ?? { since: clock(), sessions: {}, asks: [] };
    store.save(this.#state);
    this.#tracker = new NotificationTracker({ feed, announce, clock, mask, seesAllProcesses });
  }

  /** Until the signal. Throws if the address is gone; any other problem may be over at the next look. */
  async run(): Promise<void> {
    const { sleep, signal } = this.#run;
    try {
      while (!signal.aborted) {
        const picture = this.#tracker.picture();
        if (picture) await this.#sendAll(picture);
        await sleep(LOOK_MS, signal);
      }
    } finally {
      this.#tracker.close();
    }
  }

  async #sendAll(picture: LiveSnapshot): Promise<void> {
    try {
      const due = [...this.#approvalsDue(picture), ...(await this.#notificationsDue())];
      for (const { send } of due.toSorted((a, b) => a.at - b.at)) {
        if (this.#run.signal.aborted) return;
        await send();
      }
    } catch (error) {
      if (error instanceof UserError && error.code === GONE_CODE) throw error;
      this.#noteProblem(error);
    }
  }

  async #notificationsDue(): Promise<readonly Due[]> {
    const due: Due[] = [];
    for (const session of this.#tracker.warm()) {
      const told = this.#recordOf(session);
      const settled = settleNotice(told, session);
      if (settled !== told) this.#remember(session, settled);
      // One unreadable session must not silence the others.
      const found = await this.#tracker.look(session, settled).catch((error: unknown) => {
        this.#noteProblem(error);
        return [];
      });
      for (const news of found) due.push({ at: news.at, send: () => this.#sendNotification(news, session) });
    }
    return due;
  }

  async #sendNotification(news: Notification, session: SessionDetail): Promise<void> {
    const text = formatNotification(news, session, await this.#tracker.readText(news, session));
    if (await this.#insist(notificationEvent(news, session, text.text), text))
      this.#remember(session, recordSent(this.#recordOf(session), news));
  }

  #approvalsDue(picture: LiveSnapshot): readonly Due[] {
    return picture.asks.flatMap((ask): Due[] => {
      const at = Date.parse(ask.end?.at ?? ask.at);
      const isSent = this.#state.asks.includes(markOf(ask));
      return isSent || at < this.#state.since ? [] : [{ at, send: () => this.#sendApproval(ask, picture) }];
    });
  }

  async #sendApproval(ask: ApprovalRequest, picture: LiveSnapshot): Promise<void> {
    const session = picture.sessions.find(({ id }) => id === ask.session);
    const agent = session && [session.main, ...session.subagents].find(({ id }) => id === ask.agent.id);
    const text = approvalMessage(ask, agent);
    const type = ask.end === null ? 'ask' : 'ask-ended';
    const event: WebhookEvent = {
      id: `${type}:${ask.id}`,
      type,
      at: ask.end?.at ?? ask.at,
      text: text.text,
      session: session ? sessionOf(session) : null,
      agent: agent ?? null,
      call: null,
      run: null,
      // Who knows the number of an ask may answer it: that is not for everybody on the way.
      ask: { ...ask, id: ask.id.slice(0, 8) },
      revision: 1,
    };
    if (await this.#insist(event, text))
      this.#save({ ...this.#state, asks: [...this.#state.asks, markOf(ask)].slice(-ASKS_KEPT) });
  }

  /** True when the event was accepted or given up, false when the run ends. */
  async #insist(event: WebhookEvent, text: RichText): Promise<boolean> {
    const { send, sleep, note, random, signal } = this.#run;
    const { id, revision } = event;
    const body = bodyOf(event, text, this.#run);
    let refusals = 0;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const outcome = await send({ id, revision, body, attempt });
      if (outcome.kind === 'taken') {
        if (this.#noted !== '') note('troupe: the webhook takes events again.');
        this.#noted = '';
        return true;
      }
      if (signal.aborted) return false;
      if (outcome.kind === 'gone')
        throw new UserError(
          GONE_CODE,
          'The address is gone: it answered 410.',
          'Write another into config.json: it gets the rest.',
        );
      if (outcome.kind === 'never' && ++refusals >= MOST_REFUSALS) {
        note(`troupe: the webhook does not want ${event.id}: ${outcome.why}; it is left out.`);
        return true;
      }
      this.#noteProblem(new Error(`the webhook did not take an event, it is sent again: ${outcome.why}`));
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS);
      await sleep(Math.max(outcome.afterMs, pause * (0.75 + random() / 2)), signal);
    }
    return false;
  }

  #recordOf(session: SessionDetail): SentRecord {
    return this.#state.sessions[sessionKey(session)]?.told ?? emptyRecord(this.#state.since);
  }

  #remember(session: SessionDetail, told: SentRecord): void {
    const now = this.#run.clock();
    const recent = Object.entries(this.#state.sessions).filter(([, { seenAt }]) => now - seenAt < FORGET_MS);
    const sessions = { ...Object.fromEntries(recent), [sessionKey(session)]: { told, seenAt: now } };
    this.#save({ ...this.#state, sessions });
  }

  #save(state: WebhookState): void {
    this.#state = state;
    this.#run.store.save(state);
  }

  #noteProblem(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== this.#noted) this.#run.note(`troupe: ${text}`);
    this.#noted = text;
  }
}

function markOf({ id, end }: ApprovalRequest): string {
  return `${end === null ? 'open' : 'ended'}:${id}`;
}

/** What is sent (docs/WEBHOOK.md). The names are a contract: add, never rename. */
export interface WebhookEvent {
  /** The same whenever it is sent again. */
  readonly id: string;
  readonly type: Notification['kind'] | 'ask' | 'ask-ended';
  /** When it happened; ISO 8601, UTC. */
  readonly at: string;
  /** As a person reads it; two lines at most, but for asks. */
  readonly text: string;
  readonly session: Pick<LiveSessionReport, 'id' | 'host' | 'project' | 'title' | 'cwd'> | null;
  readonly agent: AgentReport | null;
  readonly call: TimelineCall | null;
  readonly run: RunReport | null;
  readonly ask: ApprovalRequest | null;
  /** 1; higher for a correction of the event with this id. */
  readonly revision: number;
}

function notificationEvent(news: Notification, session: SessionDetail, text: string): WebhookEvent {
  const agent = 'agent' in news ? news.agent : 'owner' in news ? news.owner : session.main;
  return {
    id: eventId(`${session.host}:${session.id}:${news.id}`),
    type: news.kind,
    at: new Date(news.at).toISOString(),
    text,
    session: sessionOf(session),
    agent,
    call: 'call' in news ? news.call : null,
    run: 'run' in news ? news.run : null,
    ask: null,
    revision: revisionOf(news),
  };
}

function sessionOf({ id, host, project, title, cwd }: SessionDetail): WebhookEvent['session'] {
  return { id, host, project, title, cwd };
}

/** It goes into a header, and holds ids of the host's, which may be anything. */
const LONGEST_ID = 200;

function eventId(text: string): string {
  const bytes = Buffer.from(text);
  // Half of a character becomes a whole one.
  const id = bytes.toString();
  return id.length <= LONGEST_ID ? id : `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export type WebhookForm = 'troupe' | 'slack' | 'discord';

/** Discord takes no more. */
const LONGEST_DISCORD = 2_000;

export function bodyOf(event: WebhookEvent, text: RichText, { form, mask }: Pick<WebhookRun, 'form' | 'mask'>): string {
  if (form === 'slack') return JSON.stringify({ text: withMarks(text, (words) => escapeSlack(mask(words))) });
  if (form === 'troupe') {
    // By ids things are known again: they stay as they are.
    const isMaskable = (name: string, value: unknown): value is string =>
      typeof value === 'string' && !/(^i|I)d$/.test(name);
    return JSON.stringify(event, (name, value: unknown) => (isMaskable(name, value) ? mask(value) : value));
  }
  // Nobody is called by what an agent wrote.
  return JSON.stringify({ content: fitting(text, LONGEST_DISCORD, mask), allowed_mentions: { parse: [] } });
}

/** Cut before the marks are set, so that none stays open. */
function fitting(text: RichText, most: number, mask: WebhookRun['mask']): string {
  for (let room = most; ; room -= 50) {
    const [part = rich()] = splitRich(text, room);
    const words = withMarks(part, mask) + (part.text.length < text.text.length ? '…' : '');
    if (words.length <= most) return words;
  }
}

/** Foreign words as code, which these programs leave alone. */
function withMarks({ text, marks }: RichText, masked: (text: string) => string): string {
  let result = '';
  let at = 0;
  for (const { kind, from, length } of marks) {
    const fence = kind === 'pre' ? '```' : '`';
    const code = text.slice(from, from + length).replaceAll('`', 'ˋ');
    result += `${masked(text.slice(at, from))}${fence}${masked(code)}${fence}`;
    at = from + length;
  }
  return result + masked(text.slice(at));
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Posted {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly revision: number;
  readonly body: string;
  /** From 1. */
  readonly attempt: number;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long to wait for the answer. */
  readonly patienceMs?: number;
}

/**
 * `taken`: it is there. `later`: try again, at the earliest after so long. `never`: it will not be taken, however often it is sent.
 * `gone`: nothing will be taken there any more.
 */
type PostOutcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'later' | 'never'; readonly why: string; readonly afterMs: number };

const PATIENCE_MS = 15_000;
/** They understood it, and do not want it. All others may be mended at their end. */
const NEVER = new Set([400, 413, 422]);
const GONE_STATUS = 410;
const ELSEWHERE = ', which points to another address: enter that one';

export async function post(posted: Posted): Promise<PostOutcome> {
  const { url, secret, id, revision, body, attempt, version, clock, signal, patienceMs = PATIENCE_MS } = posted;
  const timestamp = String(Math.floor(clock() / 1000));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': `troupe/${version}`,
    'x-troupe-id': encodeURIComponent(id),
    'x-troupe-revision': String(revision),
    'x-troupe-timestamp': timestamp,
    'x-troupe-signature': sign(secret, timestamp, body),
    'x-troupe-attempt': String(attempt),
  };
  try {
    const answer = await withinTime(patienceMs, signal, async (patience) => {
      // Whoever moves says so to the person: what is signed for one address is not carried to another.
      const given = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: patience });
      await given.body?.cancel();
      return given;
    });
    if (answer.ok) return { kind: 'taken' };
    if (answer.status === GONE_STATUS) return { kind: 'gone' };
    const kind = NEVER.has(answer.status) ? 'never' : 'later';
    const afterMs = retryAfter(answer.headers.get('retry-after'), clock());
    const isElsewhere = answer.status >= 300 && answer.status < 400;
    return { kind, why: `it answered ${answer.status}${isElsewhere ? ELSEWHERE : ''}`, afterMs };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return { kind: 'later', why: isLate ? `no answer within ${patienceMs / 1000} s` : reasonOf(error), afterMs: 0 };
  }
}

/** What `fetch` says itself is only that it failed. Of a name with several addresses, each has a reason, and the whole has no words. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return first instanceof Error && first.message !== '' ? first.message : String(codeOf(cause) ?? cause);
}

/** Over the time and every byte of the body: neither can be changed, and an old one cannot be sent again as new. */
function sign(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Seconds, or a date. */
function retryAfter(value: string | null, now: number): number {
  if (value === null) return 0;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 3_600_000) : 0;
}
