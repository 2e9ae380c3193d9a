import * as http from 'node:http';
import { asObject, asText } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';

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
