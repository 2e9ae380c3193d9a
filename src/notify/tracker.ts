import {
  applyEvent,
  type LiveEvent,
  type LiveSnapshot,
  type SessionDetail,
  sessionKey,
  type Transcript,
  type TranscriptMessage,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Live, Subscription } from '../sessions/index.ts';
import {
  type AnnounceSettings,
  findNotifications,
  type Notification,
  type SentRecord,
  timeOf,
} from './notification.ts';

export type NotificationFeed = Pick<Live, 'subscribe' | 'timeline' | 'transcript'>;

type ReadPart = NotificationFeed['transcript'];

export interface TrackerOptions {
  readonly feed: NotificationFeed;
  readonly announce: AnnounceSettings;
  readonly clock: Clock;
  /** See `Known`. */
  readonly seesAllProcesses?: boolean;
  /** Masks credentials in text that leaves the machine. */
  mask?(text: string): string;
}

/** Longer than anything takes to settle (`notification.ts`). */
const WARM_MS = 20_000;
/** Transcript lines may be found a while after they were written. */
const LOOK_BACK_MS = 120_000;
/** A server may be gone for a moment, but an unreadable file must not hold back all later notifications. */
const TEXT_TRIES = 3;
/** More than is ever shown of a text. */
const MASKED_UNITS = 20_000;

/** Computes pending notifications on demand: nothing is queued, so nothing grows while they cannot be sent. */
export class NotificationTracker {
  readonly #options: TrackerOptions;
  readonly #subscription: Subscription;
  readonly #changedAt = new Map<string, number>();
  readonly #lookedAt = new Map<string, number>();
  /** When a look at the session last found nothing to send. */
  readonly #allSentAt = new Map<string, number>();
  /** How often the text of a notification could not be read. */
  readonly #failedReads = new Map<string, number>();
  #picture: LiveSnapshot | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#subscription = options.feed.subscribe((event) => this.#handleEvent(event));
  }

  #handleEvent(event: LiveEvent): void {
    this.#picture = applyEvent(this.#picture, event);
    if (event.type === 'snapshot') for (const session of event.data.sessions) this.#touch(sessionKey(session));
    if (event.type !== 'change' && event.type !== 'gone') return;
    const key = sessionKey({ host: event.data.host, id: event.data.sessionId });
    if (event.type === 'change') this.#touch(key);
    else for (const times of [this.#changedAt, this.#lookedAt, this.#allSentAt]) times.delete(key);
  }

  #touch(key: string): void {
    this.#changedAt.set(key, this.#options.clock());
  }

  /** Undefined until everything has been read once. */
  picture(): LiveSnapshot | undefined {
    return this.#picture?.isComplete ? this.#picture : undefined;
  }

  /** Sessions that changed since the last look, or so shortly before it that something may still be settling. */
  warm(): readonly SessionDetail[] {
    // Compared with the last look, not with the clock: a sender that waits for the network looks late.
    return (this.picture()?.sessions ?? []).filter((session) => {
      const key = sessionKey(session);
      const [changed, looked] = [this.#changedAt.get(key), this.#lookedAt.get(key)];
      return changed !== undefined && (looked === undefined || looked - changed <= WARM_MS);
    });
  }

  /** Finds the notifications of a session that have not been sent. */
  async look(session: SessionDetail, told: SentRecord): Promise<readonly Notification[]> {
    const { feed, announce, clock, seesAllProcesses = true } = this.#options;
    const key = sessionKey(session);
    const now = clock();
    const before = this.#allSentAt.get(key);
    const since = Math.max(told.since, before === undefined ? 0 : before - LOOK_BACK_MS);
    const timeline = await feed.timeline(session.id, since);
    const news = findNotifications({ session, timeline, told, announce, now, seesAllProcesses });
    this.#lookedAt.set(key, now);
    if (news.length === 0) this.#allSentAt.set(key, now);
    // Sending may be delayed for long: the session stays warm until everything is sent.
    else this.#touch(key);
    return news;
  }

  /** The masked text that a notification quotes. Throws the first times that it cannot be read, then gives ''. */
  async readText(news: Notification, session: SessionDetail): Promise<string> {
    const { feed, mask = (text) => text } = this.#options;
    const key = `${sessionKey(session)} ${news.id}`;
    try {
      const text = await readNotificationText(news, session.id, feed.transcript);
      this.#failedReads.delete(key);
      // Masked before it is cut: half of a credential would not be recognized.
      return mask(text.slice(0, MASKED_UNITS));
    } catch (error) {
      const tries = (this.#failedReads.get(key) ?? 0) + 1;
      this.#failedReads.set(key, tries);
      if (tries < TEXT_TRIES) throw error;
      this.#failedReads.delete(key);
      return '';
    }
  }

  close(): void {
    this.#subscription.close();
  }
}

/** An agent's last message and the result of a call are near the end of its transcript. */
const LOOKED_BACK = 24;

/** The text quoted in a notification: a prompt or a result. Empty if there is none. */
export async function readNotificationText(news: Notification, session: string, read: ReadPart): Promise<string> {
  switch (news.kind) {
    case 'spawned':
      return firstPrompt(await read(news.agent.id, { from: 0, limit: 2 }, session));
    case 'ended':
      if (news.run.status !== 'completed') return '';
      return lastWords(await readEnd(news.agent.id, session, read), timeOf(news.run.endedAt));
    case 'rest':
      return lastWords(await readEnd(news.session.main.id, session, read));
    case 'unbound-end':
      return answerTo(news.call.id, await readEnd(news.owner.id, session, read));
    default:
      return '';
  }
}

async function readEnd(agent: string, session: string, read: ReadPart): Promise<readonly TranscriptMessage[]> {
  const head = await read(agent, { from: 0, limit: 1 }, session);
  if (!head) return [];
  const from = Math.max(0, head.total - LOOKED_BACK);
  return (await read(agent, { from, limit: LOOKED_BACK }, session))?.messages ?? [];
}

function firstPrompt(part: Transcript | undefined): string {
  const prompt = part?.messages.find(({ role, content }) => role === 'user' && textIn(content) !== '');
  return prompt ? textIn(prompt.content) : '';
}

/** `until`: the end of the run, because a later run may follow in the same transcript. */
function lastWords(messages: readonly TranscriptMessage[], until = Number.POSITIVE_INFINITY): string {
  const isBefore = ({ timestamp }: TranscriptMessage): boolean => timestamp === null || Date.parse(timestamp) <= until;
  const last = messages.findLast(
    (message) => message.role === 'assistant' && textIn(message.content) !== '' && isBefore(message),
  );
  return last ? textIn(last.content) : '';
}

function answerTo(call: string, messages: readonly TranscriptMessage[]): string {
  for (const { content } of messages.toReversed())
    for (const block of content) if (block.type === 'tool_result' && block.tool_use_id === call) return block.text;
  return '';
}

function textIn(content: TranscriptMessage['content']): string {
  for (const block of content) if (block.type === 'text' && block.text.trim() !== '') return block.text;
  return '';
}
