import path from 'node:path';
import { buildTree, type SessionTree } from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { FolderWatch } from '../lib/watch-folders.ts';
import { FollowedSession } from './follow-session.ts';

export interface WatchOptions {
  readonly clock: Clock;
  /** How often to look without being told, in milliseconds: for systems whose watches fail, and for processes that end. */
  readonly every: number;
}

/** Lines come in bunches: one look for all that come this close together. */
const TOGETHER_MS = 20;

/** Follows the session of one transcript, its new agents included. A transcript that is not there yet is waited for. */
export function watchSession(
  adapters: readonly SourceAdapter[],
  transcript: string,
  onTree: (tree: SessionTree) => void,
  { clock, every }: WatchOptions,
): { close(): void } {
  let followed: { readonly adapter: SourceAdapter; readonly session: FollowedSession } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let [isLooking, isToldAgain, isClosed] = [false, false, false];

  const lookAgainIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), ms);
  };
  const onChange = (): void => {
    if (isLooking) isToldAgain = true;
    else if (!isClosed) lookAgainIn(TOGETHER_MS);
  };
  const look = async (): Promise<void> => {
    [isLooking, isToldAgain] = [true, false];
    const changed = await refresh();
    if (isClosed) return;
    // What the listener throws is its own affair, and must not end the watch.
    const tree = changed && followed ? buildTree(followed.session.ledger, { now: clock() }) : undefined;
    if (tree) queueMicrotask(() => onTree(tree));
    isLooking = false;
    lookAgainIn(isToldAgain ? TOGETHER_MS : every);
  };
  const refresh = async (): Promise<boolean> => {
    for (const adapter of followed ? [followed.adapter] : adapters) {
      const owner = await adapter.identify?.sessionOf(transcript).catch(() => undefined);
      if (!owner || owner.session.sources.length === 0) continue;
      followed ??= { adapter, session: new FollowedSession(adapter, owner.session) };
      const before = JSON.stringify([...followed.session.ledger.processes.values()]);
      followed.session.lookForAgents();
      const { progress } = await followed.session.refresh(owner.session);
      return progress.length > 0 || before !== JSON.stringify([...followed.session.ledger.processes.values()]);
    }
    return false;
  };
  const folder = transcript.replace(/\.jsonl$/, '');
  const isOwn = (place: string): boolean => place === folder || place.startsWith(folder + path.sep);
  const watch = new FolderWatch(path.dirname(transcript), { onChange, isWanted: isOwn });
  void look();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      watch.close();
    },
  };
}
