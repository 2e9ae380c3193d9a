import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isFolder, listFolder } from './folders.ts';

export interface FolderWatch {
  /** Looks for what no watch told: folders whose entries changed, and files in folders that could not be watched. */
  sweep(): Promise<void>;
  /** When everything that was there at the beginning is watched. */
  readonly ready: Promise<void>;
  /** Folders below the root, the root included, and how many of them the system would not watch. */
  counts(): { readonly folders: number; readonly unwatched: number };
  close(): void;
}

/** A file was written to; or something came, went or was replaced by this name. */
export type PlaceChange = 'written' | 'entry';

export interface WatchHandlers {
  /** Something changed at this place, soon after it did. */
  onChange(place: string, what: PlaceChange): void;
  /** Folders below that are not wanted cost nothing, where the system allows it. */
  isWanted?(folder: string): boolean;
}

interface Folder {
  watcher: FSWatcher | undefined;
  readonly realPath: string;
  readonly inode: number;
  /** Its own last change, in milliseconds: entries came or went. */
  changedAt: number;
  names: ReadonlySet<string>;
}

/**
 * Tells what changed below a folder; what it is now, the caller looks up. New folders are watched as they appear, and
 * what was written into them before we could look is told as well. It is a hint, not a promise: the system may run out
 * of watches, and network file systems have none, so callers call `sweep` now and then.
 */
export function watchFolders(root: string, { onChange, isWanted = () => true }: WatchHandlers): FolderWatch {
  // Linux: one watch a folder is five times cheaper than Node's own recursion, and it misses nothing.
  const isEach = process.platform === 'linux';
  const folders = new Map<string, Folder>();
  let closed = false;

  const onEvent = (folder: string, event: string, name: string | null): void => {
    if (closed) return;
    if (name === null) return void sweepFolder(folder);
    const place = path.join(folder, name);
    onChange(place, event === 'rename' ? 'entry' : 'written');
    if (event === 'rename') void look(place);
  };
  const watchOne = (folder: string): FSWatcher | undefined => {
    try {
      const options = { persistent: false, recursive: !isEach };
      const watcher = watch(folder, options, (event, name) => onEvent(folder, event, name));
      watcher.on('error', () => drop(folder));
      return watcher;
    } catch {
      return undefined;
    }
  };
  /** Watches a folder and all below it. What was there before the watch began is told where `tells`. */
  const add = async (folder: string, tells: boolean): Promise<void> => {
    if (closed || folders.has(folder) || (folder !== root && !isWanted(folder))) return;
    const realPath = await realpath(folder).catch(() => undefined);
    const state = stateOf(folder);
    if (realPath === undefined || !state || closed || folders.has(folder)) return;
    if (isLoop(folder, realPath)) return;
    const entry: Folder = { watcher: undefined, realPath, ...state, names: new Set() };
    folders.set(folder, entry);
    if (isEach || folder === root) entry.watcher = watchOne(folder);
    const entries = await listFolder(folder).catch(() => []);
    entry.names = new Set(entries.map(({ name }) => name));
    for (const { name, kind } of entries) {
      if (tells) onChange(path.join(folder, name), 'entry');
      if (kind === 'folder') await add(path.join(folder, name), tells);
    }
  };
  /** A link that leads back to a folder above it. (Two names of one folder are both told: who reads it may know either.) */
  const isLoop = (folder: string, realPath: string): boolean => {
    for (let above = path.dirname(folder); folders.has(above); above = path.dirname(above))
      if (folders.get(above)?.realPath === realPath) return true;
    return false;
  };
  /** Something came or went by this name. A folder that came holds news; one that went took its watches along. */
  const look = async (place: string): Promise<void> => {
    const known = [...folders.keys()].filter((folder) => folder === place || folder.startsWith(place + path.sep));
    for (const folder of known) drop(folder);
    if (await isFolder(place).catch(() => false)) await add(place, true);
    // What went below it while its watches were taken down and put up again, nobody has told.
    if (known.length > 0) onChange(place, 'entry');
  };
  const drop = (folder: string): void => {
    const entry = folders.get(folder);
    if (!entry) return;
    entry.watcher?.close();
    folders.delete(folder);
  };

  const sweepFolder = (folder: string): void => {
    const entry = folders.get(folder);
    if (!entry) return;
    const state = stateOf(folder);
    if (state?.inode !== entry.inode) {
      onChange(folder, 'entry');
      return void look(folder);
    }
    if (state.changedAt !== entry.changedAt) {
      entry.changedAt = state.changedAt;
      const names = namesIn(folder);
      for (const name of names) if (!entry.names.has(name)) tell(path.join(folder, name), true);
      for (const name of entry.names) if (!names.has(name)) tell(path.join(folder, name), false);
      entry.names = names;
    }
    if (isEach && !entry.watcher) {
      entry.watcher = watchOne(folder);
      for (const name of entry.names) onChange(path.join(folder, name), 'written');
    }
  };
  /** Most of it a watch has told already: a folder is looked at only where that is news. */
  const tell = (place: string, isThere: boolean): void => {
    onChange(place, 'entry');
    if (folders.has(place) !== isThere) void look(place);
  };

  return {
    ready: add(root, false),
    async sweep() {
      if (!folders.has(root)) await add(root, true);
      let looked = 0;
      for (const folder of [...folders.keys()]) {
        if (closed) return;
        sweepFolder(folder);
        // Others are waiting for us: a few thousand folders must not be one long step.
        if (++looked % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    counts() {
      const watched = isEach ? [...folders.values()].filter(({ watcher }) => watcher).length : folders.size;
      return { folders: folders.size, unwatched: folders.size - watched };
    },
    close() {
      closed = true;
      for (const { watcher } of folders.values()) watcher?.close();
      folders.clear();
    },
  };
}

function stateOf(folder: string): Pick<Folder, 'inode' | 'changedAt'> | undefined {
  try {
    const { ino, mtimeMs } = statSync(folder);
    return { inode: ino, changedAt: mtimeMs };
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return new Set();
  }
}
