// A recording of the real program, as it is told from beginning to end.

import type { SessionDetail } from '../../core/index.ts';
import { recordedLive } from '../../server/http/testing/recorded-live.ts';
import { formatNotification } from '../messages/notification-lines.ts';
import {
  type AnnounceSettings,
  DEFAULT_ANNOUNCE,
  emptyRecord,
  findNotifications,
  type Notification,
  recordSent,
  type SentRecord,
} from '../notification.ts';
import { readNotificationText } from '../tracker.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

interface FormattedSession {
  readonly session: SessionDetail;
  readonly news: readonly Notification[];
  readonly lines: readonly string[];
  /** After all of it. */
  readonly told: SentRecord;
}

export async function formatRecording(
  name: string,
  announce: Partial<AnnounceSettings> = {},
): Promise<readonly FormattedSession[]> {
  const live = await recordedLive(name);
  return Promise.all(
    live.snapshot().sessions.map(async (session) => {
      const timeline = await live.timeline(session.id);
      const told = emptyRecord(0);
      const news = findNotifications({
        session,
        timeline,
        told,
        announce: { ...DEFAULT_ANNOUNCE, ...announce },
        now: NOW,
      });
      const read = (agent: string, range: { from: number; limit: number }) => live.transcript(agent, range, session.id);
      const lines: string[] = [];
      for (const one of news)
        lines.push(formatNotification(one, session, await readNotificationText(one, session.id, read)).text);
      return { session, news, lines, told: news.reduce(recordSent, told) };
    }),
  );
}

/** All agents turn out to have completed. */
export function endWell(session: SessionDetail): SessionDetail {
  return {
    ...session,
    subagents: session.subagents.map((agent) => ({
      ...agent,
      status: 'completed',
      runs: agent.runs.map((run) => ({ ...run, status: 'completed', reason: null, endedAt: agent.lastActivityAt })),
    })),
  };
}
