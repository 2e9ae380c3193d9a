import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { rich } from '../messages/rich-text.ts';
import type { BotApi } from './bot-api.ts';
import { createGrammyApi } from './grammy-api.ts';

const TOKEN = '1234:not-to-be-seen-anywhere';
let server: http.Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A Bot API that answers so. */
async function answering(answer: (method: string, response: http.ServerResponse) => void): Promise<BotApi> {
  const opened = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(request.url?.split('/').at(-1) ?? '', response));
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  const apiRoot = `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
  return createGrammyApi({ token: TOKEN, apiRoot, pollSeconds: 0, requestSeconds: 1 });
}

const refusing = (code: number, description: string, parameters = {}): Promise<BotApi> =>
  answering((_method, response) =>
    response.writeHead(code).end(JSON.stringify({ ok: false, error_code: code, description, parameters })),
  );

describe('the Bot API', () => {
  it('gives up on a request without an answer, and later on a file', async () => {
    let finish = (): unknown => undefined;
    const api = await answering((method, response) => {
      const body = JSON.stringify({ ok: true, result: { message_id: 5 } });
      if (method === 'sendDocument') finish = () => response.end(body);
    });
    const file = api.sendFile({ chat: 1, name: 'x.html', bytes: Buffer.from('x'), caption: 'x' });
    await expect(api.me()).rejects.toMatchObject({ problem: 'network' });
    await expect(api.send({ chat: 1, text: rich('x'), isSilent: true })).rejects.toMatchObject({ problem: 'network' });
    finish();
    expect(await file).toBe(5);
  });

  it('treats an answer that is not from Telegram as "may have arrived"', async () => {
    const api = await answering((_method, response) => response.writeHead(502).end('<html>Bad Gateway</html>'));
    const error = await api.me().catch((one: unknown) => one);
    expect(error).toMatchObject({ problem: 'network' });
    expect(String(error)).not.toContain(TOKEN);
  });

  it('recognises every kind of refusal', async () => {
    for (const [code, words, problem] of [
      [401, 'Unauthorized', 'revoked'],
      [404, 'Not Found', 'revoked'],
      [403, 'Forbidden: bot was kicked from the supergroup chat', 'blocked'],
      [
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
        'conflict',
      ],
      [409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first", 'webhook'],
      [400, 'Bad Request: message thread not found', 'no-topic'],
      [400, 'Bad Request: group chat was upgraded to a supergroup chat', 'blocked'],
      [500, 'Internal Server Error', 'network'],
    ] as const) {
      const api = await refusing(code, words);
      await expect(api.me(), words).rejects.toMatchObject({ problem });
      server?.close();
    }
    const flooded = await refusing(429, 'Too Many Requests: retry after 7', { retry_after: 7 });
    await expect(flooded.me()).rejects.toMatchObject({ problem: 'flood', retryAfterMs: 7_000 });
  });
});
