import type { LiveEvent } from '../core/index.ts';
import type { AskControl } from './approval-control.ts';
import type { ServedFeed } from './served-feed.ts';

const LOOK_MS = 1_000;

/**
 * A server that is started after us, or that looks elsewhere, may hold calls all the same: as long as we follow ourselves, it is
 * asked for them.
 */
export function withAsks(feed: ServedFeed, asks: Pick<AskControl, 'list'>, everyMs = LOOK_MS): ServedFeed {
  const listeners = new Set<(event: LiveEvent) => void>();
  const told = new Map<string, string>();
  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking || !feed.isOwn()) return;
    isAsking = true;
    try {
      for (const ask of (await asks.list()) ?? []) {
        const text = JSON.stringify(ask);
        if (told.get(ask.id) === text) continue;
        told.set(ask.id, text);
        for (const listener of listeners) listener({ type: 'ask', data: ask });
      }
    } catch {
      // It is starting, or ending: the next look will tell.
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return {
    ...feed,
    subscribe(listener) {
      const subscription = feed.subscribe(listener);
      listeners.add(listener);
      told.clear();
      return {
        close() {
          listeners.delete(listener);
          subscription.close();
        },
      };
    },
    close() {
      clearInterval(timer);
      listeners.clear();
      feed.close();
    },
  };
}
