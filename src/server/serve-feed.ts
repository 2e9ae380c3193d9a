import type { Where } from '../sessions/index.ts';
import { createAskControl } from './approval-control.ts';
import { withAsks } from './asks-beside.ts';
import { follow } from './follow.ts';
import { createServerControl } from './serve.ts';
import { openServedFeed, type ServedFeed } from './served-feed.ts';

/** What the running server follows, else what this process follows itself: for faces that only look, and ask. */
export async function servedFeed(where: Where): Promise<ServedFeed> {
  const feed = await openServedFeed({
    connect: (onState) => createServerControl().feed(where, onState),
    follow: () => follow({ where }),
  });
  return withAsks(feed, createAskControl());
}
