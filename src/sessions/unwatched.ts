import type { FolderWatch } from '../lib/watch-folders.ts';

/** Folders that the system would not watch: they are looked at now and then, and people are told. */
export interface Unwatched {
  /** To be called every second: looks where it is time. */
  look(): Promise<void>;
  /** To be called when folders may have come, or watches may have been given. */
  count(): void;
  /** For people. */
  notices(): readonly string[];
}

/** A look that took so long is made again no sooner than after this many times as long: looking costs a twentieth. */
const REST = 20;

export function followUnwatched(watches: readonly FolderWatch[], onNotice: () => void): Unwatched {
  let notices: readonly string[] = [];
  let isLooking = false;
  let nextAt = 0;
  let restMs = 0;
  const counts = (): { readonly folders: number; readonly isLimitReached: boolean } => {
    const all = watches.map((watch) => watch.counts());
    return {
      folders: all.reduce((sum, { unwatched }) => sum + unwatched, 0),
      isLimitReached: all.some((one) => one.isLimitReached),
    };
  };
  const count = (): void => {
    const { folders, isLimitReached } = counts();
    const before = notices.join();
    notices = folders === 0 ? [] : [noticeOf(folders, isLimitReached, roughSeconds(restMs))];
    if (notices.join() !== before) onNotice();
  };
  return {
    notices: () => notices,
    count,
    async look() {
      if (isLooking || performance.now() < nextAt || counts().folders === 0) return;
      isLooking = true;
      try {
        const begin = performance.now();
        for (const watch of watches) await watch.lookAtUnwatched();
        restMs = (performance.now() - begin) * REST;
        nextAt = performance.now() + restMs;
      } finally {
        isLooking = false;
      }
    },
  };
}

/** 1, 2, 4, 8 …: a look takes a little longer or shorter each time, and that is no news. */
function roughSeconds(ms: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(ms / 1000)));
}

function noticeOf(folders: number, isLimitReached: boolean, seconds: number): string {
  const many = folders === 1 ? '1 folder is' : `${folders} folders are`;
  const looked = `${many} looked at every ${seconds} s instead of being watched`;
  if (!isLimitReached) return looked;
  return `the system's limit of file watches is reached: ${looked}; to raise it: fs.inotify.max_user_watches`;
}
