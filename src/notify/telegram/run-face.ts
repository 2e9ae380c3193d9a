import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { attachTo } from '../../control/index.ts';
import type { Steered } from '../../core/index.ts';
import { createServedExport } from '../../export/index.ts';
import { systemClock, wait } from '../../lib/clock.ts';
import { replaceFile } from '../../lib/edit-file.ts';
import { known } from '../../lib/json.ts';
import { takeLock } from '../../lib/lock-file.ts';
import { onEndSignal } from '../../lib/report-trouble.ts';
import { loadState } from '../../lib/state-file.ts';
import { ensureStateFolder, stateFolder } from '../../lib/state-folder.ts';
import type { Terminal } from '../../lib/terminal.ts';
import { UserError } from '../../lib/user-error.ts';
import { maskText } from '../../redact/index.ts';
import { createAskControl, readOwnConfig, servedFeed } from '../../server/index.ts';
import { thisMachine, type Where } from '../../sessions/index.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { Outside } from './chat-context.ts';
import { createGrammyApi } from './grammy-api.ts';
import { parseState } from './parse-state.ts';
import { runTelegram, type StateStore } from './run-telegram.ts';
import { chatOptionsOf, healthFile, readToken } from './settings.ts';

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
