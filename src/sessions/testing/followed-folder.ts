import { afterEach, beforeEach, expect } from 'vitest';
import type { LiveTrees } from '../../core/index.ts';
import type { SourceAdapter } from '../../hosts/index.ts';
import { MUCH_LATER } from '../../hosts/testing/feed.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { until } from '../../lib/testing/waiting.ts';
import { startTracker } from '../tracker.ts';
import { settles } from './fresh-read.ts';
import { playRandomly } from './random-operations.ts';

/** A host's data folder, a new one for each test, and who follows it. */
export interface FollowedFolder {
  readonly root: string;
  /** Follows, and waits for the first reading. It looks by itself once an hour: all else has to be heard. */
  start(options?: { readonly roots?: readonly string[]; readonly clock?: () => number }): Promise<LiveTrees>;
  /** Until what is followed is what a fresh look finds, at the time of the clock that it was started with. */
  settles(): Promise<void>;
  /** What lies in it, and a second folder beside it, are changed again and again; each tenth of the way all has to agree. */
  survives(operations: number, isChanged: (file: string) => boolean): Promise<void>;
}

/** To be called where tests are described. No test may leave an error behind. */
export function createFollowedFolder(adapter: SourceAdapter): FollowedFolder {
  let root = '';
  let errors: unknown[] = [];
  let live: LiveTrees | undefined;
  let agrees = async (): Promise<void> => expect.unreachable('nothing is followed yet');
  beforeEach(() => {
    root = makeTemporaryFolder(`followed-${adapter.host}`);
    errors = [];
  });
  afterEach(() => {
    live?.close();
    expect(errors).toEqual([]);
  });

  const start: FollowedFolder['start'] = async ({ roots = [root], clock = () => MUCH_LATER } = {}) => {
    const window = { ms: Number.POSITIVE_INFINITY, sessions: 1000 };
    const places = roots.map((at) => ({ adapter, root: at, forced: false }));
    const onError = (error: unknown) => void errors.push(error);
    const started = startTracker(places, { clock, window, onError, sweepEveryMs: 3_600_000 });
    live = started;
    agrees = () => settles(started, places, clock());
    await until(() => started.listing().isComplete, 'the first reading');
    return started;
  };
  return {
    get root() {
      return root;
    },
    start,
    settles: () => agrees(),
    survives: (operations, isChanged) =>
      playRandomly(root, {
        isChanged,
        operations,
        checkEvery: operations / 10,
        async start(roots) {
          await start({ roots });
          return agrees;
        },
      }),
  };
}
