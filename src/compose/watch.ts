import { systemClock } from '../base/clock.ts';
import { known } from '../base/json.ts';
import type { LiveFeed, Terminal, WatchRequest } from '../faces/face.ts';
import { createKeyReader } from '../faces/terminal/keys.ts';
import { watch as watchScreen } from '../faces/terminal/watch.ts';
import { watchPlain } from '../faces/terminal/watch-plain.ts';
import { hasScreen, openScreen } from '../io/screen.ts';
import { follow } from './follow.ts';
import { packageVersion } from './package.ts';
import { pagedTranscripts, type ReadPage } from './paged-transcripts.ts';
import { createServerControl } from './serve.ts';

/** The live tree of the running server, or of what this process follows itself. */
export async function watch(request: WatchRequest, { write, colours }: Terminal): Promise<void> {
  const { feed, source, readPage, close } = await findFeed(request);
  const { session } = request;
  const isScreen = hasScreen(process) && !request.plain && !request.json;
  const common = { feed, clock: systemClock, colours, ...known({ session }) };
  try {
    if (isScreen) {
      await watchScreen({
        ...common,
        source,
        transcript: pagedTranscripts(readPage),
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
  readonly readPage: ReadPage;
  close(): void;
}

async function findFeed(request: WatchRequest): Promise<FoundFeed> {
  const { where, demoSpeed } = request;
  const remote = demoSpeed === undefined ? await createServerControl().feed(where) : undefined;
  if (remote)
    return {
      feed: remote,
      source: `server on port ${remote.port}`,
      readPage: (agent, range, session) => remote.transcript(agent, range, session),
      close: () => remote.close(),
    };
  const live = await follow(request);
  return {
    feed: live,
    source: demoSpeed === undefined ? 'this process' : 'the demo',
    readPage: (agent, range, session) => live.transcript(agent, range, session),
    close: () => live.close(),
  };
}

function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
