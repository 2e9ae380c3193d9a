import type { IncomingMessage, ServerResponse } from 'node:http';
import { known } from '../../base/json.ts';
import type { HookIntake } from '../face.ts';
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
  const text = await hooks.take({
    host: pathname.slice('/api/hooks/'.length),
    draft: searchParams.get('draft') ?? '',
    ...known({ ppid: asNumber(searchParams.get('ppid')), since: inMs(asNumber(searchParams.get('since'))) }),
  });
  if (text === undefined) return answerRefusal(response, NOT_KEPT);
  response.sendDate = false;
  response.end(`${hooks.proof}\n${text}\n${hooks.proof}\n`);
}

function asNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

const NOT_KEPT: Refusal = { status: 404, code: 'hook-not-found', message: 'There is nothing to keep for this hook.' };
