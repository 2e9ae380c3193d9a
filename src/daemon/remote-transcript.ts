import * as http from 'node:http';
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
  throw new UserError('server-refused', `The server answered ${status}.`, 'See its log, or start it again.');
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
