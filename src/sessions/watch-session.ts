import path from 'node:path';
import { buildTree, type SessionTree } from '../core/index.ts';
import type { SourceAdapter } from '../hosts/index.ts';
import type { Clock } from '../lib/clock.ts';
import { watchFolders } from '../lib/watch-folders.ts';
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
  let state: 'resting' | 'looking' | 'looking, and told again' | 'closed' = 'resting';

  const lookAgainIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), ms);
  };
  const onChange = (): void => {
    if (state === 'resting') lookAgainIn(TOGETHER_MS);
    else if (state === 'looking') state = 'looking, and told again';
  };
  const look = async (): Promise<void> => {
    state = 'looking';
    const changed = await refresh();
    if (isClosed()) return;
    // What the listener throws is its own affair, and must not end the watch.
    const tree = changed && followed ? buildTree(followed.session.ledger, { now: clock() }) : undefined;
    if (tree) queueMicrotask(() => onTree(tree));
    const again = toldAgain();
    state = 'resting';
    lookAgainIn(again ? TOGETHER_MS : every);
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
  // Asked anew each time: the state changes while we wait.
  const isClosed = (): boolean => state === 'closed';
  const toldAgain = (): boolean => state === 'looking, and told again';

  const folder = transcript.replace(/\.jsonl$/, '');
  const isOwn = (place: string): boolean => place === folder || place.startsWith(folder + path.sep);
  const watch = watchFolders(path.dirname(transcript), { onChange, isWanted: isOwn });
  void look();
  return {
    close() {
      state = 'closed';
      clearTimeout(timer);
      watch.close();
    },
  };
}
