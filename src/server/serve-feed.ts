import type { Where } from '../cli/face.ts';
import { createAskControl } from '../guard/approvals/approval-control.ts';
import { withAsks } from '../guard/approvals/asks-beside.ts';
import { follow } from '../sessions/follow.ts';
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
