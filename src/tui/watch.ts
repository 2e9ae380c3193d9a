import { type SessionDetail, sessionKey } from '../core/index.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { packageVersion } from '../lib/package.ts';
import { hasScreen, openScreen } from '../lib/screen.ts';
import type { Terminal } from '../lib/terminal.ts';
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
  createAskControl,
  createServerControl,
  type FollowRequest,
  follow,
  openServedFeed,
  ownFeed,
} from '../server/index.ts';
import { pagedTranscripts, type SourcedFeed } from '../sessions/index.ts';
import { createKeyReader } from './keys.ts';
import { watchPlain } from './watch-plain.ts';
import { watch as watchScreen } from './watch-screen.ts';

/** The live tree of the running server, or of what this process follows itself. */
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
      await watchScreen({
        ...common,
        ...known({ agent }),
        transcript: pagedTranscripts(feed.transcript),
        screen: openScreen(createKeyReader),
        version: packageVersion,
        answer: (id, answer) => createAskControl().answer(id, answer, 'terminal'),
      });
    } else if (request.lines) await watchLines({ ...common, write, note, stop: untilSignal() });
    else await watchPlain({ ...common, write, note, json: request.json, stop: untilSignal() });
  } finally {
    feed.close();
  }
}

function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

export interface WatchRequest extends FollowRequest {
  readonly json: boolean;
  /** Lines instead of a screen, also where somebody watches. */
  readonly plain: boolean;
  /** What a chat would be told: who was asked for what, what came of it, every call with its agent's name. */
  readonly lines: boolean;
  /** Only this session, by the beginning of its id. */
  readonly session?: string;
  /** By its whole id: what it says is shown, where there is a screen. */
  readonly agent?: string;
}

export interface WatchLinesOptions {
  readonly feed: SourcedFeed & NotificationFeed;
  readonly write: (text: string) => void;
  readonly note: (text: string) => void;
  readonly clock: Clock;
  /** Only the sessions whose id begins so. */
  readonly session?: string;
  readonly stop: AbortSignal;
}

const LOOK_MS = 500;

/** `troupe watch --lines`: what happens from now on, in the words of a chat. */
export async function watchLines({ feed, write, note, clock, session = '', stop }: WatchLinesOptions): Promise<void> {
  const since = clock();
  const told = new Map<string, SentRecord>();
  const tracker = new NotificationTracker({ feed, announce: { ...DEFAULT_ANNOUNCE, started: true }, clock });
  let last = '';
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  /** A server that is gone for a moment is no reason to go, too: what could not be read now is told later. */
  const trouble = createTrouble(note);
  const tell = async (one: SessionDetail): Promise<void> => {
    const key = sessionKey(one);
    let known = settleNotice(told.get(key) ?? emptyRecord(since), one);
    told.set(key, known);
    for (const news of await tracker.look(one, known)) {
      const text = formatNotification(news, one, await tracker.readText(news, one)).text;
      // Which session it is stands above its lines, once.
      write(last === key ? `${text}\n` : `${sessionLine(one).text}\n${text}\n`);
      last = key;
      known = recordSent(known, news);
      told.set(key, known);
    }
  };
  try {
    while (!stop.aborted) {
      for (const one of tracker.warm()) if (one.id.startsWith(session)) await tell(one).then(trouble.over, trouble.met);
      await pause(LOOK_MS, stop);
    }
  } finally {
    tracker.close();
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stop.addEventListener('abort', end);
  });
}

/** Says a trouble once, until it is over. */
function createTrouble(note: (text: string) => void): {
  readonly met: (error: unknown) => void;
  readonly over: () => void;
} {
  let said: string | undefined;
  return {
    met(error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== said) note(`troupe: ${text}`);
      said = text;
    },
    over() {
      said = undefined;
    },
  };
}
