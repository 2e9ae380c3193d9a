import { known } from '../../lib/json.ts';
import { type NotificationFeed, NotificationTracker } from '../tracker.ts';
import { Limits, maskedApi, problemIn } from './bot-api.ts';
import { type ChatContext, ExportJobs } from './chat-context.ts';
import { type ChatState, newState } from './chat-state.ts';
import { COMMANDS } from './commands.ts';
import { Health, type HealthReport } from './health.ts';
import { Listener } from './listener.ts';
import { Sender } from './sender.ts';

interface TelegramRun extends Pick<ChatContext, 'api' | 'options' | 'actions' | 'clock' | 'sleep' | 'createNonce'> {
  readonly feed: NotificationFeed;
  readonly store: StateStore;
  /** A text without the credentials in it. */
  readonly mask: (text: string) => string;
  readonly note: (text: string) => void;
  readonly pid: number;
  readonly seesAllProcesses?: boolean;
  readonly signal: AbortSignal;
}

/** Where what has to outlive us is kept: whole or not at all, for nobody but the owner. */
interface StateStore {
  /** Undefined where there is none. Throws a `UserError` where it cannot be read: to begin anew would tell everything again. */
  load(): ChatState | undefined;
  save(state: ChatState): void;
  saveHealth(report: HealthReport): void;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** The bot, until the signal. Whatever Telegram or the network does, it goes on. */
export async function runTelegram(run: TelegramRun): Promise<void> {
  const { feed, options, store, clock, note, mask, signal } = run;
  const api = maskedApi(run.api, mask);
  let state = store.load() ?? newState(clock());
  store.save(state);
  const book: ChatContext['book'] = {
    read: () => state,
    keep(change) {
      state = change(state);
      store.save(state);
    },
    note(change) {
      state = change(state);
    },
  };
  const health = new Health({ clock, pid: run.pid, save: store.saveHealth, note });
  const tracker = new NotificationTracker({
    ...{ feed, announce: options.announce, clock, mask },
    ...known({ seesAllProcesses: run.seesAllProcesses }),
  });
  const exports = new ExportJobs((id) => {
    const cwd = tracker.picture()?.sessions.find((session) => session.id === id)?.cwd ?? null;
    return run.actions.exportSession({ id, cwd });
  });
  const limits = new Limits(clock);
  const context: ChatContext = { ...run, api, tracker, book, health, exports, limits, forums: new Set<number>() };
  try {
    const me = await insist(context, signal, () => api.me());
    if (!me) return;
    note(`troupe: @${me.username} tells about your sessions. Ctrl-C ends it.`);
    // A convenience: without it everything works all the same.
    await api.offer(COMMANDS).catch((error: unknown) => health.reportFailure(error));
    await findForums(context, signal);
    await Promise.all([new Sender(context, signal).run(), new Listener(context, me.username, signal).run()]);
  } finally {
    tracker.close();
    store.save(state);
  }
}

/** The network may not be there yet when a machine starts. */
async function insist<T>(
  { health, sleep }: ChatContext,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      health.reportFailure(error);
      await sleep(pause, signal);
    }
  }
  return undefined;
}

async function findForums(context: ChatContext, signal: AbortSignal): Promise<void> {
  const { api, options, forums } = context;
  if (options.sessions !== 'topic') return;
  for (const chat of options.chats) {
    // One that does not want us is told of when something is sent there.
    const found = await insist(context, signal, () =>
      api.chat(chat).catch((error: unknown) => {
        const problem = problemIn(error);
        if (problem !== 'blocked' && problem !== 'refused') throw error;
      }),
    );
    if (found?.isForum) forums.add(chat);
  }
}
