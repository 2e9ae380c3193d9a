import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeldReply } from '../../guard/index.ts';
import { known } from '../../lib/json.ts';
import type { HookCallNotice, HookIntake } from '../server-control.ts';
import { answerRefusal, type Refusal } from './answers.ts';

export function isForHooks(request: IncomingMessage): boolean {
  return request.url?.startsWith('/api/hooks/') ?? false;
}

/**
 * A hook waits, and its host with it; it is a shell, which reads byte by byte. So it gets no header that it does not need.
 * The proof stands before and behind what it is to print: it is ours, and all of it.
 */
export async function answerHook(request: IncomingMessage, response: ServerResponse, hooks: HookIntake): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
  const reply = await hooks.take({
    host: pathname.slice('/api/hooks/'.length),
    draft: searchParams.get('draft') ?? '',
    ...known({
      ppid: asNumber(searchParams.get('ppid')),
      since: inMs(asNumber(searchParams.get('since'))),
      parent: searchParams.get('parent') || undefined,
      above: searchParams.get('above') || undefined,
      asks: asksIn(searchParams.get('asks')),
    }),
  });
  if (reply === undefined) return answerRefusal(response, NOT_KEPT);
  response.sendDate = false;
  const text = typeof reply === 'string' ? reply : await hold(response, reply, hooks.proof);
  if (text === undefined) return void response.destroy();
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end(`${hooks.proof}\n${text}\n${hooks.proof}\n`);
  });
}

/**
 * So that a hook knows at once that it is heard, and for how long it is to wait: a part of its own, which ends with a NUL,
 * for that is where a shell stops reading.
 */
function hold(response: ServerResponse, { ms, text, withdraw }: HeldReply, proof: string): Promise<string | undefined> {
  response.socket?.setTimeout(0);
  response.once('close', withdraw);
  if (response.destroyed) withdraw();
  response.write(`${proof}\nhold ${Math.ceil((ms + MARGIN_MS) / 1_000)}\n\0`);
  return text;
}

/** We are the ones who end it: a hook that gives up has lost us. */
const MARGIN_MS = 10_000;

function asksIn(text: string | null): HookCallNotice['asks'] {
  return text === 'policy' || text === 'always' ? text : undefined;
}

function asNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

const NOT_KEPT: Refusal = { status: 404, code: 'hook-not-found', message: 'There is nothing to keep for this hook.' };
