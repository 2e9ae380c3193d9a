import * as http from 'node:http';
import {
  type AnswerOutcome,
  type ApprovalAnswer,
  type ApprovalRequest,
  isChatPerson,
  type MessageRange,
  type Person,
  type TimelineReport,
} from '../core/index.ts';
import { type ApprovalSecret, unlockKey } from '../guard/index.ts';
import { asObject, asText, known, parseObject } from '../lib/json.ts';
import { stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { type TranscriptPage, thisMachine } from '../sessions/index.ts';
import { readTrustedKey } from './approval-proof.ts';
import { findDaemon } from './control.ts';
import type { Daemon } from './daemon-file.ts';

/** Tool calls that the running server holds until a person answers. */
export interface ApprovalControl {
  /** Those that wait, and the last few that did; undefined if no server runs. */
  list(): Promise<readonly ApprovalRequest[] | undefined>;
  /** By its whole id. `proof`: a signature of the call as the person was shown it (`signApproval`). */
  answer(id: string, answer: ApprovalAnswer, by: Person, proof?: string): Promise<AnswerOutcome>;
  /** What proves an answer. Throws a `UserError` if the passphrase is wrong, or if none is set. */
  unlock(passphrase: string): Promise<ApprovalSecret>;
}

/** Approvals at the server of this person. */
export function createApprovalControl(): ApprovalControl {
  const find = () => findDaemon(stateFolder(thisMachine()));
  return {
    async list() {
      const daemon = await find();
      return daemon && listApprovals(daemon);
    },
    async answer(id, answer, by, proof) {
      const daemon = await find();
      return daemon ? answerApproval(daemon, id, answer, by, proof) : { outcome: 'unknown' };
    },
    unlock: (passphrase) => unlockStored(stateFolder(thisMachine()), passphrase),
  };
}

/** The server wants a passphrase before it takes the answer. */
export function isProofNeeded(error: unknown): boolean {
  return error instanceof UserError && error.code === 'proof-needed';
}

async function unlockStored(folder: string, passphrase: string): Promise<ApprovalSecret> {
  const key = await readTrustedKey(folder);
  const unlocked = key && (await unlockKey(passphrase, key));
  if (unlocked) return unlocked;
  throw new UserError('wrong-passphrase', 'This is not the passphrase for approvals.', 'Try again.');
}

export async function listApprovals(daemon: Daemon): Promise<readonly ApprovalRequest[]> {
  // A server of a version before approvals answers 404.
  const found = (await readFrom(daemon, '/api/asks')) as { readonly asks: readonly ApprovalRequest[] } | undefined;
  return found?.asks ?? [];
}

export async function answerApproval(
  daemon: Daemon,
  id: string,
  said: ApprovalAnswer,
  by: Person,
  proof?: string,
): Promise<AnswerOutcome> {
  const channel = isChatPerson(by) ? 'telegram' : by;
  const key = channel === 'page' || channel === 'api' ? undefined : daemon.keys?.[channel];
  const as = { port: daemon.port, token: key ?? daemon.token };
  const answer = await requestServer(as, `/api/asks/${encodeURIComponent(id)}`, {
    ...{ answer: said, by },
    ...known({ proof }),
  });
  if (answer.status === 404) return { outcome: 'unknown' };
  const outcome = ({ 200: 'taken', 409: 'late', 410: 'late' } as const)[answer.status];
  if (outcome === undefined) throw refusalIn(answer);
  return { outcome, ask: JSON.parse(answer.text).ask };
}

/** The path of a login link: it works once, for a minute. */
export async function requestLogin(daemon: Daemon): Promise<string> {
  const answer = await requestServer({ port: daemon.port, token: daemon.keys?.cli ?? daemon.token }, '/api/login', {});
  if (answer.status !== 200) throw refusalIn(answer);
  return JSON.parse(answer.text).path;
}

/** What happened in a session; undefined if the server has no such session. */
export async function requestTimeline(
  daemon: Daemon,
  session: string,
  since?: number,
): Promise<TimelineReport | undefined> {
  const query = since === undefined ? '' : `?since=${encodeURIComponent(new Date(since).toISOString())}`;
  const found = await readFrom(daemon, `/api/sessions/${encodeURIComponent(session)}/timeline${query}`);
  return found as TimelineReport | undefined;
}

/** A part of a transcript; undefined if the server has no such agent. */
export async function requestTranscript(
  daemon: Daemon,
  agent: string,
  { from, limit }: MessageRange,
  session: string,
): Promise<TranscriptPage | undefined> {
  const query = new URLSearchParams({ session, from: String(from), limit: String(limit) });
  const found = await readFrom(daemon, `/api/agents/${encodeURIComponent(agent)}/transcript?${query}`);
  return found as TranscriptPage | undefined;
}

async function readFrom(daemon: Daemon, path: string): Promise<unknown> {
  const answer = await requestServer(daemon, path);
  if (answer.status === 200) return JSON.parse(answer.text);
  if (answer.status === 404) return undefined;
  throw refusalIn(answer);
}

interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to the server in another process: POST if there is a body. */
function requestServer(
  { port, token }: Pick<Daemon, 'port' | 'token'>,
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

/** Why there is no answer, in the server's own words if it has some. */
function refusalIn({ status, text }: ServerAnswer): UserError {
  const error = asObject(parseObject(text)?.['error']);
  const [code, message, remedy] = [asText(error?.['code']), asText(error?.['message']), asText(error?.['remedy'])];
  if (!code || !message) return new UserError('server-refused', `The server answered ${status}.`, REMEDY);
  return new UserError(code, message, remedy ?? REMEDY);
}
