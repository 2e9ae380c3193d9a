import {
  applyEvent,
  type LiveEvent,
  type LiveSnapshot,
  type SessionDetail,
  type TimelineReport,
  type Transcript,
  type TranscriptMessage,
} from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import { type News, newsOf, type Told, type Wishes } from './notification.ts';

/** Where the news come from. */
export interface NewsFeed {
  subscribe(listener: (event: LiveEvent) => void): { close(): void };
  timeline(session: string, since?: number): Promise<TimelineReport | undefined>;
  readonly transcript: ReadPart;
}

export interface NewsDesk {
  /** As it stands; undefined until all that is there has been read once. */
  picture(): LiveSnapshot | undefined;
  /** Sessions that have changed since they were last looked at, or so shortly before that something may still be settling. */
  warm(): readonly SessionDetail[];
  /** What there is to tell of one that has not been told. */
  look(session: SessionDetail, told: Told): Promise<readonly News[]>;
  /** The words that it is told with; none where they cannot be read, after it threw a few times. */
  words(news: News, session: SessionDetail): Promise<string>;
  close(): void;
}

export interface NewsDeskOptions {
  readonly feed: NewsFeed;
  readonly wishes: Wishes;
  readonly clock: Clock;
  onEvent?(event: LiveEvent): void;
  /** For words that leave the machine: without the credentials in them. */
  mask?(text: string): string;
}

/** Longer than anything takes to settle (`news-of.ts`). */
const WARM_MS = 20_000;
/** Lines may be found a while after they were written. What is older was looked at before. */
const LOOK_BACK_MS = 120_000;
/** A server may be gone for a moment. A file that cannot be read must not keep everything behind it from being told. */
const WORDS_TRIES = 3;
/** More than is ever shown of them. */
const MASKED_UNITS = 20_000;

/** What there is to tell, whenever somebody asks: nothing is queued, so nothing grows while nobody can be told. */
export function openNewsDesk({ feed, wishes, clock, onEvent, mask = (text) => text }: NewsDeskOptions): NewsDesk {
  const changedAt = new Map<string, number>();
  const lookedAt = new Map<string, number>();
  /** When all of a session was last told, by the looks since we began. */
  const toldAllAt = new Map<string, number>();
  /** How often the words of something could not be read. */
  const unread = new Map<string, number>();
  let picture: LiveSnapshot | undefined;
  const touch = (host: string, id: string): void => void changedAt.set(`${host}:${id}`, clock());

  const subscription = feed.subscribe((event) => {
    picture = applyEvent(picture, event);
    if (event.type === 'snapshot') for (const { host, id } of event.data.sessions) touch(host, id);
    if (event.type === 'change') touch(event.data.host, event.data.sessionId);
    if (event.type === 'gone') {
      const key = `${event.data.host}:${event.data.sessionId}`;
      changedAt.delete(key);
      lookedAt.delete(key);
      toldAllAt.delete(key);
    }
    onEvent?.(event);
  });
  return {
    picture: () => (picture?.isComplete ? picture : undefined),
    warm() {
      if (!picture?.isComplete) return [];
      // By when it was looked at, not by the clock: whoever waits for a dead line, or for somebody who does not answer, looks late.
      return picture.sessions.filter((session) => {
        const [changed, looked] = [changedAt.get(keyOf(session)), lookedAt.get(keyOf(session))];
        return changed !== undefined && (looked === undefined || looked - changed <= WARM_MS);
      });
    },
    async look(session, told) {
      const key = keyOf(session);
      const now = clock();
      const before = toldAllAt.get(key);
      const since = Math.max(told.since, before === undefined ? 0 : before - LOOK_BACK_MS);
      const timeline = await feed.timeline(session.id, since);
      const news = newsOf({ session, timeline, told, wishes, now });
      lookedAt.set(key, now);
      if (news.length === 0) toldAllAt.set(key, now);
      // Somebody may not be told for long: as long as there is anything, it stays warm.
      else touch(session.host, session.id);
      return news;
    },
    async words(news, session) {
      const key = `${keyOf(session)} ${news.id}`;
      try {
        const words = await readWords(news, session.id, feed.transcript);
        unread.delete(key);
        // Before they are cut: half of a credential is known by nobody.
        return mask(words.slice(0, MASKED_UNITS));
      } catch (error) {
        const tries = (unread.get(key) ?? 0) + 1;
        unread.set(key, tries);
        if (tries < WORDS_TRIES) throw error;
        unread.delete(key);
        return '';
      }
    },
    close: () => subscription.close(),
  };
}

export function keyOf({ host, id }: Pick<SessionDetail, 'host' | 'id'>): string {
  return `${host}:${id}`;
}

/** A part of a conversation: messages `from` on; `total` of them in all. */
export type ReadPart = (
  agent: string,
  range: { readonly from: number; readonly limit: number },
  session: string,
) => Promise<(Transcript & { readonly total: number }) | undefined>;

/** An agent's last words, and the answer to a call, stand near the end of what is there. */
const LOOKED_BACK = 24;

/** The words that news are told with: a prompt, a result. Empty where there are none, or they cannot be read now. */
export async function readWords(news: News, session: string, read: ReadPart): Promise<string> {
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

/** Of a run that was followed by another, what was said until then. */
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

function timeOf(iso: string | null): number | undefined {
  return iso === null ? undefined : Date.parse(iso);
}
