import { openServedFeed, type ServedFeed } from '../daemon/served-feed.ts';
import type { Where } from '../faces/face.ts';
import { follow } from './follow.ts';
import { createServerControl } from './serve.ts';

/** What the running server follows, else what this process follows itself: for faces that only look. */
export function servedFeed(where: Where): Promise<ServedFeed> {
  return openServedFeed({
    connect: (onState) => createServerControl().feed(where, onState),
    follow: () => follow({ where }),
  });
}
