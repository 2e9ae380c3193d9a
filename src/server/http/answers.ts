import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Why there is no answer, in the words that go out. */
export interface Refusal {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const NO_SESSION: Refusal = {
  status: 404,
  code: 'session-not-found',
  message: 'There is no session of this id.',
};

export function answerJson(context: Context, value: unknown, status: ContentfulStatusCode = 200): Response {
  return context.body(JSON.stringify(value), status, { 'Content-Type': JSON_TYPE });
}

export function answerError(context: Context, refusal: Refusal): Response {
  return answerJson(context, errorBody(refusal), refusal.status);
}

/** Before any route has seen the request. What the client may still be sending is not read: the connection ends here. */
export function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  const body = JSON.stringify(errorBody(refusal));
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
}

export const OUR_MISTAKE: Refusal = {
  status: 500,
  code: 'internal',
  message: 'troupe made a mistake. Its log says more.',
};

const JSON_TYPE = 'application/json; charset=utf-8';

function errorBody({ code, message, remedy }: Refusal): object {
  return { error: { code, message, remedy: remedy ?? null } };
}
