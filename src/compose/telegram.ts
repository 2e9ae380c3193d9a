import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemClock } from '../base/clock.ts';
import { known } from '../base/json.ts';
import { UserError } from '../base/user-error.ts';
import { ensureStateFolder, stateFolder } from '../daemon/state-folder.ts';
import type { ChatRequest, Terminal, Where } from '../faces/face.ts';
import type { Outside } from '../faces/telegram/chat-context.ts';
import { createGrammyApi } from '../faces/telegram/grammy-api.ts';
import { parseState } from '../faces/telegram/parse-state.ts';
import { runTelegram, type StateStore } from '../faces/telegram/run-telegram.ts';
import { takeLock } from '../io/lock-file.ts';
import { replaceFile } from '../io/replace-file.ts';
import type { Steered } from '../model/continuing.ts';
import { thisMachine } from '../tracker/this-machine.ts';
import { maskText } from '../transforms/mask-secrets.ts';
import { createAskControl } from './asks.ts';
import { attachTo } from './attach.ts';
import { onEndSignal } from './end-signals.ts';
import { readOwnConfig } from './follow.ts';
import { createServedExport } from './served-export.ts';
import { servedFeed } from './served-feed.ts';
import { loadState } from './state-file.ts';
import { chatOptionsOf, healthFile, readToken } from './telegram-settings.ts';
import { wait } from './wait.ts';

/** The bot, until Ctrl-C. One for each person: two would take each other's updates. */
export async function runTelegramFace({ where }: ChatRequest, { note }: Terminal): Promise<void> {
  const config = await readOwnConfig();
  const token = await readToken();
  if (token === undefined)
    throw new UserError('telegram-no-token', 'No bot is set up.', 'Set one up with: troupe telegram setup');
  const options = chatOptionsOf(config);
  const folder = stateFolder(thisMachine());
  await ensureStateFolder(folder);
  const lock = await takeLock(path.join(folder, 'telegram.lock'));
  if (!lock) throw new UserError('telegram-runs', 'troupe telegram runs already.', 'Stop the other one first.');
  const stop = new AbortController();
  onEndSignal(() => stop.abort());
  const feed = await servedFeed(where);
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  try {
    await runTelegram({
      api: createGrammyApi({ token, ...known({ apiRoot: config.telegram?.apiRoot }) }),
      feed,
      options,
      outside: outsideOf(where),
      store: storeIn(path.join(folder, 'telegram.json')),
      clock: systemClock,
      sleep: wait,
      mask: (text) => maskText(text).text,
      createNonce: () => randomBytes(18).toString('base64url'),
      note,
      pid: process.pid,
      signal: stop.signal,
    });
  } finally {
    feed.close();
    await lock.release();
  }
}

function saying(otherwise: string, steered: Steered): string {
  return 'words' in steered ? steered.words : `${otherwise}: ${steered.whyNot}`;
}

/** Telegram takes files of 50 MB from bots. */
const MOST_BYTES = 49_000_000;

function outsideOf(where: Where): Outside {
  const asks = createAskControl();
  const exports = createServedExport(() => where);
  return {
    answer: asks.answer,
    control: {
      stop: async (session, agent) => saying('It was not stopped', await attachTo(where).stop(agent ?? session)),
      say: async (session, agent, text) =>
        saying('It was not told', await attachTo(where).send(agent ?? session, text)),
    },
    async exportSession(session) {
      const { stem, bytes } = await exports.begin({ session, as: 'page', pii: true }, AbortSignal.timeout(600_000));
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > MOST_BYTES)
          throw new UserError('export-too-large', 'The session is larger than Telegram takes.', 'Use troupe export.');
        chunks.push(chunk);
      }
      return { name: `${stem}.html`, bytes: Buffer.concat(chunks) };
    },
  };
}

function storeIn(file: string): StateStore {
  return {
    load: () =>
      loadState(file, parseState, {
        code: 'telegram-state',
        what: 'What was told',
        remedy: 'Mend or remove it; without it, what happened until then is not told.',
      }),
    save: (state) => replaceFile(file, `${JSON.stringify(state)}\n`),
    saveHealth: (report) => replaceFile(healthFile(), `${JSON.stringify(report)}\n`),
  };
}
