import type { TimelineReport } from '../core/index.ts';
import type { Daemon } from './daemon-file.ts';
import { refusalIn, requestServer } from './request-server.ts';

/** What happened in a session, from the server in another process; nothing where it knows no such session. */
export async function remoteTimeline(
  daemon: Daemon,
  session: string,
  since?: number,
): Promise<TimelineReport | undefined> {
  const query = since === undefined ? '' : `?since=${encodeURIComponent(new Date(since).toISOString())}`;
  const answer = await requestServer(daemon, `/api/sessions/${encodeURIComponent(session)}/timeline${query}`);
  if (answer.status === 200) return JSON.parse(answer.text);
  if (answer.status === 404) return undefined;
  throw refusalIn(answer);
}
