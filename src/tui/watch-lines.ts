import type { SessionDetail } from '../core/index.ts';
import type { Clock } from '../lib/clock.ts';
import {
  ALL_NEWS,
  keyOf,
  type NewsFeed,
  newsLines,
  nothingTold,
  openNewsDesk,
  sessionLine,
  settleNotice,
  type Told,
  withTold,
} from '../notify/index.ts';
import type { SourcedFeed } from '../sessions/index.ts';

export interface WatchLinesOptions {
  readonly feed: SourcedFeed & NewsFeed;
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
  const told = new Map<string, Told>();
  const desk = openNewsDesk({ feed, wishes: { ...ALL_NEWS, started: true }, clock });
  let last = '';
  feed.onSource(({ text, isLost }) => note(`troupe: ${isLost ? '' : 'the picture comes from: '}${text}`));
  /** A server that is gone for a moment is no reason to go, too: what could not be read now is told later. */
  const trouble = createTrouble(note);
  const tell = async (one: SessionDetail): Promise<void> => {
    const key = keyOf(one);
    let known = settleNotice(told.get(key) ?? nothingTold(since), one);
    told.set(key, known);
    for (const news of await desk.look(one, known)) {
      const text = newsLines(news, one, await desk.words(news, one)).text;
      // Which session it is stands above its lines, once.
      write(last === key ? `${text}\n` : `${sessionLine(one).text}\n${text}\n`);
      last = key;
      known = withTold(known, news);
      told.set(key, known);
    }
  };
  try {
    while (!stop.aborted) {
      for (const one of desk.warm()) if (one.id.startsWith(session)) await tell(one).then(trouble.over, trouble.met);
      await pause(LOOK_MS, stop);
    }
  } finally {
    desk.close();
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
