import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { packageVersion } from '../lib/package.ts';
import { hasScreen, openScreen } from '../lib/screen.ts';
import type { Terminal } from '../lib/terminal.ts';
import {
  createAskControl,
  createServerControl,
  type FollowRequest,
  follow,
  openServedFeed,
  ownFeed,
} from '../server/index.ts';
import { pagedTranscripts } from '../sessions/index.ts';
import { createKeyReader } from './keys.ts';
import { watch as watchScreen } from './watch.ts';
import { watchLines } from './watch-lines.ts';
import { watchPlain } from './watch-plain.ts';

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
