import type { MessageRange } from '../core/index.ts';
import type { TranscriptPage } from '../sessions/index.ts';
import type { Daemon } from './daemon-file.ts';
import { refusalIn, requestServer } from './request-server.ts';

/** A part of a transcript, from the server in another process; nothing where it knows no such agent. */
export async function remoteTranscript(
  daemon: Daemon,
  agent: string,
  { from, limit }: MessageRange,
  session: string,
): Promise<TranscriptPage | undefined> {
  const query = new URLSearchParams({ session, from: String(from), limit: String(limit) });
  const answer = await requestServer(daemon, `/api/agents/${encodeURIComponent(agent)}/transcript?${query}`);
  if (answer.status === 200) return JSON.parse(answer.text);
  if (answer.status === 404) return undefined;
  throw refusalIn(answer);
}
