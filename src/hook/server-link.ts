// A call that a process of ours brings to the server, as the stubs of hooks do in their shell.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import * as http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { replaceFile } from '../lib/edit-file.ts';
import { readText } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';

interface HookRequest {
  readonly host: string;
  /** The name of the file in the spool that holds what the hook was told. */
  readonly draft: string;
  readonly asks: 'policy' | 'always';
  readonly ppid?: number;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Aborted where nobody waits any more. */
  readonly signal: AbortSignal;
}

/** So long a server may think before it answers, or says that it asks a person. */
const HEARD_WITHIN_MS = 2_000;

/** What the hook is to print. Undefined where no server runs, or none that answers as ours does. */
export async function requestJudgement(folder: string, call: HookRequest): Promise<string | undefined> {
  const line = await readText(path.join(folder, 'hook-address')).catch(() => '');
  const [, port, key, proof] = line.trim().split(' ');
  if (port === undefined || key === undefined || proof === undefined) return undefined;
  const text = await post(Number(port), key, call).catch(() => undefined);
  if (text === undefined) return undefined;
  // What stands before the NUL says that the call is held.
  const answer = text.slice(text.lastIndexOf('\0') + 1);
  const [begin, end] = [`${proof}\n`, `\n${proof}\n`];
  return answer.startsWith(begin) && answer.endsWith(end) ? answer.slice(begin.length, -end.length) : undefined;
}

async function post(
  port: number,
  key: string,
  { host, draft, asks, ppid, since, signal }: HookRequest,
): Promise<string> {
  const asked = new URLSearchParams({ draft, asks, since: String(since / 1_000) });
  if (ppid !== undefined) asked.set('ppid', String(ppid));
  const { TROUPE_PARENT: parent, TROUPE_AGENT: above } = process.env;
  if (parent) asked.set('parent', parent);
  if (above) asked.set('above', above);
  const request = http.request({
    ...{ host: '127.0.0.1', port, path: `/api/hooks/${host}?${asked}`, method: 'POST', signal },
    headers: { Authorization: `Bearer ${key}` },
    timeout: HEARD_WITHIN_MS,
  });
  request.on('timeout', () => request.destroy(new Error('the server does not answer')));
  // Once there is a response, it tells of what goes wrong.
  request.on('error', () => {});
  request.end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  request.setTimeout(0);
  const answer = await text(response);
  return response.statusCode === 200 ? answer : '';
}

/** Of one run of the server, and for hooks only: the token of the page stays good from start to start. */
export interface HookKeys {
  /** What a hook brings. */
  readonly key: string;
  /** What our answer brings, and nobody else's. */
  readonly proof: string;
}

export function createHookKeys(): HookKeys {
  return { key: randomBytes(18).toString('base64url'), proof: randomBytes(18).toString('base64url') };
}

interface HookAddressOptions extends HookKeys {
  readonly port: number;
  readonly onError?: (error: unknown) => void;
  readonly recheckMs?: number;
}

/** As long as we serve, the file says so: a hook that had to wait empties it. Gives what ends that, and takes it away. */
export async function keepHookAddress(folder: string, options: HookAddressOptions): Promise<() => Promise<void>> {
  const { port, key, proof, onError, recheckMs = RECHECK_MS } = options;
  const file = path.join(folder, 'hook-address');
  const line = `${process.pid} ${port} ${key} ${proof}\n`;
  const isOwn = async (): Promise<boolean> => (await readText(file).catch(() => '')) === line;
  let last: Promise<void> = Promise.resolve();

  // Without it hooks decide by themselves: no reason not to serve.
  await writeAtOnce(file, line).catch((error) => onError?.(error));
  const timer = setInterval(() => {
    last = last
      .then(async () => ((await isOwn()) ? undefined : writeAtOnce(file, line)))
      .catch((error) => onError?.(error));
  }, recheckMs);
  timer.unref();

  return async () => {
    clearInterval(timer);
    await last;
    if (await isOwn()) await rm(file, { force: true });
  };
}

const RECHECK_MS = 3_000;

async function writeAtOnce(file: string, text: string): Promise<void> {
  try {
    replaceFile(file, text);
  } catch (error) {
    const why = `${file} cannot be replaced (${codeOf(error) ?? error})`;
    throw new UserError('state-folder', `Hooks do not reach this server: ${why}.`, 'Remove it.', { cause: error });
  }
}
