import type { Answered, Ask, AskAnswer, Person } from '../model/ask.ts';
import type { Daemon } from './daemon-file.ts';
import { refusalIn, requestServer } from './request-server.ts';

/** What waits at the server in another process. */
export async function listAsks(daemon: Daemon): Promise<readonly Ask[]> {
  const answer = await requestServer(daemon, '/api/asks');
  // One that was started before there were any.
  if (answer.status === 404) return [];
  if (answer.status !== 200) throw refusalIn(answer);
  return JSON.parse(answer.text).asks;
}

export async function sendAnswer(daemon: Daemon, id: string, said: AskAnswer, by: Person): Promise<Answered> {
  const answer = await requestServer(daemon, `/api/asks/${encodeURIComponent(id)}`, { answer: said, by });
  if (answer.status === 404) return { outcome: 'unknown' };
  const outcome = ({ 200: 'taken', 409: 'late', 410: 'late' } as const)[answer.status];
  if (outcome === undefined) throw refusalIn(answer);
  return { outcome, ask: JSON.parse(answer.text).ask };
}
