// A recording of the real program, as it is told from beginning to end.

import type { SessionDetail } from '../../core/index.ts';
import { recordedLive } from '../../server/http/testing/recorded-live.ts';
import { newsLines } from '../messages/notification-lines.ts';
import { ALL_NEWS, type News, newsOf, nothingTold, type Told, type Wishes, withTold } from '../notification.ts';
import { readWords } from '../tracker.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

export interface ToldSession {
  readonly session: SessionDetail;
  readonly news: readonly News[];
  readonly lines: readonly string[];
  /** After all of it. */
  readonly told: Told;
}

export async function tellRecording(name: string, wishes: Partial<Wishes> = {}): Promise<readonly ToldSession[]> {
  const live = await recordedLive(name);
  return Promise.all(
    live.snapshot().sessions.map(async (session) => {
      const timeline = await live.timeline(session.id);
      const told = nothingTold(0);
      const news = newsOf({ session, timeline, told, wishes: { ...ALL_NEWS, ...wishes }, now: NOW });
      const read = (agent: string, range: { from: number; limit: number }) => live.transcript(agent, range, session.id);
      const lines: string[] = [];
      for (const one of news) lines.push(newsLines(one, session, await readWords(one, session.id, read)).text);
      return { session, news, lines, told: news.reduce(withTold, told) };
    }),
  );
}
