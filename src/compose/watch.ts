import { systemClock } from '../base/clock.ts';
import { known } from '../base/json.ts';
import { openServedFeed, ownFeed } from '../daemon/served-feed.ts';
import type { Terminal, WatchRequest } from '../faces/face.ts';
import { createKeyReader } from '../faces/terminal/keys.ts';
import { watch as watchScreen } from '../faces/terminal/watch.ts';
import { watchLines } from '../faces/terminal/watch-lines.ts';
import { watchPlain } from '../faces/terminal/watch-plain.ts';
import { hasScreen, openScreen } from '../io/screen.ts';
import { createAskControl } from './asks.ts';
import { follow } from './follow.ts';
import { packageVersion } from './package.ts';
import { pagedTranscripts } from './paged-transcripts.ts';
import { createServerControl } from './serve.ts';

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
