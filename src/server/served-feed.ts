import { applyEvent, type FeedSource, type LiveEvent, type LiveSnapshot } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import type { Live, SourcedFeed } from '../sessions/index.ts';
import type { ApprovalControl } from './request-server.ts';
import type { ConnectionState, RemoteFeed } from './server-control.ts';

/** What is followed in this process. */
type OwnFeed = Pick<Live, 'snapshot' | 'subscribe' | 'transcript' | 'timeline' | 'close'>;

interface ServedFeedOptions {
  /** The feed of the running server, where there is one. */
  readonly connect: (onState: (state: ConnectionState) => void) => Promise<RemoteFeed | undefined>;
  /** Follows the same in this process. */
  readonly follow: () => Promise<OwnFeed>;
}

export interface ServedFeed extends SourcedFeed, Pick<RemoteFeed, 'transcript' | 'timeline' | 'close'> {
  /** This process follows, not a server. */
  isOwn(): boolean;
}

/** A server that is stopped and started again is back by then. */
const PATIENCE_MS = 5_000;

/**
 * What the running server follows. Where there is none, or where it goes and no other takes its place, we follow ourselves,
 * and stay with that: a server that is started later would show the same.
 */
export async function openServedFeed({ connect, follow }: ServedFeedOptions): Promise<ServedFeed> {
  const remote = await connect((state) => (state.isLost ? lose() : regain(state.port)));
  if (!remote) return ownFeed(await follow(), OWN);

  const listeners = new Set<(event: LiveEvent) => void>();
  let picture: LiveSnapshot | undefined;
  let source: FeedSource = { text: serverOn(remote.port), isLost: false };
  let onSource = (_source: FeedSource): void => {};
  let own: OwnFeed | undefined;
  /** Counts the searches for another source: what an earlier one finds is of no use any more. */
  let search = 0;
  let timer: NodeJS.Timeout | undefined;

  const tell = (event: LiveEvent): void => {
    picture = applyEvent(picture, event);
    for (const listener of listeners) listener(event);
  };
  const say = (text: string, isLost: boolean): void => {
    if (source.text === text) return;
    source = { text, isLost };
    onSource(source);
  };
  const endSearch = (): void => {
    search++;
    clearTimeout(timer);
  };
  const lose = (): void => {
    say('server gone, looking again…', true);
    searchLater();
  };
  const regain = (port: number): void => {
    endSearch();
    own?.close();
    own = undefined;
    say(serverOn(port), false);
  };
  const searchLater = (): void => {
    endSearch();
    const mine = search;
    timer = setTimeout(() => void lookAround(() => mine === search), PATIENCE_MS);
  };
  const lookAround = async (isWanted: () => boolean): Promise<void> => {
    const isServed = await remote.isServed().catch(() => false);
    if (!isWanted()) return;
    // There is one, and the connection to it is being tried: it may be slow.
    if (isServed) return searchLater();
    try {
      const found = await follow();
      if (isWanted()) takeOver(found);
      else found.close();
    } catch (error) {
      if (!isWanted()) return;
      say(`server gone; here: ${error instanceof Error ? error.message : error}`, true);
      searchLater();
    }
  };
  /** The old picture stays until there is a whole new one: nobody loses the place where they read. */
  const takeOver = (found: OwnFeed): void => {
    own = found;
    let isWhole = false;
    found.subscribe((event) => {
      if (isWhole) return tell(event);
      if (!('isComplete' in event.data && event.data.isComplete)) return;
      isWhole = true;
      endSearch();
      remote.close();
      say(OWN, false);
      tell({ type: 'snapshot', data: found.snapshot() });
    });
  };

  const reached = (): Pick<OwnFeed, 'transcript' | 'timeline'> => {
    if (source.isLost) throw new UserError('server-gone', 'The server is gone.', 'Try again in a moment.');
    return own ?? remote;
  };

  remote.subscribe(tell);
  return {
    subscribe(listener) {
      if (picture) listener({ type: 'snapshot', data: picture });
      listeners.add(listener);
      return { close: () => void listeners.delete(listener) };
    },
    source: () => source,
    onSource(listener) {
      onSource = listener;
    },
    transcript: async (agent, range, session) => reached().transcript(agent, range, session),
    timeline: async (session, since) => reached().timeline(session, since),
    isOwn: () => own !== undefined,
    close() {
      endSearch();
      listeners.clear();
      remote.close();
      own?.close();
    },
  };
}

const OWN = 'this process';

function serverOn(port: number): string {
  return `server on port ${port}`;
}

/** What is followed in this process from the beginning: it comes from nowhere else. */
export function ownFeed(own: OwnFeed, text: string): ServedFeed {
  return { ...own, source: () => ({ text, isLost: false }), onSource() {}, isOwn: () => true };
}

const LOOK_MS = 1_000;

/**
 * A server that is started after us, or that looks elsewhere, may hold calls all the same: as long as we follow ourselves, it is
 * asked for them.
 */
export function withApprovals(feed: ServedFeed, asks: Pick<ApprovalControl, 'list'>, everyMs = LOOK_MS): ServedFeed {
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
