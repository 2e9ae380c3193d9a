import * as http from 'node:http';
import {
  type Answered,
  type Ask,
  type AskAnswer,
  isChatPerson,
  type MessageRange,
  type Person,
  type TimelineReport,
} from '../core/index.ts';
import { asObject, asText } from '../lib/json.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { type TranscriptPage, thisMachine } from '../sessions/index.ts';
import { findDaemon } from './control.ts';
import type { Daemon } from './daemon-file.ts';

export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks the server in another process; with a body it is told something. */
export function requestServer(
  { port, token }: { readonly port: number; readonly token: string },
  path: string,
  body?: object,
): Promise<ServerAnswer> {
  const text = body && JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  const method = text === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers, timeout: 10_000 };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('the server does not answer')));
    request.on('error', reject);
    request.end(text);
  });
}

const REMEDY = 'See its log, or start it again.';

/** Why there is no answer, in the server's own words where it has some. */
export function refusalIn({ status, text }: ServerAnswer): UserError {
  const error = asObject(asObject(parseJson(text))?.['error']);
  const [code, message, remedy] = [asText(error?.['code']), asText(error?.['message']), asText(error?.['remedy'])];
  if (!code || !message) return new UserError('server-refused', `The server answered ${status}.`, REMEDY);
  return new UserError(code, message, remedy ?? REMEDY);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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

/** Calls that wait for a person, at the server of this person. */
export function createAskControl(): AskControl {
  const find = () => findDaemon(stateFolder(thisMachine()));
  return {
    async list() {
      const daemon = await find();
      return daemon && listAsks(daemon);
    },
    async answer(id, answer, by) {
      const daemon = await find();
      return daemon ? sendAnswer(daemon, id, answer, by) : { outcome: 'unknown' };
    },
  };
}

/** Calls that the running server holds until a person answers. */
export interface AskControl {
  /** Those that wait, and the last few that did; undefined where no server runs. */
  list(): Promise<readonly Ask[] | undefined>;
  /** By its whole id. */
  answer(id: string, answer: AskAnswer, by: Person): Promise<Answered>;
}
