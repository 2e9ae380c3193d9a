import path from 'node:path';
import { systemClock, wait } from '../../lib/clock.ts';
import { replaceFile } from '../../lib/edit-file.ts';
import { asObject } from '../../lib/json.ts';
import { takeLock } from '../../lib/lock-file.ts';
import { packageVersion } from '../../lib/package.ts';
import { onEndSignal } from '../../lib/report-trouble.ts';
import { loadState, readSecret } from '../../lib/state-file.ts';
import { configFolder, ensureStateFolder, stateFolder } from '../../lib/state-folder.ts';
import type { Terminal } from '../../lib/terminal.ts';
import { UserError } from '../../lib/user-error.ts';
import { maskText } from '../../redact/index.ts';
import { readOwnConfig, servedFeed } from '../../server/index.ts';
import { thisMachine } from '../../sessions/index.ts';
import type { ChatRequest } from '../chat-request.ts';
import { wishesOf } from '../telegram/settings.ts';
import { readTold } from '../told.ts';
import { post } from './post.ts';
import { runWebhook, type WebhookState } from './run-webhook.ts';

/** The webhook, until Ctrl-C. */
export async function runWebhookFace({ where }: ChatRequest, { note }: Terminal): Promise<void> {
  const { webhook } = await readOwnConfig();
  const url = webhook?.url;
  if (url === undefined)
    throw new UserError(
      'webhook-no-url',
      'No address is named.',
      'Write it into config.json: "webhook": { "url": "https://…" }',
    );
  const { env, home } = thisMachine();
  const secretFile = path.join(configFolder(env, home), 'webhook-secret');
  const secret = await readSecret('TROUPE_WEBHOOK_SECRET', secretFile);
  if (secret === undefined)
    throw new UserError(
      'webhook-no-secret',
      'There is no secret to sign with.',
      `Put one into TROUPE_WEBHOOK_SECRET or ${secretFile}.`,
    );
  const folder = stateFolder({ env, home });
  await ensureStateFolder(folder);
  const lock = await takeLock(path.join(folder, 'webhook.lock'));
  if (!lock) throw new UserError('webhook-runs', 'troupe webhook runs already.', 'Stop the other one first.');
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const { signal } = stop;
  const feed = await servedFeed(where);
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  note(`troupe: what happens is sent to ${new URL(url).host}. Ctrl-C ends it.`);
  const request = { url, secret, version: packageVersion, clock: systemClock, signal };
  try {
    await runWebhook({
      feed,
      wishes: wishesOf(webhook?.announce),
      form: webhook?.form ?? 'troupe',
      mask: (text) => maskText(text).text,
      store: storeIn(path.join(folder, 'webhook.json')),
      send: (id, body, attempt) => post({ ...request, id, body, attempt }),
      clock: systemClock,
      sleep: wait,
      random: Math.random,
      note,
      signal,
    });
  } finally {
    feed.close();
    await lock.release();
  }
}

function storeIn(file: string): { load(): WebhookState | undefined; save(state: WebhookState): void } {
  return {
    load: () =>
      loadState(file, parseState, {
        code: 'webhook-state',
        what: 'What was sent',
        remedy: 'Mend or remove it; without it, what happened until then is not sent.',
      }),
    save: (state) => replaceFile(file, `${JSON.stringify(state)}\n`),
  };
}

function parseState(text: string): WebhookState {
  const raw = asObject(JSON.parse(text));
  const [since, sessions, asks] = [raw?.['since'], asObject(raw?.['sessions']), raw?.['asks']];
  if (typeof since !== 'number' || !sessions || !Array.isArray(asks))
    throw new Error('it is not what troupe webhook writes');
  const places = Object.entries(sessions).map(([key, value]) => {
    const { told, seenAt } = asObject(value) ?? {};
    return [key, { told: readTold(told, since), seenAt: typeof seenAt === 'number' ? seenAt : since }] as const;
  });
  return { since, sessions: Object.fromEntries(places), asks };
}
