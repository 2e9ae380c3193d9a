import { type Answered, type Ask, type AskAnswer, isChatPerson, type Person } from '../core/index.ts';
import type { Daemon } from './daemon-file.ts';
import { refusalIn, requestServer } from './request-server.ts';

/** The path of a login link at the server in another process: it works once, for a minute. */
export async function requestLogin(daemon: Daemon): Promise<string> {
  const answer = await requestServer({ port: daemon.port, token: daemon.keys?.cli ?? daemon.token }, '/api/login', {});
  if (answer.status !== 200) throw refusalIn(answer);
  return JSON.parse(answer.text).path;
}

/** What waits at the server in another process. */
export async function listAsks(daemon: Daemon): Promise<readonly Ask[]> {
  const answer = await requestServer(daemon, '/api/asks');
  // One that was started before there were any.
  if (answer.status === 404) return [];
  if (answer.status !== 200) throw refusalIn(answer);
  return JSON.parse(answer.text).asks;
}

export async function sendAnswer(daemon: Daemon, id: string, said: AskAnswer, by: Person): Promise<Answered> {
  const channel = isChatPerson(by) ? 'telegram' : by;
  const key = channel === 'page' || channel === 'api' ? undefined : daemon.keys?.[channel];
  const as = { port: daemon.port, token: key ?? daemon.token };
  const answer = await requestServer(as, `/api/asks/${encodeURIComponent(id)}`, { answer: said, by });
  if (answer.status === 404) return { outcome: 'unknown' };
  const outcome = ({ 200: 'taken', 409: 'late', 410: 'late' } as const)[answer.status];
  if (outcome === undefined) throw refusalIn(answer);
  return { outcome, ask: JSON.parse(answer.text).ask };
}
