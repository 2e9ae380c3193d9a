import { type SessionDetail, sessionKey } from '../core/index.ts';
import { systemClock, wait } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { packageVersion } from '../lib/package.ts';
import { hasScreen, openScreen } from '../lib/screen.ts';
import type { Terminal } from '../lib/terminal.ts';
import { messageOf } from '../lib/user-error.ts';
import {
  DEFAULT_ANNOUNCE,
  emptyRecord,
  formatNotification,
  type NotificationFeed,
  NotificationTracker,
  recordSent,
  type SentRecord,
  sessionLine,
  settleNotice,
} from '../notify/index.ts';
import {
  createApprovalControl,
  createServerControl,
  type FollowRequest,
  follow,
  isProofNeeded,
  openServedFeed,
  ownFeed,
  signApproval,
} from '../server/index.ts';
import { createPagedReader, type SourcedFeed } from '../sessions/index.ts';
import type { AnswerCall } from './approval-bar.ts';
import { createKeyReader } from './keys.ts';
import { type WatchPlainOptions, watchPlain } from './watch-plain.ts';
import { WatchScreen } from './watch-screen.ts';

/** Shows the live tree of the running server, or of what this process follows itself. */
export async function watch(request: WatchRequest, { write, note, colours }: Terminal): Promise<void> {
  const { session, agent, where, demoSpeed } = request;
  const feed =
    demoSpeed === undefined
      ? await openServedFeed({
          connect: (onState) => createServerControl().feed(where, onState),
          follow: () => follow(request),
        })
      : ownFeed(await follow(request), 'the demo');
  const isScreen = hasScreen(process) && !request.plain && !request.json && !request.lines;
  const common = { feed, clock: systemClock, colours, ...known({ session }) };
  try {
    if (isScreen) {
      await new WatchScreen({
        ...common,
        ...known({ agent }),
        transcript: createPagedReader(feed.transcript),
        screen: openScreen(createKeyReader),
        version: packageVersion,
        answer: answerInTerminal,
      }).run();
    } else if (request.lines) await watchLines({ ...common, write, note, stop: untilSignal() });
    else await watchPlain({ ...common, write, note, json: request.json, stop: untilSignal() });
  } finally {
    feed.close();
  }
}

const answerInTerminal: AnswerCall = async (ask, answer, passphrase) => {
  const approvals = createApprovalControl();
  const proof = passphrase === undefined ? undefined : signApproval(await approvals.unlock(passphrase), ask);
  try {
    return await approvals.answer(ask.id, answer, 'terminal', proof);
  } catch (error) {
    if (proof === undefined && isProofNeeded(error)) return 'passphrase-needed';
    throw error;
  }
};

function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

export interface WatchRequest extends FollowRequest {
  readonly json: boolean;
  /** Log lines, also in a terminal. */
  readonly plain: boolean;
  /** The notifications that a chat would get. */
  readonly lines: boolean;
  /** Only this session, by the beginning of its id. */
  readonly session?: string;
  /** By its whole id: its transcript is opened, on a screen. */
  readonly agent?: string;
}

export interface WatchLinesOptions extends Omit<WatchPlainOptions, 'json' | 'colours'> {
  readonly feed: SourcedFeed & NotificationFeed;
  readonly stop: AbortSignal;
}

const LOOK_MS = 500;

/** `troupe watch --lines`: what happens from now on, as the notifications of a chat. */
export async function watchLines({ feed, write, note, clock, session = '', stop }: WatchLinesOptions): Promise<void> {
  const since = clock();
  const sent = new Map<string, SentRecord>();
  const tracker = new NotificationTracker({ feed, announce: { ...DEFAULT_ANNOUNCE, started: true }, clock });
  let lastSession = '';
  let lastProblem: string | undefined;
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  const writeNew = async (one: SessionDetail): Promise<void> => {
    const key = sessionKey(one);
    let record = settleNotice(sent.get(key) ?? emptyRecord(since), one);
    sent.set(key, record);
    for (const news of await tracker.look(one, record)) {
      const text = formatNotification(news, one, await tracker.readText(news, one)).text;
      write(lastSession === key ? `${text}\n` : `${sessionLine(one).text}\n${text}\n`);
      lastSession = key;
      record = recordSent(record, news);
      sent.set(key, record);
    }
  };
  try {
    while (!stop.aborted) {
      for (const one of tracker.warm()) {
        if (!one.id.startsWith(session)) continue;
        try {
          await writeNew(one);
          lastProblem = undefined;
        } catch (error) {
          // A server may be gone for a moment: what could not be read now is written later.
          const problem = messageOf(error);
          if (problem !== lastProblem) note(`troupe: ${problem}`);
          lastProblem = problem;
        }
      }
      await wait(LOOK_MS, stop);
    }
  } finally {
    tracker.close();
  }
}
