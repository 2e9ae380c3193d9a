import * as http from 'node:http';
import { asObject, asText } from '../base/json.ts';
import { UserError } from '../base/user-error.ts';
import type { TranscriptPage } from '../faces/face.ts';
import type { MessageRange } from '../model/ports.ts';
import type { Daemon } from './daemon-file.ts';

/** A part of a transcript, from the server in another process; nothing where it knows no such agent. */
export async function remoteTranscript(
  { port, token }: Daemon,
  agent: string,
  { from, limit }: MessageRange,
  session: string,
): Promise<TranscriptPage | undefined> {
  const query = new URLSearchParams({ session, from: String(from), limit: String(limit) });
  const path = `/api/agents/${encodeURIComponent(agent)}/transcript?${query}`;
  const { status, text } = await get(port, path, token);
  if (status === 200) return JSON.parse(text);
  if (status === 404) return undefined;
  throw refusalIn(text) ?? new UserError('server-refused', `The server answered ${status}.`, REMEDY);
}

const REMEDY = 'See its log, or start it again.';

/** What the server says itself. */
function refusalIn(text: string): UserError | undefined {
  const error = asObject(asObject(parseJson(text))?.['error']);
  const [code, message, remedy] = [asText(error?.['code']), asText(error?.['message']), asText(error?.['remedy'])];
  return code && message ? new UserError(code, message, remedy ?? REMEDY) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function get(port: number, path: string, token: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = http.get({ host: '127.0.0.1', port, path, headers, timeout: 10_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('the server does not answer')));
    request.on('error', reject);
  });
}
