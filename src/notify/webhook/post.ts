import { createHmac } from 'node:crypto';
import { type Clock, withinTime } from '../../lib/clock.ts';
import { codeOf } from '../../lib/user-error.ts';

export interface Posted {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly body: string;
  /** From 1. */
  readonly attempt: number;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long to wait for the answer. */
  readonly patienceMs?: number;
}

/**
 * `taken`: it is there. `later`: try again, at the earliest after so long. `never`: it will not be taken, however often it is sent.
 * `gone`: nothing will be taken there any more.
 */
export type PostOutcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'later' | 'never'; readonly why: string; readonly afterMs: number };

const PATIENCE_MS = 15_000;
/** They understood it, and do not want it. All others may be mended at their end. */
const NEVER = new Set([400, 413, 422]);
const GONE = 410;
const ELSEWHERE = ', which points to another address: enter that one';

export async function post({
  url,
  secret,
  id,
  body,
  attempt,
  version,
  clock,
  signal,
  patienceMs = PATIENCE_MS,
}: Posted): Promise<PostOutcome> {
  const timestamp = String(Math.floor(clock() / 1000));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': `troupe/${version}`,
    'x-troupe-id': encodeURIComponent(id),
    'x-troupe-timestamp': timestamp,
    'x-troupe-signature': sign(secret, timestamp, body),
    'x-troupe-attempt': String(attempt),
  };
  try {
    const answer = await withinTime(patienceMs, signal, async (patience) => {
      // Whoever moves says so to the person: what is signed for one address is not carried to another.
      const given = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: patience });
      await given.body?.cancel();
      return given;
    });
    if (answer.ok) return { kind: 'taken' };
    if (answer.status === GONE) return { kind: 'gone' };
    const kind = NEVER.has(answer.status) ? 'never' : 'later';
    const afterMs = retryAfter(answer.headers.get('retry-after'), clock());
    return { kind, why: `it answered ${answer.status}${isElsewhere(answer.status) ? ELSEWHERE : ''}`, afterMs };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return { kind: 'later', why: isLate ? `no answer within ${patienceMs / 1000} s` : reasonOf(error), afterMs: 0 };
  }
}

function isElsewhere(status: number): boolean {
  return status >= 300 && status < 400;
}

/** What `fetch` says itself is only that it failed. Of a name with several addresses, each has a reason, and the whole has no words. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return first instanceof Error && first.message !== '' ? first.message : String(codeOf(cause) ?? cause);
}

/** Over the time and every byte of the body: neither can be changed, and an old one cannot be sent again as new. */
export function sign(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Seconds, or a date. */
function retryAfter(value: string | null, now: number): number {
  if (value === null) return 0;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), 3_600_000) : 0;
}
