import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { orElse } from './failures.ts';
import { isFolder, listFolder } from './folders.ts';
import { codeOf } from './user-error.ts';

export type FolderWatch = ReturnType<typeof watchFolders>;

/** A file was written to; or something came, went or was replaced by this name. */
export type PlaceChange = 'written' | 'entry';

export interface WatchHandlers {
  /** Something changed at this place, soon after it did. */
  onChange(place: string, what: PlaceChange): void;
  /** Folders below that are not wanted cost nothing, where the system allows it. */
  isWanted?(folder: string): boolean;
  /** The system's own, where nothing else is given. */
  readonly watch?: typeof watch;
}

interface Folder {
  watcher: FSWatcher | undefined;
  readonly realPath: string;
  readonly inode: number;
  /** Its own last change, in milliseconds: entries came or went. */
  changedAt: number;
  names: ReadonlySet<string>;
  /** Its files when they were last looked at; only where no watch tells. */
  states: FileStates;
}

/** So long at a time. */
const STEP_MS = 5;
/** Two changes so close together may leave the same time behind. */
const TICK_MS = 20;

/**
 * Tells what changed below a folder; what it is now, the caller looks up. New folders are watched as they appear, and
 * what was written into them before we could look is told as well. It is a hint, not a promise: the system may run out
 * of watches, and network file systems have none, so callers call `sweep` now and then.
 */
