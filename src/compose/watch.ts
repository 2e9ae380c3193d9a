import { systemClock } from '../base/clock.ts';
import { known } from '../base/json.ts';
import type { LiveFeed, Terminal, WatchRequest, Where } from '../faces/face.ts';
import { createKeyReader } from '../faces/terminal/keys.ts';
import { watch as watchScreen } from '../faces/terminal/watch.ts';
import { watchPlain } from '../faces/terminal/watch-plain.ts';
import { openScreen } from '../io/screen.ts';
import { createTranscripts } from '../tracker/transcripts.ts';
import { follow } from './follow.ts';
import { packageVersion } from './package.ts';
import { placesOf } from './places.ts';
import { createServerControl } from './serve.ts';

/** The live tree of the running server, or of what this process follows itself. */
export async function watch(request: WatchRequest, { write, colours }: Terminal): Promise<void> {
  const { feed, source, where, close } = await findFeed(request);
  const { session } = request;
  const isScreen = process.stdout.isTTY && process.stdin.isTTY && !request.plain && !request.json;
  const common = { feed, clock: systemClock, colours, ...known({ session }) };
  try {
    if (isScreen) {
      const transcripts = createTranscripts(placesOf(where), systemClock);
      await watchScreen({
        ...common,
        source,
        transcript: (agent, of) => transcripts.read(agent, of),
        screen: openScreen(createKeyReader),
        version: packageVersion,
      });
    } else await watchPlain({ ...common, write, json: request.json, stop: untilSignal() });
  } finally {
    close();
  }
}

interface FoundFeed {
  readonly feed: LiveFeed;
  /** Where it comes from, in a few words. */
  readonly source: string;
  readonly where: Where;
  close(): void;
}

async function findFeed(request: WatchRequest): Promise<FoundFeed> {
  const { where, demoSpeed } = request;
  const remote = demoSpeed === undefined ? await createServerControl().feed(where) : undefined;
  if (remote) return { feed: remote, source: `server on port ${remote.port}`, where, close: () => remote.close() };
  const live = await follow(request);
  const isDemo = demoSpeed !== undefined;
  return {
    feed: live,
    source: isDemo ? 'the demo' : 'this process',
    // The demo plays in a folder of its own.
    where: isDemo ? { roots: live.snapshot().places } : where,
    close: () => live.close(),
  };
}

function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