export function watchFolders(root: string, handlers: WatchHandlers) {
  const { onChange, isWanted = () => true, watch: watchFolder = watch } = handlers;
  // Linux: one watch a folder is five times cheaper than Node's own recursion, and it misses nothing.
  const isEach = process.platform === 'linux';
  const folders = new Map<string, Folder>();
  let closed = false;
  let isLimitReached = false;
  /** For as long as there is no root. */
  let waiting: { close(): void } | undefined;

  // Walks run one after another: an overlapping one can add a folder that is replaced before its parent is watched.
  let walks: Promise<void> = Promise.resolve();
  const inTurn = (walk: () => Promise<void>): Promise<void> => {
    walks = walks.then(walk, walk);
    return walks;
  };
  const begin = async (tells: boolean): Promise<void> => {
    waiting?.close();
    waiting = undefined;
    await add(root, tells);
    if (!closed && !folders.has(root)) waiting ??= awaitFolder(root, () => void inTurn(() => begin(true)));
  };
  const onEvent = (folder: string, event: string, name: string | null): void => {
    if (closed) return;
    // The root's own name: it went itself, unless it holds something of the same name. Of others, the folder above tells.
    if (name === null || (folder === root && name === path.basename(root))) sweepFolder(folder);
    if (name === null) return;
    const place = path.join(folder, name);
    onChange(place, event === 'rename' ? 'entry' : 'written');
    if (event === 'rename' && (isWanted(place) || folders.has(place))) lookInTurn(place);
  };
  const watchOne = (folder: string): FSWatcher | undefined => {
    try {
      const options = { persistent: false, recursive: !isEach };
      const watcher = watchFolder(folder, options, (event, name) => onEvent(folder, event, name));
      watcher.on('error', () => drop(folder));
      return watcher;
    } catch (error) {
      isLimitReached ||= codeOf(error) === 'ENOSPC' || codeOf(error) === 'EMFILE';
      return undefined;
    }
  };
  /** Elsewhere than on Linux, the watch of the root is one for all. */
  const isUnwatched = ({ watcher }: Folder): boolean => !(isEach ? watcher : folders.get(root)?.watcher);
  /** Watches a folder and all below it. What was there before the watch began is told where `tells`. */
  const add = async (folder: string, tells: boolean): Promise<void> => {
    if (closed || folders.has(folder) || (folder !== root && !isWanted(folder))) return;
    const realPath = await realpath(folder).catch(() => undefined);
    const state = stateOf(folder);
    if (realPath === undefined || !state || closed || folders.has(folder)) return;
    if (isLoop(folder, realPath)) return;
    const entry: Folder = { watcher: undefined, realPath, ...state, names: new Set(), states: new Map() };
    folders.set(folder, entry);
    if (isEach || folder === root) entry.watcher = watchOne(folder);
    const entries = await listFolder(folder).catch(() => []);
    entry.names = new Set(entries.map(({ name }) => name));
    if (isUnwatched(entry)) entry.states = fileStates(folder, entry.names);
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
  /** Names whose look is still to come. */
  const toLookAt = new Set<string>();
  const lookInTurn = (place: string): void => {
    if (toLookAt.has(place)) return;
    toLookAt.add(place);
    void inTurn(() => look(place));
  };
  /** Something came or went by this name. A folder that came holds news; one that went took its watches along. */
  const look = async (place: string): Promise<void> => {
    toLookAt.delete(place);
    if (closed) return;
    const known = [...folders.keys()].filter((folder) => folder === place || folder.startsWith(place + path.sep));
    for (const folder of known) drop(folder);
    if (place === root) await begin(true);
    else if (await isFolder(place).catch(() => false)) await add(place, true);
    // What went below it while its watches were taken down and put up again, nobody has told.
    if (known.length > 0) onChange(place, 'entry');
  };
  const drop = (folder: string): void => {
    folders.get(folder)?.watcher?.close();
    folders.delete(folder);
  };

  const sweepFolder = (folder: string): void => {
    const entry = folders.get(folder);
    if (!entry) return;
    const state = stateOf(folder);
    if (state?.inode !== entry.inode) {
      onChange(folder, 'entry');
      lookInTurn(folder);
      return;
    }
    if (state.changedAt !== entry.changedAt) {
      entry.changedAt = state.changedAt;
      const names = new Set(orElse(() => readdirSync(folder), []));
      for (const name of names) if (!entry.names.has(name)) tell(path.join(folder, name), true);
      for (const name of entry.names) if (!names.has(name)) tell(path.join(folder, name), false);
      entry.names = names;
    }
  };
  /** What was written to since it was last looked at. */
  const tellWritten = (folder: string, entry: Folder): void => {
    const states = fileStates(folder, entry.names);
    for (const [name, state] of states)
      if (entry.states.get(name) !== state) onChange(path.join(folder, name), 'written');
    entry.states = states;
  };
  /** Most of it a watch has told already: a folder is looked at only where that is news. */
  const tell = (place: string, isThere: boolean): void => {
    onChange(place, 'entry');
    if (folders.has(place) !== isThere) lookInTurn(place);
  };

  /** Others are waiting for us: a few thousand folders must not be one long step. */
  const forEachFolder = async (look: (folder: string, entry: Folder) => void): Promise<void> => {
    let rested = performance.now();
    for (const [folder, entry] of [...folders]) {
      if (closed) return;
      if (folders.get(folder) === entry) look(folder, entry);
      if (performance.now() - rested < STEP_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      rested = performance.now();
    }
  };

  return {
    /** When everything that was there at the beginning is watched. */
    ready: inTurn(() => begin(false)),
    /** Looks for what no watch told: folders whose entries changed. Tries again to watch those that could not be watched. */
    async sweep(): Promise<void> {
      if (!folders.has(root)) await inTurn(() => begin(true));
      isLimitReached = false;
      await forEachFolder((folder, entry) => {
        sweepFolder(folder);
        // Once the system has said that there are no more, it need not be asked for each.
        if (!isUnwatched(entry) || isLimitReached || !(isEach || folder === root)) return;
        entry.watcher = watchOne(folder);
        if (entry.watcher) tellWritten(folder, entry);
      });
    },
    /** Looks at the folders that the system would not watch, and at their files. */
    async lookAtUnwatched(): Promise<void> {
      await forEachFolder((folder, entry) => {
        if (!isUnwatched(entry)) return;
        sweepFolder(folder);
        tellWritten(folder, entry);
      });
    },
    /**
     * Folders below the root, the root included, and how many of them the system would not watch; `isLimitReached`: it has no more
     * watches for us.
     */
    counts() {
      const unwatched = [...folders.values()].filter(isUnwatched).length;
      return { folders: folders.size, unwatched, isLimitReached: isLimitReached && unwatched > 0 };
    },
    close(): void {
      closed = true;
      waiting?.close();
      for (const { watcher } of folders.values()) watcher?.close();
      folders.clear();
    },
  };
}

function stateOf(folder: string): Pick<Folder, 'inode' | 'changedAt'> | undefined {
  const stats = orElse(() => statSync(folder), undefined);
  // What comes right after this look has the same time: such a time is not to be trusted.
  return stats && { inode: stats.ino, changedAt: Date.now() - stats.mtimeMs < TICK_MS ? Number.NaN : stats.mtimeMs };
}

/**
 * Calls back once a folder is there. Until then it watches the nearest folder above that exists, and goes down with what
 * appears. Where that cannot be watched, nothing is told: callers look now and then.
 */
export function awaitFolder(folder: string, onThere: () => void): { close(): void } {
  let watcher: FSWatcher | undefined;
  let closed = false;
  const close = (): void => {
    closed = true;
    watcher?.close();
  };
  const look = (): void => {
    if (closed) return;
    watcher?.close();
    if (isFolderThere(folder)) {
      close();
      onThere();
      return;
    }
    const { above, awaited } = nearestAbove(folder);
    watcher = watchFor(above, awaited, look);
    // It may have come before it was watched for.
    if (isFolderThere(path.join(above, awaited))) look();
  };
  look();
  return { close };
}

/** The nearest folder above that exists, and the name that is missing in it. */
function nearestAbove(folder: string): { readonly above: string; readonly awaited: string } {
  const above = path.dirname(folder);
  return above === folder || isFolderThere(above) ? { above, awaited: path.basename(folder) } : nearestAbove(above);
}

/** The folder's own name is told when it goes itself. */
function watchFor(above: string, awaited: string, onChange: () => void): FSWatcher | undefined {
  try {
    const names = new Set([awaited, path.basename(above), null]);
    const watcher = watch(above, { persistent: false }, (_event, name) => names.has(name) && onChange());
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function isFolderThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** How each file of a folder is, by its name: two states that differ mean that it was written to. */
export type FileStates = ReadonlyMap<string, string>;

/** Looks at files without opening any. What is no file, or gone by now, has no state. */
export function fileStates(folder: string, names: Iterable<string>): FileStates {
  const states = new Map<string, string>();
  for (const name of names) {
    const stats = orElse(() => statSync(path.join(folder, name), { throwIfNoEntry: false }), undefined);
    if (stats?.isFile()) states.set(name, `${stats.ino} ${stats.size} ${stats.mtimeMs}`);
  }
  return states;
}
